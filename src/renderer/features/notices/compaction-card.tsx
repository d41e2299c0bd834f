import type { LiveCompaction } from '@shared/ipc/types';
import { Button, Glyph, Spinner } from '../../ui';
import { formatTokens, formatWait, plural } from '../../state/format';
import { useApp, useLive, useSession } from '../../state/hooks';
import { setReview } from '../compaction';
import { SUMMARY_PACE_MS, usePaced } from '../../parts/use-paced';
import { useSecondsUntil } from '../../parts/use-seconds';
import styles from './notices.module.css';

/** A compaction under way: what happens, the summary as it is written, and the way out (SH1). */
export function CompactionCard() {
  const session = useSession();
  const app = useApp();
  const compaction = useLive(session, (live) => live.compaction);
  if (!compaction) return null;
  const cancel = (): void => void app.ask('session.cancelCompaction', { sessionId: session.id });
  return (
    <section className={styles.compaction} aria-label="Compaction">
      <div className={styles.compactionHead}>
        <Glyph name="compaction" size={12} />
        <b>{titleOf(compaction)}</b>
        <span className={styles.compactionFacts}>{factsOf(compaction)}</span>
        {compaction.review ? (
          <Button size="small" tone="amber" onClick={() => setReview(app, session.id, compaction, { isOpen: true })}>
            Review
          </Button>
        ) : (
          <Spinner size={14} label="Compacting" />
        )}
        <Button size="small" disabled={compaction.phase === 'commit'} onClick={cancel}>
          Cancel
        </Button>
      </div>
      {compaction.retry && <RetryLine retry={compaction.retry} />}
      <GrowingText />
      <p className={styles.compactionNote}>Everything stays in the session. You can read and write meanwhile.</p>
    </section>
  );
}

function RetryLine({ retry }: { retry: NonNullable<LiveCompaction['retry']> }) {
  const app = useApp();
  const seconds = useSecondsUntil(retry.until, app.now);
  return (
    <p className={styles.compactionRetry}>
      {seconds > 0 ? `Next attempt in ${formatWait(seconds)}` : 'Trying again'} ({retry.attempt} of {retry.maxAttempts}
      ): {retry.errorMessage}
    </p>
  );
}

/** The end of the summary as it comes; plain, because half a markdown text jumps. */
function GrowingText() {
  const session = useSession();
  const text = usePaced(
    useLive(session, (live) => live.summaryText),
    SUMMARY_PACE_MS,
  );
  if (text === '') return null;
  return <div className={styles.compactionText}>{text}</div>;
}

const REASONS: Record<LiveCompaction['reason'], string> = {
  manual: 'Compacting',
  threshold: 'Compacting, the window is nearly full',
  overflow: 'Compacting, the model refused the session as too long',
};

function titleOf({ reason, phase }: LiveCompaction): string {
  if (phase === 'hooks') return 'Extensions look at the compaction';
  if (phase === 'review') return 'The summary waits for your review';
  return phase === 'commit' ? 'Saving the summary' : REASONS[reason];
}

function factsOf({ phase, messages, tokensBefore, projected, step, steps }: LiveCompaction): string {
  return [
    messages === null
      ? 'looking at the session'
      : `${phase === 'review' ? '' : 'summarising '}${plural(messages, 'message')}`,
    projected !== null && `${formatTokens(tokensBefore)} → about ${formatTokens(projected)} tokens`,
    steps > 1 && `step ${step} of ${steps}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
