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
