import { type MouseEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Virtualizer } from '@tanstack/react-virtual';
import type { Place, SessionAnswer } from '@shared/search/types';
import type { TranscriptItem } from '../../state/group-rows';
import { useApp, useSession } from '../../state/hooks';
import styles from './search.module.css';

/** A mark and what is free below it: pixels of one row of marks. Hits that are nearer to each other are one mark. */
const MARK_PX = 4;
/** A press so far beside a mark is meant for it. */
const NEAR_PX = 8;

export interface HitMark {
  /** Of the rows of marks, from the top. */
  row: number;
  place: Place;
  /** Its first hit, by place in `answer.path`; -1 for branches. */
  hit: number;
  /** Where its branches leave; null: above all that is shown. */
  forkId: string | null;
  isHere: boolean;
}

/** What a mark of several places shows: where one is, then what the model has most of. */
const WEIGHT: Record<Place, number> = { kept: 3, summarized: 2, reduced: 1, branch: 0 };

interface MarkOptions {
  answer: Pick<SessionAnswer, 'path' | 'forks'>;
  /** The hit at which one is, by place in `answer.path`. */
  at: number;
  /** Where an entry begins in the list, 0 to 1; null: it is not laid out. */
  shareOf: (entryId: string) => number | null;
  /** Rows of marks that there is room for. */
  rows: number;
}

/** The marks of what was found, at most one a row, from the top (SE1). O(hits). */
export function marksOf({ answer, at, shareOf, rows }: MarkOptions): HitMark[] {
  const marks = new Map<number, HitMark>();
  const put = (share: number | null, mark: Omit<HitMark, 'row'>): void => {
    if (share === null || rows < 1) return;
    const row = Math.min(rows - 1, Math.max(0, Math.floor(share * rows)));
    const there = marks.get(row);
    if (there && (there.isHere || (!mark.isHere && WEIGHT[there.place] >= WEIGHT[mark.place]))) return;
    marks.set(row, { ...mark, row });
  };
  for (const [hit, { entryId, place }] of answer.path.entries())
    put(shareOf(entryId), { place, hit, forkId: null, isHere: hit === at });
  for (const { entryId } of answer.forks)
    put(entryId === null ? 0 : shareOf(entryId), { place: 'branch', hit: -1, forkId: entryId, isHere: false });
  return [...marks.values()].sort((a, b) => a.row - b.row);
}

/** The place of each wanted entry among the items that draw them. O(entries). */
function itemsOfHits(
  items: readonly TranscriptItem[],
  { path, forks }: Pick<SessionAnswer, 'path' | 'forks'>,
): Map<string, number> {
  const wanted = new Set<string>();
  for (const { entryId } of path) wanted.add(entryId);
  for (const { entryId } of forks) if (entryId !== null) wanted.add(entryId);
  const found = new Map<string, number>();
  const look = (id: string, index: number): void => {
    if (wanted.has(id)) found.set(id, index);
  };
  for (const [index, item] of items.entries()) {
    if ('rows' in item) for (const { id } of item.rows) look(id, index);
    else if (item.kind === 'cut') look(item.row.id, index);
    else if (item.kind === 'row') {
      const attempts = 'attempts' in item ? item.attempts : [];
      for (const { row, results } of [...attempts, item]) {
        look(row.id, index);
        for (const { id } of results.values()) look(id, index);
      }
    }
  }
  return found;
}

interface HitMarksProps {
  /** The items that are laid out. */
  items: readonly TranscriptItem[];
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>;
  scroller: RefObject<HTMLElement | null>;
}

/** Beside the scroll bar: where the hits of Find lie, told apart by what the model has of them. A press leads there (SE1). */
export function HitMarks(props: HitMarksProps) {
  const app = useApp();
  const { id } = useSession();
  const answer = useStore(app.find.state, (find) => (find.sessionId === id ? find.answer : null));
  return answer && answer.path.length + answer.forks.length > 0 ? <Marks answer={answer} {...props} /> : null;
}

function Marks({ answer, items, virtualizer, scroller }: HitMarksProps & { answer: SessionAnswer }) {
  const app = useApp();
  const { id: sessionId, reading } = useSession();
  const at = useStore(app.find.state, (find) => find.at);
  const track = useRef<HTMLDivElement>(null);
  const height = useHeights(scroller);
  const indexOf = useMemo(() => itemsOfHits(items, answer), [items, answer]);
  const rows = Math.floor((track.current?.clientHeight ?? scroller.current?.clientHeight ?? 0) / MARK_PX);
  const marks = useMemo(() => {
    const total = Math.max(1, height.total);
    const shareOf = (entryId: string): number | null => {
      const index = indexOf.get(entryId);
      const start = index === undefined ? undefined : virtualizer.measurementsCache[index]?.start;
      return start === undefined ? null : start / total;
    };
    return marksOf({ answer, at, shareOf, rows });
  }, [answer, at, height, indexOf, rows, virtualizer]);

  function onClick({ clientY, currentTarget }: MouseEvent<HTMLElement>): void {
    const y = clientY - currentTarget.getBoundingClientRect().top - MARK_PX / 2;
    let nearest: HitMark | undefined;
    const away = ({ row }: HitMark): number => Math.abs(row * MARK_PX - y);
    for (const mark of marks) if (!nearest || away(mark) < away(nearest)) nearest = mark;
    if (!nearest || away(nearest) > NEAR_PX) return;
    const { hit, forkId } = nearest;
    if (hit >= 0) app.find.go(hit);
    else if (forkId !== null) {
      const isRead = reading.state.getState().path !== null;
      app.ui.setState({ arrival: { sessionId, entryId: forkId, isRead } });
    }
  }

  return (
    // By key the hits are walked; whoever sees no marks misses nothing.
    <div
      ref={track}
      className={styles.marks}
      aria-hidden
      data-hit-marks
      // The keyboard stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      {marks.map(({ row, place, hit, isHere }) => (
        <i
          key={row}
          data-place={place === 'branch' && hit >= 0 ? 'read' : place}
          data-here={isHere || undefined}
          style={{ top: row * MARK_PX }}
        />
      ))}
    </div>
  );
}

/** Height of all that is laid out and of the list, told again once a frame while rows are measured. Pixels. */
function useHeights(scroller: RefObject<HTMLElement | null>): { total: number; seen: number } {
  const [height, setHeight] = useState({ total: 0, seen: 0 });
  useEffect(() => {
    const list = scroller.current;
    const content = list?.firstElementChild;
    if (!list || !content) return;
    const observer = new ResizeObserver(() => setHeight({ total: list.scrollHeight, seen: list.clientHeight }));
    observer.observe(list);
    observer.observe(content);
    return () => observer.disconnect();
  }, [scroller]);
  return height;
}
