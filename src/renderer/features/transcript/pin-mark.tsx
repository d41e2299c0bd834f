import { Pin } from 'lucide-react';
import { unpin } from '../../actions/pins';
import { useApp } from '../../state/hooks';
import { useTranscript } from './context';
import styles from './prompt.module.css';
import type { Row } from '@shared/session-state/state';

/** On the gutter of a pinned message: that it is, and the way to let go of it (PN6). */
export function PinMark({ row: { id } }: { row: Row }) {
  const app = useApp();
  const { session, pinnedIds } = useTranscript();
  if (!pinnedIds.has(id)) return null;
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

/** The same in words, beside who said it. */
export function PinWord({ row }: { row: Row | null }) {
  const { pinnedIds } = useTranscript();
  return row && pinnedIds.has(row.id) ? <span>pinned</span> : null;
}
