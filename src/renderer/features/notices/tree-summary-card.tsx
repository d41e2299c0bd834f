import type { LiveTreeSummary } from '@shared/session-state/state';
import { Button, Glyph } from '../../ui';
import { SummaryProgress } from '../../parts/summary-progress';
import { useApp, useLive, useSession, useUi } from '../../state/hooks';
import { openDialog } from '../../actions/moves';
import styles from './notices.module.css';

/** A branch summary or a handoff draft under way, where no dialog shows it. */
export function TreeSummaryCard() {
  const session = useSession();
  const app = useApp();
  const summary = useLive(session, (live) => live.treeSummary);
  const isInDialog = useUi((ui) => ui.branchDialog?.kind === 'leave' || ui.branchDialog?.kind === 'bringOver');
  if (!summary || isInDialog) return null;
  const { targetId, fromId, kind, review } = summary;
  const open = (): void => {
    if (!targetId || !fromId) return;
    openDialog(app, { kind: 'bringOver', sessionId: session.id, sourceId: fromId, targetId });
  };
  return (
    <section className={styles.branch} aria-label={TITLES[kind]}>
      <div className={styles.compactionHead}>
        <Glyph name="branchSummary" size={12} />
        <b>{review ? 'The summary of the other branch waits for you' : TITLES[kind]}</b>
        <span className={styles.compactionFacts} />
        {review && (
          <Button size="small" tone="primary" onClick={open}>
            Review
          </Button>
        )}
        <Button size="small" onClick={() => void app.ask('session.cancelTreeSummary', { sessionId: session.id })}>
          Cancel
        </Button>
      </div>
      {!review && <SummaryProgress label={NOTES[kind]} />}
    </section>
  );
}

const TITLES: Record<LiveTreeSummary['kind'], string> = {
  leave: 'Summarising the branch that you leave',
  bringOver: 'Summarising the other branch',
  handoff: 'Drafting the first message of a new session',
};
const NOTES: Record<LiveTreeSummary['kind'], string> = {
  leave: 'Until the summary is whole nothing changes.',
  bringOver: 'You read it before it is stored.',
  handoff: 'You edit it before it is sent. This session stays as it is.',
};
