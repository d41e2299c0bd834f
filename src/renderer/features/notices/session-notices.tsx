import { type ReactNode, useRef, useState } from 'react';
import type { Failure } from '@shared/types';
import type { SummaryFailure } from '@shared/compaction/summary-job';
import type { LiveSession } from '@shared/session-state/state';
import { visibleString } from '@shared/policy/visible-text';
import { Button, cx, Notice, Popover, useLowWindow, VisibleBlock } from '../../ui';
import { ActionButton } from '../../parts/action-button';
import { useApp, useBusy, useLive, useSession } from '../../state/hooks';
import { formatWait } from '../../state/format';
import { JobCard, OtherWriters, SummaryFailureCard, summaryFailureTitle } from './job-card';
import { OffScreenBar, useNoteInView } from '../../parts/off-screen';
import { useSecondsUntil } from '../../parts/summary';
import styles from './notices.module.css';

/** Whether `SessionNotices` shows anything. */
export function hasSessionNotice(live: LiveSession, isBusy: boolean): boolean {
  const { retry, failure, summaryFailure, interrupted, job } = live;
  return Boolean(retry ?? failure ?? summaryFailure ?? job) || (interrupted && !isBusy);
}

/** What stands at the end of a transcript: a failure, a wait before the next attempt, a turn that was cut off. */
export function SessionNotices() {
  const session = useSession();
  const retry = useLive(session, (live) => live.retry);
  const failure = useLive(session, (live) => live.failure);
  const summary = useLive(session, (live) => live.summaryFailure);
  const interrupted = useLive(session, (live) => live.interrupted);
  const running = useBusy(session.id);
  // What the run failed of is that compaction: one card tells of both.
  const isOneWithRun = failure !== null && summary?.reason === 'overflow';
  return (
    <>
      <JobCard />
      {retry && <RetryCard retry={retry} />}
      {(summary ?? (failure && !retry)) && (
        <Noted id={failedIn(session.id)}>
          {summary && !isOneWithRun && <SummaryFailureCard failure={summary} />}
          {failure && !retry && <FailureCard failure={failure} summary={isOneWithRun ? summary : null} />}
        </Noted>
      )}
      {interrupted && !running && !failure && (
        <Notice
          level="warning"
          title="This turn has no complete answer"
          className={styles.notice}
          actions={<ActionButton id="turn.continue" target={session} size="small" tone="primary" />}
        >
          It was cut off, most often because Espalier was closed or crashed. What the session’s file has of it is shown.
          Continuing asks the model to go on; no tool call is run again.
        </Notice>
      )}
    </>
  );
}

/** What the cards of a session that something failed in are noted as. */
const failedIn = (sessionId: string): string => `failed:${sessionId}`;

function Noted({ id, children }: { id: string; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useNoteInView(id, element);
  return <div ref={element}>{children}</div>;
}

/** Says what failed while its card is not on screen, and leads to it (WN9): who reads above asked for it, perhaps by a command. */
export function FailureBar() {
  const session = useSession();
  const title = useLive(session, ({ failure, retry, summaryFailure, approvals }) => {
    if (retry || approvals.length > 0) return null;
    return failure?.title ?? (summaryFailure && summaryFailureTitle(summaryFailure));
  });
  return (
    <OffScreenBar
      of={title === null ? null : failedIn(session.id)}
      tone="failed"
      action={<ActionButton id="turn.show" target={session} size="small" />}
    >
      {title !== null && visibleString(title)}
    </OffScreenBar>
  );
}

interface FailureCardProps {
  failure: Failure;
  /** The compaction that would have helped. */
  summary: SummaryFailure | null;
}

function FailureCard({ failure, summary }: FailureCardProps) {
  const session = useSession();
  return (
    <div className={styles.failure} role="alert">
      <h3>{visibleString(failure.title)}</h3>
      <p>
        <VisibleBlock text={failure.detail} />
      </p>
      {summary && <OtherWriters failure={summary} />}
      <div className={styles.actions}>
        {failure.actions.map((action, index) => (
          <ActionButton
            key={action}
            id={`turn.${action}`}
            target={session}
            tone={index === 0 ? 'primary' : 'default'}
            size="small"
          />
        ))}
      </div>
    </div>
  );
}

function RetryCard({ retry }: { retry: NonNullable<LiveSession['retry']> }) {
  const session = useSession();
  const app = useApp();
  const seconds = useSecondsUntil(retry.until, app.now);
  const wait = seconds > 0 ? `Retrying in ${formatWait(seconds)}` : 'Retrying';
  return (
    <div className={styles.retry}>
      <div className={styles.retryText}>
        <b>
          {wait} ({retry.attempt} of {retry.maxAttempts})
        </b>
        <p>{retry.errorMessage}</p>
      </div>
      <div className={styles.actions}>
        <ActionButton id="turn.retryNow" target={session} size="small" tone="primary" disabled={seconds === 0} />
        <ActionButton id="session.stop" target={session} size="small" />
      </div>
    </div>
  );
}

/** Damage found in a session's files: said once, above the transcript. */
export function DamageNotice() {
  const session = useSession();
  const damage = useLive(session, (live) => live.damage);
  const [hiddenFor, setHiddenFor] = useState('');
  const isLow = useLowWindow();
  const key = damage.join('\n');
  if (damage.length === 0 || hiddenFor === key) return null;
  const sentences = (
    <div className={styles.damage} tabIndex={0}>
      {damage.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
  const branches = <ActionButton id="view.branches" target={session} size="small" />;
  const details = (
    <Popover
      label="Problems of this session’s file"
      align="end"
      className={styles.list}
      trigger={<Button size="small">Details</Button>}
    >
      {sentences}
      <div className={styles.actions}>{branches}</div>
    </Popover>
  );
  return (
    <Notice
      level="warning"
      title="This session’s file has problems"
      className={cx(styles.notice, isLow && styles.low)}
      onDismiss={() => setHiddenFor(key)}
      actions={isLow ? details : branches}
    >
      {!isLow && sentences}
    </Notice>
  );
}
