/** Which part of a list is laid out, where all of it would be taller than a browser can draw (TS15). Pure. */

/** Neighbouring items of a list, by their places in it; `to` is the first that no longer belongs to it. */
export interface Stretch {
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

export function isTooTall(px: number): boolean {
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
