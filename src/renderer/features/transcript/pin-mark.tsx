import { Pin } from 'lucide-react';
import { unpin } from '../../actions/pins';
import { useApp } from '../../state/hooks';
import { useTranscript } from './context';
import styles from './prompt.module.css';
import type { Row } from '@shared/session-state/state';

/** On the gutter of a pinned message: that it is, and the way to let go of it (PN6). */
export function PinMark({ row }: { row: Row }) {
  const app = useApp();
  const { session } = useTranscript();
  const { id } = row;
  if (!useIsPinned(row)) return null;
  return (
    <button
      type="button"
      className={styles.pin}
      aria-label="Unpin this message"
      title="Pinned: the model gets it word for word. Click to unpin."
      onClick={() => void unpin(app, session.id, [id])}
    >
      <Pin size={11} aria-hidden />
    </button>
  );
}

/** Whether the message of a row is pinned; drawn anew when that changes. */
export function useIsPinned(row: Row | null): boolean {
  const { pinnedIds } = useTranscript();
  return row !== null && pinnedIds.has(row.id);
}
