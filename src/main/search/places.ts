import { PLACES, type Place } from '@shared/search/types';
import { planContext } from '@shared/session/context-plan';
import { seenFromOf } from '@shared/session/seen';
import type { SessionTree } from '@shared/session/tree';

const [KEPT, SUMMARIZED, BRANCH] = PLACES.keys();

/** By line of the file, where each entry stands for the model: a number of `PLACES`. O(entries). */
export function placesOf(tree: SessionTree): Uint8Array {
  const places = new Uint8Array(tree.lastSeq + 1).fill(BRANCH as number);
  const { seenFrom, repeated } = seenFromOf(tree, planContext(tree, tree.leafId));
  const inFull = new Set(repeated);
  let isCovered = seenFrom !== null;
  for (const { id, seq } of tree.pathTo(tree.leafId)) {
    if (id === seenFrom) isCovered = false;
    places[seq] = (isCovered && !inFull.has(id) ? SUMMARIZED : KEPT) as number;
  }
  return places;
}

/** What was added at the leaf since is seen word for word. */
export const placeAt = (places: Uint8Array, seq: number): Place => PLACES[places[seq] ?? 0] ?? 'kept';
