import {
  type CompactionReason,
  contextAfter,
  type JobKind,
  type LiveJob,
  type ReviewDraft,
  type SummaryFailure,
} from '@shared/compaction/summary-job';
import { visibleString } from '@shared/policy/visible-text';
import type { ModelRef } from '@shared/types';
import { dismissSummaryFailure, trySummaryWith } from '../../actions/compaction';
import { openReview } from '../../actions/ways';
import { SummaryOffer, SummaryProgress } from '../../parts/summary';
import { asSentence, formatTokens, plural } from '../../state/format';
import { useApp, useLive, useSession, useUi } from '../../state/hooks';
import { reviewText } from '../../state/summary-jobs';
import { Button, Glyph } from '../../ui';
import styles from './notices.module.css';

/** A summary under way, whatever it is for: what happens, its text as it is written, and the way out (SH1, EV10). */
export function JobCard() {
  const session = useSession();
  const app = useApp();
  const job = useLive(session, (live) => live.job);
  const isInDialog = useUi((ui) => ui.branchDialog?.kind === 'leave' || ui.branchDialog?.kind === 'bringOver');
  // What they wrote is dropped where they see it, by a button that says so.
  const isChanged = useUi((ui) => {
    const text = job?.review ? reviewText(ui, session.id, job) : undefined;
    return text !== undefined && text !== job?.review?.text;
  });
  const isCompaction = job?.kind === 'compaction';
  if (!job || (isInDialog && !isCompaction)) return null;
  return (
    <section className={isCompaction ? styles.compaction : styles.branch} aria-label={NAMES[job.kind]}>
      <div className={styles.compactionHead}>
        <Glyph name={isCompaction ? 'compaction' : 'branchSummary'} size={12} />
        <b>{titleOf(job)}</b>
        <span className={styles.compactionFacts}>{factsOf(job)}</span>
        {job.review && (
          <Button size="small" tone={isCompaction ? 'amber' : 'primary'} onClick={() => openReview(app, session)}>
            {job.review.isDoubtful || job.review.isLarger ? 'Show' : 'Review'}
          </Button>
        )}
        <Button
          size="small"
          disabled={job.phase === 'commit'}
          onClick={() =>
            isChanged ? openReview(app, session) : void app.ask('session.cancelJob', { sessionId: session.id })
          }
        >
          {isChanged ? 'Cancel …' : 'Cancel'}
        </Button>
      </div>
      {!job.review && <SummaryProgress label={NOTES[job.kind]} />}
    </section>
  );
}

const NAMES: Record<JobKind, string> = {
  compaction: 'Compaction',
  leave: 'Summarising the branch you are leaving',
  bringOver: 'Summarising the other branch',
  handoff: 'Drafting the first message of a new session',
};
const NOTES: Record<JobKind, string> = {
  compaction: 'Nothing is deleted. You can keep reading and writing.',
  leave: 'Nothing changes until the summary is complete.',
  bringOver: 'You review it before it is saved.',
  handoff: 'You can edit it before it is sent. This session stays unchanged.',
};
const REASONS: Record<CompactionReason, string> = {
  manual: 'Compacting',
  threshold: 'Compacting: the context window is nearly full',
  overflow: 'Compacting: the session is too long for the model',
};

function titleOf(job: LiveJob): string {
  if (job.kind !== 'compaction')
    return job.review ? 'The summary of the other branch is ready for review' : NAMES[job.kind];
  if (job.phase === 'review') return reviewTitle(job.review);
  if (job.phase === 'commit') return 'Saving the summary';
  return job.phase === 'plan' && job.part === 'hooks' ? 'Running extensions' : REASONS[job.reason];
}

function reviewTitle(review: ReviewDraft | null): string {
  if (review?.isDoubtful) return 'This does not look like a summary';
  return review?.isLarger ? 'This summary would make the context larger' : 'The summary is ready for review';
}

function factsOf(job: LiveJob): string {
  if (job.kind !== 'compaction') return '';
  const { phase, messages, tokensBefore, step, steps, review } = job;
  // What was planned gives way to what was written.
  const projected = review ? contextAfter(review, review.text) : job.projected;
  return [
    messages === null
      ? 'reading the session'
      : `${phase === 'review' ? '' : 'summarising '}${plural(messages, 'message')}`,
    projected !== null && `${formatTokens(tokensBefore)} → about ${formatTokens(projected)} tokens`,
    steps > 1 && `step ${step} of ${steps}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

interface SummaryFailureProps {
  failure: SummaryFailure;
}

export function summaryFailureTitle({ reason }: SummaryFailure): string {
  return reason === 'manual' ? 'The session was not compacted' : 'The session could not be compacted';
}

/** A compaction for which nobody could write the summary: why, and who else could (SU35). */
export function SummaryFailureCard({ failure }: SummaryFailureProps) {
  const session = useSession();
  const app = useApp();
  return (
    <section className={styles.failure} role="alert" aria-label="Compaction">
      <h3>{summaryFailureTitle(failure)}</h3>
      <p>{visibleString(asSentence(failure.message))} The session is unchanged.</p>
      <OtherWriters failure={failure} />
      <div className={styles.actions}>
        <Button size="small" tone="primary" onClick={() => void trySummaryWith(app, session.id, failure)}>
          Try again
        </Button>
        <Button size="small" onClick={() => void dismissSummaryFailure(app, session.id)}>
          Dismiss
        </Button>
      </div>
    </section>
  );
}

/** Who else could write it, each for this job alone. */
export function OtherWriters({ failure }: SummaryFailureProps) {
  const session = useSession();
  const app = useApp();
  const tryWith = (model: ModelRef): void => void trySummaryWith(app, session.id, failure, model);
  return <SummaryOffer tried={failure.tried} onTry={tryWith} />;
}
