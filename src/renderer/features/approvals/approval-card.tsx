import { useState } from 'react';
import type { ApprovalDecision, ApprovalRequest, ApprovalSubject } from '@shared/ipc/types';
import { Button, Chip } from '../../ui';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import { formatPath } from '../../state/format';
import { DiffView, parseDiff } from '../transcript';
import styles from './approvals.module.css';

const RUN_WORDS: Record<ApprovalSubject['kind'], Record<ApprovalDecision, string>> = {
  command: { once: 'Run once', session: 'This session', always: 'Always this exact command', deny: 'Deny' },
  diff: { once: 'Write once', session: 'This session', always: 'Always in this folder', deny: 'Deny' },
  path: { once: 'Allow once', session: 'This session', always: 'Always this folder', deny: 'Deny' },
  call: { once: 'Allow once', session: 'This session', always: 'Always', deny: 'Deny' },
};

/** Lines of a change drawn at once; the rest, all of it, when asked for: nothing is approved unseen (quality.md S7). */
const FIRST_LINES = 400;

/**
 * What the agent wants to do, exactly, and the answers that main offers. The answer carries the hash of what is shown,
 * so that nothing else can be approved by it (quality.md S7).
 */
export function ApprovalCard({ request }: { request: ApprovalRequest }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const words = RUN_WORDS[request.subject.kind];

  async function answer(decision: ApprovalDecision): Promise<void> {
    setSending(true);
    setProblem(null);
    const { id: approvalId, contentHash } = request;
    try {
      await app.client.request('approvals.answer', { approvalId, contentHash, decision });
    } catch (cause) {
      setProblem(toAppError(cause).message);
      setSending(false);
    }
  }

  const allowed = request.choices.filter((choice) => choice !== 'deny');
  return (
    <section className={styles.card} aria-label={`Approval: ${request.title}`} data-approval={request.id} tabIndex={-1}>
      <h3 className={styles.title}>
        <span className={styles.dot} aria-hidden />
        {titleOf(request, home)}
      </h3>
      <SubjectView subject={request.subject} home={home} />
      <p className={styles.why}>{whyOf(request.subject)}</p>
      <div className={styles.actions}>
        {allowed.map((choice, index) => (
          <Button
            key={choice}
            tone={index === 0 ? 'primary' : 'default'}
            disabled={sending}
            onClick={() => void answer(choice)}
          >
            {words[choice]}
          </Button>
        ))}
        {request.choices.includes('deny') && (
          <Button className={styles.deny} disabled={sending} onClick={() => void answer('deny')}>
            {words.deny}
          </Button>
        )}
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function SubjectView({ subject, home }: { subject: ApprovalSubject; home: string }) {
  if (subject.kind === 'command') return <pre className={styles.command}>{subject.command}</pre>;
  if (subject.kind === 'path') return <pre className={styles.command}>{subject.path}</pre>;
  if (subject.kind === 'call') return <pre className={styles.command}>{subject.text}</pre>;
  return (
    <>
      <p className={styles.file}>
        <code>{formatPath(subject.path, home)}</code>
        {subject.created && <Chip tone="leaf">new file</Chip>}
        {subject.outside && <Chip tone="red">outside the workspace</Chip>}
      </p>
      <DiffView lines={parseDiff(subject.diff)} path={subject.path} first={FIRST_LINES} most={Infinity} />
    </>
  );
}

function titleOf({ subject, title }: ApprovalRequest, home: string): string {
  if (subject.kind === 'command') return `Run this command in ${formatPath(subject.cwd, home)}?`;
  if (subject.kind === 'diff') return subject.created ? 'Create this file?' : 'Change this file?';
  return title;
}

function whyOf(subject: ApprovalSubject): string {
  if (subject.kind === 'command') return 'It can change files and reach the network. Nothing has run yet.';
  if (subject.kind === 'diff') return 'Nothing has been written yet.';
  if (subject.kind === 'path') return `${subject.why} Nothing has been touched yet.`;
  return 'This tool comes from an extension. Nothing has been done yet.';
}
