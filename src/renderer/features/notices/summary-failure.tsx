import type { ModelRef } from '@shared/types';
import type { SummaryFailure } from '@shared/compaction/summary-job';
import { visibleString } from '@shared/policy/visible-text';
import { SummaryOffer } from '../../parts/summary';
import { dismissSummaryFailure, trySummaryWith } from '../../actions/compaction';
import { asSentence } from '../../state/format';
import { useApp, useSession } from '../../state/hooks';
import { Button } from '../../ui';
import styles from './notices.module.css';

interface SummaryFailureProps {
  failure: SummaryFailure;
}

/** A compaction for which nobody could write the summary: why, and who else could (SU35). */
export function SummaryFailureCard({ failure }: SummaryFailureProps) {
  const session = useSession();
  const app = useApp();
  return (
    <section className={styles.failure} role="alert" aria-label="Compaction">
      <h3>{failure.reason === 'manual' ? 'The session was not compacted' : 'The session could not be compacted'}</h3>
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
