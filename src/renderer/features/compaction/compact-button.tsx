import { Button, Glyph, Tooltip } from '../../ui';
import { openCompactSheet } from '../../state/compaction-actions';
import { useApp, useLive, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import styles from './compaction.module.css';
import type { RowKind } from '@shared/session-state/state';

/** Rows that put nothing into the context. */
const SILENT = new Set<RowKind>(['modelChange', 'thinkingChange', 'opaque', 'other']);

/** Beside the meter: opens the sheet. Where it can't, it says why. */
export function CompactButton({ session }: { session: OpenSession }) {
  const app = useApp();
  const isCompacting = useLive(session, (live) => live.compaction !== null);
  const isEmpty = useView(session, (view) => !view.rows.some(({ kind }) => !SILENT.has(kind)));
  const reason = isCompacting ? 'A compaction is running' : isEmpty ? 'Nothing to compact yet' : null;
  return (
    <Tooltip text={reason ?? 'Choose where to cut, and compact'} side="top">
      <Button
        size="small"
        tone="outlineAmber"
        className={styles.compactButton}
        // Not `disabled`: the reason must be within reach of keyboard and pointer.
        aria-disabled={reason !== null || undefined}
        aria-label={reason === null ? 'Compact' : `Compact: ${reason}`}
        onClick={() => reason === null && openCompactSheet(app, session.id)}
      >
        <Glyph name="compaction" size={10} plain /> Compact
      </Button>
    </Tooltip>
  );
}
