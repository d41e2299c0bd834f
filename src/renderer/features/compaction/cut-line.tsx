import { useEffect, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { ChevronsUpDown } from 'lucide-react';
import type { PreviewFigures } from '@shared/compaction/preview-figures';
import { formatTokens, plural } from '../../state/format';
import type { Drag } from '../../parts/use-drag';
import styles from './compaction.module.css';

/** Places of a Page key. */
const PAGE = 10;

interface CutLineProps {
  figures: PreviewFigures;
  cut: number;
  /** Pixels from the top of the list's content. */
  top: number;
  drag: Drag;
  onMove: (cut: number) => void;
}

/** The line between what is summarised and what stays: dragged, or moved by keyboard from one legal place to the next. */
export function CutLine({ figures, cut, top, drag, onMove }: CutLineProps) {
  const { cuts } = figures;
  const { messages, keptMessages, projected } = figures.at(cut);

  function onKeyDown(event: KeyboardEvent): void {
    const to = target(event.key);
    if (to === null) return;
    event.preventDefault();
    onMove(to);
  }

  function target(key: string): number | null {
    switch (key) {
      case 'ArrowDown':
      case 'ArrowRight':
        return figures.step(cut, 1);
      case 'ArrowUp':
      case 'ArrowLeft':
        return figures.step(cut, -1);
      case 'PageDown':
        return figures.step(cut, PAGE);
      case 'PageUp':
        return figures.step(cut, -PAGE);
      case 'Home':
        return cuts[0] ?? null;
      case 'End':
        return cuts.at(-1) ?? null;
      default:
        return null;
    }
  }

  // The keys move it as soon as the sheet is there.
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => line.current?.focus({ preventScroll: true }), []);
  const { onPointerDown, onPointerMove, onPointerUp } = drag;
  return (
    <div
      ref={line}
      className={styles.line}
      style={{ top }}
      role="slider"
      tabIndex={0}
      aria-label="Cut line"
      aria-orientation="vertical"
      aria-valuemin={cuts[0] ?? 0}
      aria-valuemax={cuts.at(-1) ?? 0}
      aria-valuenow={cut}
      aria-valuetext={`${plural(messages, 'message')} summarised, ${keptMessages} kept, about ${formatTokens(projected)} tokens after`}
      data-dragging={drag.isDragging || undefined}
      data-cut-line
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <span className={styles.pill} aria-hidden>
        <ChevronsUpDown size={11} /> cut here
      </span>
    </div>
  );
}
