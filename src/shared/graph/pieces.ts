/** Entries or nodes that are looked at between two rests: a few milliseconds. */
export const GRAPH_PIECE = 3_000;

/** Goes through all of it and rests after every `piece` of them. */
export function* everyNth<T>(piece: number, items: Iterable<T>, each?: (item: T) => void): Generator<void, void> {
  let left = piece;
  for (const item of items) {
    each?.(item);
    if (--left > 0) continue;
    left = piece;
    yield;
  }
}

/**
 * A list of one value, without holes: what is set at its end first stays as fast as what is set in order. `Array.from` takes ten times as
 * long, and each move of HEAD makes a dozen of them.
 */
export function filled(count: number, value: number): number[] {
  const list: number[] = [];
  for (let at = 0; at < count; at++) list.push(value);
  return list;
}

/** Place of the first item that does not stand before what is looked for; the list is in order. O(log). */
export function firstFrom<T>(list: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
