import type { ModelRef, SummaryFailure } from '@shared/ipc/types';
import { SummaryOffer } from '../../parts/summary-offer';
import { dismissSummaryFailure, trySummaryWith } from '../../state/compaction-actions';
import { asSentence } from '../../state/format';
import { useApp } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { Button } from '../../ui';
import styles from './notices.module.css';

interface SummaryFailureProps {
  session: OpenSession;
  failure: SummaryFailure;
}

/** A compaction for which nobody could write the summary: why, and who else could (SU35). */
export function SummaryFailureCard({ session, failure }: SummaryFailureProps) {
  const app = useApp();
  return (
    <section className={styles.failure} role="alert" aria-label="Compaction">
      <h3>{failure.reason === 'manual' ? 'The session was not compacted' : 'The session could not be compacted'}</h3>
      <p>{asSentence(failure.message)} The session is unchanged.</p>
      <OtherWriters session={session} failure={failure} />
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
export function OtherWriters({ session, failure }: SummaryFailureProps) {
  const app = useApp();
  const tryWith = (model: ModelRef): void => void trySummaryWith(app, session.id, failure, model);
  return <SummaryOffer session={session} tried={failure.tried} onTry={tryWith} />;
}
