import { Columns2, Maximize2, Minimize2, X } from 'lucide-react';
import { useKeys } from '../../parts/action-button';
import { useApp, useUi } from '../../state/hooks';
import { cx, IconButton } from '../../ui';
import styles from './graph.module.css';

interface HeadButtonsProps {
  /** What takes the whole window. */
  what: 'Graph' | 'Branches';
  /** Null: the bar above the transcript is to be seen, and closes it. */
  onClose: (() => void) | null;
}

/** At the end of both heads of the pane: the transcript beside the canvas, the whole window, and the end of it. */
export function HeadButtons({ what, onClose }: HeadButtonsProps) {
  const app = useApp();
  const { graphFull: isFull, graphSplit: isSplit } = useUi((ui) => ui.layout);
  const keys = useKeys('view.graph');
  return (
    <>
      {isFull && (
        <button
          type="button"
          className={cx(styles.chip, isSplit && styles.chipOn)}
          aria-pressed={isSplit}
          title="The transcript beside the canvas"
          onClick={() => app.setLayout({ graphSplit: !isSplit })}
        >
          <Columns2 size={13} aria-hidden /> Split
        </button>
      )}
      <IconButton
        size="small"
        label={isFull ? 'Back beside the transcript' : `${what} in the whole window`}
        onClick={() => app.setLayout({ graphFull: !isFull })}
      >
        {isFull ? <Minimize2 size={13} /> : <Maximize2 size={13} />}
      </IconButton>
      {onClose && (
        <IconButton size="small" label="Close the graph" shortcut={keys} onClick={onClose}>
          <X size={14} />
        </IconButton>
      )}
    </>
  );
}
