import { useState } from 'react';
import type { Failure, FailureAction, RetryWait, SummaryFailure } from '@shared/ipc/types';
import type { LiveSession } from '@shared/session-state/state';
import { Button, Notice } from '../../ui';
import type { App } from '../../state/app';
import { isRunning } from '../../state/commands';
import { compactSession } from '../../state/compaction-actions';
import { useApp, useLive, useSummary } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { openGraph } from '../../state/graph-actions';
import { formatWait } from '../../state/format';
import { CompactionCard } from './compaction-card';
import { OtherWriters, SummaryFailureCard } from './summary-failure';
import { TreeSummaryCard } from './tree-summary-card';
import { useSecondsUntil } from '../../parts/use-seconds';
import styles from './notices.module.css';

/** Whether `SessionNotices` shows anything. */
export function hasSessionNotice(live: LiveSession, isBusy: boolean): boolean {
  const { retry, failure, summaryFailure, interrupted, compaction, treeSummary } = live;
  return Boolean(retry ?? failure ?? summaryFailure ?? compaction ?? treeSummary) || (interrupted && !isBusy);
}

/** What stands at the end of a transcript: a failure, a wait before the next attempt, a turn that was cut off. */
export function SessionNotices({ session }: { session: OpenSession }) {
  const app = useApp();
  const retry = useLive(session, (live) => live.retry);
  const failure = useLive(session, (live) => live.failure);
  const summary = useLive(session, (live) => live.summaryFailure);
  const interrupted = useLive(session, (live) => live.interrupted);
  const running = isRunning(useSummary(session.id));
  // What the run failed of is that compaction: one card tells of both.
  const isOneWithRun = failure !== null && summary?.reason === 'overflow';
  return (
    <>
      <CompactionCard session={session} />
      <TreeSummaryCard session={session} />
      {retry && <RetryCard session={session} retry={retry} />}
      {summary && !isOneWithRun && <SummaryFailureCard session={session} failure={summary} />}
      {failure && !retry && <FailureCard session={session} failure={failure} summary={isOneWithRun ? summary : null} />}
      {interrupted && !running && !failure && (
        <Notice
          level="warning"
          title="This turn was interrupted"
          className={styles.notice}
          actions={
            <Button size="small" tone="primary" onClick={() => act(app, session, 'retry')}>
              Continue
            </Button>
          }
        >
          It ended before the answer was whole: the app was closed in the middle of it, or the file came so. What you
          see is saved. Tools that had started are not run again.
        </Notice>
      )}
    </>
  );
}

const ACTION_WORDS: Record<FailureAction, string> = {
  retry: 'Retry',
  continue: 'Continue',
  compact: 'Compact and retry',
  settings: 'Open settings',
  model: 'Choose another model',
  dismiss: 'Dismiss',
};

interface FailureCardProps {
  session: OpenSession;
  failure: Failure;
  /** The compaction that would have helped. */
  summary: SummaryFailure | null;
}

function FailureCard({ session, failure, summary }: FailureCardProps) {
  const app = useApp();
  return (
    <div className={styles.failure} role="alert">
      <h3>{failure.title}</h3>
      <p>{failure.detail}</p>
      {summary && <OtherWriters session={session} failure={summary} />}
      <div className={styles.actions}>
        {failure.actions.map((action, index) => (
          <Button
            key={action}
            tone={index === 0 ? 'primary' : 'default'}
            size="small"
            onClick={() => act(app, session, action)}
          >
            {ACTION_WORDS[action]}
          </Button>
        ))}
      </div>
    </div>
  );
}

function act(app: App, session: OpenSession, action: FailureAction): void {
  const params = { sessionId: session.id };
  if (action === 'settings') return app.ui.setState({ settings: 'providers' });
  if (action === 'model') return app.ui.setState({ modelPicker: true });
  if (action === 'compact') return void compactSession(app, session.id, { instructions: '', retry: true });
  void app.attempt(() => app.client.request(action === 'dismiss' ? 'session.dismissFailure' : 'session.retry', params));
}

function RetryCard({ session, retry }: { session: OpenSession; retry: RetryWait }) {
  const app = useApp();
  const seconds = useSecondsUntil(retry.until, app.now);
  const params = { sessionId: session.id };
  const wait = seconds > 0 ? `Next attempt in ${formatWait(seconds)}` : 'Trying again';
  return (
    <div className={styles.retry}>
      <div className={styles.retryText}>
        <b>
          {wait} ({retry.attempt} of {retry.maxAttempts})
        </b>
        <p>{retry.errorMessage}</p>
      </div>
      <div className={styles.actions}>
        <Button
          size="small"
          tone="primary"
          disabled={seconds === 0}
          onClick={() => void app.attempt(() => app.client.request('session.skipRetryWait', params))}
        >
          Retry now
        </Button>
        <Button size="small" onClick={() => void app.attempt(() => app.client.request('session.stop', params))}>
          Stop
        </Button>
      </div>
    </div>
  );
}

/** Damage found in a session's files: said once, above the transcript. */
export function DamageNotice({ session }: { session: OpenSession }) {
  const app = useApp();
  const damage = useLive(session, (live) => live.damage);
  const [hiddenFor, setHiddenFor] = useState('');
  const key = damage.join('\n');
  if (damage.length === 0 || hiddenFor === key) return null;
  return (
    <Notice
      level="warning"
      title="This session’s file is not as expected"
      className={styles.notice}
      onDismiss={() => setHiddenFor(key)}
      actions={
        <Button size="small" onClick={() => openGraph(app, {})}>
          Show the branches
        </Button>
      }
    >
      {damage.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  );
}
