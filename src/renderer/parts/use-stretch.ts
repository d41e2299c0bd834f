import { type RefObject, useMemo, useRef, useState } from 'react';
import type { Virtualizer } from '@tanstack/react-virtual';

/** Which part of a list is laid out, where all of it would be taller than a browser can draw (TS15). */

/** Neighbouring items of a list, by their places in it; `to` is the first that no longer belongs to it. */
interface Stretch {
  from: number;
  to: number;
}

/**
 * Pixels of a stretch. Chromium's elements end at 2^25, without a word. Heights that are not measured are estimates, and a list is
 * moved on before what was measured makes it twice as tall (`isTooTall`).
 */
export const STRETCH_PX = 8_000_000;
/** Items of a stretch, however low: whatever is measured, the list goes through all that is laid out. */
export const STRETCH_ITEMS = 20_000;
/** Nearer than this to an end of the stretch that is none of the list, the stretch moves on. */
export const EDGE_PX = STRETCH_PX / 8;
const EDGE_ITEMS = STRETCH_ITEMS / 8;

/** So many pixels stand above each place of a list, and last above its end. O(items). */
export function heightSums(count: number, heightOf: (index: number) => number): Float64Array {
  const sums = new Float64Array(count + 1);
  for (let at = 0; at < count; at++) sums[at + 1] = (sums[at] ?? 0) + heightOf(at);
  return sums;
}

/** The stretch with an item in its middle, or as near to it as the ends of the list let; null: the end. O(log items). */
export function stretchAround(sums: Float64Array, item: number | null): Stretch {
  const count = sums.length - 1;
  const total = sums[count] ?? 0;
  const middle = item === null ? total : (sums[item] ?? total);
  const start = windowStart(middle, STRETCH_PX, total);
  // The last items may be 0 px tall: they stand as high as the end itself.
  const isAtEnd = start >= total - STRETCH_PX;
  const first = windowStart(item ?? count, STRETCH_ITEMS, count);
  return {
    from: Math.max(firstAt(sums, start), first),
    to: Math.min(isAtEnd ? count : firstAt(sums, start + STRETCH_PX), first + STRETCH_ITEMS),
  };
}

/** Whether these items, the first and the last of some, stand clear of both ends of the stretch or those are the list's own. */
export function isWellInside(sums: Float64Array, { from, to }: Stretch, first: number, last: number): boolean {
  const at = (place: number): number => sums[Math.min(Math.max(0, place), sums.length - 1)] ?? 0;
  if (first < from || last >= to) return false;
  const isFar = (a: number, b: number): boolean => at(b) - at(a) >= EDGE_PX || b - a >= EDGE_ITEMS;
  return (from === 0 || isFar(from, first)) && (to === sums.length - 1 || isFar(last + 1, to));
}

function isTooTall(px: number): boolean {
  return px > 2 * STRETCH_PX;
}

/** Where a window of a length begins with this in its middle, or as near to it as both ends let. */
function windowStart(middle: number, length: number, total: number): number {
  return Math.max(0, Math.min(middle - length / 2, total - length));
}

/** The first place with at least so many pixels above it. */
function firstAt(sums: Float64Array, px: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < px) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
