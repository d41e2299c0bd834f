import { memo, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import type { Mark } from '@shared/policy/shell-words';
import { visibleSlice, visibleText } from '@shared/policy/visible-text';
import { cx, goesOnClass, lineEndClass, visibleClass, VisibleRuns } from '../../ui';
import { chargeFrame, hasRoom, inNextFrame } from '../markdown/frame-room';
import { DiffPiece, DiffRows } from '../transcript/diff-view';
import styles from './approvals.module.css';
import type { Chunk } from './reading';
import { linesOf, type Source } from './source';

/**
 * How many of the items are to be drawn: one after the other, as far as the frames have room.
 * @param items the same list as long as it is shown
 * @param atOnce drawn in the first frame
 */
export function useDrawn(items: readonly { ns: number }[], atOnce = 0): number {
  const [count, setCount] = useState(Math.min(atOnce, items.length));
  useEffect(() => {
    if (count >= items.length) return;
    let forget = (): void => undefined;
    const goOn = (): void => {
      let next = count;
      for (; hasRoom() && next < items.length; next += 1) chargeFrame(items[next]?.ns ?? 0);
      if (next > count) setCount(next);
      else forget = inNextFrame(goOn);
    };
    forget = inNextFrame(goOn);
    return () => forget();
  }, [items, count]);
  return count;
}

/** Tells that something is still to be drawn (1), and that it was or went (-1): before the browser could measure what is there. */
export function usePending(isPending: boolean, onPending: ((change: 1 | -1) => void) | undefined): void {
  useLayoutEffect(() => {
    if (!isPending || !onPending) return;
    onPending(1);
    return () => onPending(-1);
  }, [isPending, onPending]);
}

interface RowsProps {
  source: Source;
  chunks: readonly Chunk[];
  /** In order, without overlaps; offsets in the source. */
  marks: readonly Mark[];
  /** How many chunks are drawn in the first frame. */
  atOnce?: number;
  /** See `usePending`. */
  onPending?: (change: 1 | -1) => void;
}

/** Rows in visible form, chunk by chunk as far as the frames have room. */
export function PacedRows({ source, chunks, marks, atOnce, onPending }: RowsProps) {
  const count = useDrawn(chunks, atOnce);
  usePending(count < chunks.length, onPending);
  return chunks.slice(0, count).map((chunk) => <ChunkRows key={chunk.start.at} {...{ source, chunk, marks }} />);
}

const ChunkRows = memo(function ChunkRows({
  source,
  chunk,
  marks,
}: {
  source: Source;
  chunk: Chunk;
  marks: readonly Mark[];
}) {
  // prettier-ignore
  return chunk.line ? <PartOfLine {...{ source, chunk, marks }} /> : <WholeLines {...{ source, chunk, marks }} />;
});

interface ChunkProps {
  source: Source;
  chunk: Chunk;
  marks: readonly Mark[];
}

function WholeLines({ source, chunk, marks }: ChunkProps) {
  const lines = useMemo(() => [...linesOf(source, chunk.start, chunk.to)], [source, chunk]);
  const inside = useMemo(() => marksIn(marks, chunk), [marks, chunk]);
  const drawn = useMemo(() => {
    if (source.isDiff) return [];
    let at = chunk.start.at;
    const text = source.text.slice(at, chunk.to);
    return visibleText(text, source.place).lines.map((line) => {
      const start = at;
      const end = at + line.runs.reduce((sum, run) => sum + run.source.length, 0);
      at = end + 1;
      return { line, start, end };
    });
  }, [source, chunk]);
  if (source.isDiff) return <DiffRows lines={lines} />;
  return drawn.map(({ line, start, end }) => (
    <div key={start} className={cx(styles.line, visibleClass, isFollowed(source, end) && lineEndClass)} data-visible>
      <VisibleRuns line={line} marks={inside} start={start} place={source.place} />
    </div>
  ));
}

function PartOfLine({ source, chunk, marks }: ChunkProps) {
  const { start, to, line } = chunk;
  const whole = line ?? { kind: 'context' as const, from: start.at, to };
  const drawn = useMemo(
    () => visibleSlice(source.text.slice(whole.from, whole.to), start.at - whole.from, to - whole.from),
    [source, start, to, whole.from, whole.to],
  );
  const inside = useMemo(() => marksIn(marks, chunk), [marks, chunk]);
  const goesOn = to < whole.to;
  if (source.isDiff)
    return <DiffPiece kind={whole.kind} line={drawn} isBegun={start.at > whole.from} goesOn={goesOn} />;
  return (
    <div
      className={cx(styles.line, visibleClass, goesOn ? goesOnClass : isFollowed(source, to) && lineEndClass)}
      data-visible
      data-goes-on={goesOn || undefined}
    >
      <VisibleRuns line={drawn} marks={inside} start={start.at} place={source.place} />
    </div>
  );
}

/** In a command a line that ends at `end` must not look like one that wraps there: the next one is a command of its own (C1). */
function isFollowed({ place, text }: Source, end: number): boolean {
  return place === 'command' && end < text.length;
}

/** The marks that begin or go on in a chunk. */
function marksIn(marks: readonly Mark[], { start, to }: Chunk): Mark[] {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.to ?? 0) <= start.at) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while ((marks[end]?.from ?? Infinity) < to) end += 1;
  return marks.slice(low, end);
}
