import { useMemo, useRef, useState, type RefObject } from 'react';
import type { Virtualizer } from '@tanstack/react-virtual';
import { heightSums, isTooTall, isWellInside, STRETCH_PX, stretchAround } from './stretch';

interface StretchOptions<T> {
  items: readonly T[];
  /** The same functions each time. */
  keyOf: (item: T) => string;
  /** Height of an item that was not measured. */
  estimate: (item: T) => number;
  /** The item around which it begins; null: at the end. */
  startsAt?: string | null;
  /** Heights that are known before the list has measured any, by key. */
  known?: ReadonlyMap<unknown, number>;
}

interface StretchOf<T> {
  /** The items that are laid out; all of them, unless that would be too tall. */
  items: readonly T[];
  /** How many stand before the first of these. */
  from: number;
  /** Whether the end of the list is laid out. The same function each time. */
  hasEnd: () => boolean;
  /** Pixels of the stretch that are above an item of the whole list. */
  above: (index: number) => number;
  /**
   * Does something with an item of the whole list once it is laid out, with room around it; null: the end. At once where it is. It is
   * told the item's place in the stretch. The same function each time, for effects and events.
   */
  at: (index: number | null, act: (place: number) => void) => void;
  /** To be called in a layout effect after each render of the list: moves the stretch on where the reader nears its edge. */
  settle: (list: Virtualizer<HTMLDivElement, HTMLDivElement>) => void;
}

/**
 * The part of a list that is laid out (TS15). Where it moves, the list keeps the row under the reader where it is, as it does
 * when rows come in above.
 */
export function useStretch<T>({ items, keyOf, estimate, startsAt = null, known }: StretchOptions<T>): StretchOf<T> {
  const [turn, setTurn] = useState({});
  const waiting = useRef<{ turn: object; key: string | null; act: (place: number) => void }>(undefined);
  /** The item at which the reader is, or is about to be; null: the end. */
  const reader = useRef(startsAt);
  const heights: RefObject<ReadonlyMap<unknown, number> | undefined> = useRef(known);

  const layout = useMemo(() => {
    const { current: around } = reader;
    const found = around === null ? -1 : items.findIndex((item) => keyOf(item) === around);
    const sums = heightSums(items.length, (index) => {
      const item = items[index] as T;
      return heights.current?.get(keyOf(item)) ?? estimate(item);
    });
    const { from, to } = stretchAround(sums, found < 0 ? null : found);
    const shown = to - from === items.length ? items : items.slice(from, to);
    return { around, sums, from, to, shown };
    // oxlint-disable-next-line react/exhaustive-deps -- `turn` is what moves it
  }, [items, keyOf, estimate, turn]);
  const { around, sums, from, to, shown } = layout;

  const now = { items, keyOf, layout };
  const latest = useRef(now);

  function move(key: string | null): object {
    const next = {};
    reader.current = key;
    waiting.current = undefined;
    setTurn(next);
    return next;
  }

  const hasEnd = useState(() => () => latest.current.layout.to === latest.current.items.length)[0];
  const at = useState(() => (index: number | null, act: (place: number) => void): void => {
    const { items: all, keyOf: keyIn, layout: drawn } = latest.current;
    const item = index === null ? undefined : all[index];
    const key = item === undefined ? null : keyIn(item);
    const isThere = index === null ? hasEnd() : isWellInside(drawn.sums, drawn, index, index);
    if (!isThere) return void (waiting.current = { turn: move(key), key, act });
    reader.current = key;
    act((index ?? all.length - 1) - drawn.from);
  })[0];

  return {
    items: shown,
    from,
    hasEnd,
    above: (index) => (sums[index] ?? 0) - (sums[from] ?? 0),
    at,
    settle(list) {
      latest.current = now;
      heights.current = list.itemSizeCache;
      if (waiting.current?.turn === turn) {
        const { key, act } = waiting.current;
        waiting.current = undefined;
        const place = key === null ? shown.length - 1 : shown.findIndex((item) => keyOf(item) === key);
        return place < 0 ? undefined : act(place);
      }
      const total = list.getTotalSize();
      const { range, scrollElement, scrollOffset } = list;
      if (total < STRETCH_PX / 2 && to - from === items.length) return;
      // Where it was just scrolled, the list has not heard of it: what it has drawn is not where the reader is.
      if (!range || !scrollElement || Math.abs(scrollElement.scrollTop - (scrollOffset ?? 0)) > 1.5) return;
      const first = shown[range.startIndex];
      const isEnd = to === items.length && range.endIndex >= shown.length - 1;
      reader.current = isEnd || first === undefined ? null : keyOf(first);
      const isClear = isWellInside(sums, layout, from + range.startIndex, from + range.endIndex);
      if ((!isClear || isTooTall(total)) && reader.current !== around) move(reader.current);
    },
  };
}
