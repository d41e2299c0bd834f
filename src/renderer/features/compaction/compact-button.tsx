import { act, verdictOn } from '../../actions/menus';
import { Button, Glyph, Tooltip } from '../../ui';
import { useApp, useLive, useSession, useView } from '../../state/hooks';
import styles from './compaction.module.css';

/** Beside the meter: opens the sheet. Where it can't, it says why. */
export function CompactButton() {
  const app = useApp();
  const session = useSession();
  const reasonNow = (): string | null => {
    const verdict = verdictOn(app, 'session.compactSheet', session);
    return typeof verdict === 'object' ? verdict.text : null;
  };
  // A compaction begins in what main shows, the first message comes with the rows.
  useView(session, reasonNow);
  const reason = useLive(session, reasonNow);
  return (
    <Tooltip text={reason ?? 'Choose where to cut and compact'} side="top">
      <Button
        size="small"
        tone="outlineAmber"
        className={styles.compactButton}
        // Not `disabled`: the reason must be within reach of keyboard and pointer.
        aria-disabled={reason !== null || undefined}
        aria-label={reason === null ? 'Compact' : `Compact: ${reason}`}
        onClick={() => reason === null && act(app, 'session.compactSheet', session)}
      >
        <Glyph name="compaction" size={10} plain /> Compact
      </Button>
    </Tooltip>
  );
}
