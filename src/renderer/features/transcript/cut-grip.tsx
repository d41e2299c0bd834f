import { ChevronsUpDown } from 'lucide-react';
import { act } from '../../actions/menus';
import { useApp } from '../../state/hooks';
import { useTranscript } from './context';
import styles from './cut.module.css';

/** Where the cut line is taken hold of: dragged down, or pressed, it asks what the Compact sheet asks (TS8). */
export function CutGrip({ isSeen }: { isSeen: boolean }) {
  const app = useApp();
  const { session, busy, dragCut } = useTranscript();
  if (busy) return null;
  return (
    <button
      type="button"
      className={styles.grip}
      data-seen={isSeen || undefined}
      data-cut-grip
      aria-label="Drag the cut line"
      title="Drag it down to summarise more"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        dragCut({ pointerId: event.pointerId, y: event.clientY });
      }}
      // By key: the sheet has the line as a slider. A press that did not move is no drag.
      onClick={() => act(app, 'session.compactSheet', session)}
    >
      <ChevronsUpDown size={11} aria-hidden /> Drag
    </button>
  );
}
