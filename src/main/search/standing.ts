import { type Place, PLACES } from '@shared/search/types';
import { type ContextPlan, planContext, seenFromOf } from '@shared/session/context/context-plan';
import { EntryNotFoundError } from '@shared/session/records/entry';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { SessionTree } from '@shared/session/tree/tree';
import { isSearched, isUnsent } from './searched-entry';

const [KEPT, SUMMARIZED, BRANCH, REDUCED] = PLACES.keys();

export interface Standing {
  /** By line of the file, where each entry stands for the model: a number of `PLACES`. */
  places: Uint8Array;
  /**
   * Where other branches leave the path, in runs, for they stand together in the file: a line, and the line of the path's entry below which
   * all entries off the path from that line on stand (`NO_FORK`: there is none that is shown).
   */
  forks: Uint32Array;
}

/** Where the entries of a session stand (SE4). O(entries). */
export function standingOf(tree: SessionTree): Standing {
  const places = new Uint8Array(tree.lastSeq + 1).fill(BRANCH as number);
  const plan = planContext(tree, tree.leafId);
  const { seenFrom } = seenFromOf(tree, plan);
  const inFull = sentInFull(plan);
  const reset = plan.leaf ? tree.stateOf(plan.leaf).reset : null;
  let isCovered = seenFrom !== null;
  const path = tree.pathTo(tree.leafId);
  for (const { id, seq, depth, facts } of path) {
    if (id === seenFrom) isCovered = false;
    const isSummarized = isCovered && !isUnsent(facts) && !(reset && depth <= reset.depth);
    places[seq] = (inFull.has(id) ? KEPT : isSummarized ? SUMMARIZED : REDUCED) as number;
  }
  return { places, forks: forksOf(tree, path, (seq) => places[seq] === BRANCH) };
}

/** Entries whose words all reach the model. Where only images were left out, no word is. */
function sentInFull({ items }: ContextPlan): Set<string> {
  const ids = new Set<string>();
  for (const { node, edit, pinned } of items) {
    if (pinned) for (const { id } of pinned) ids.add(id);
    else if (!edit?.replacement && (!edit?.prune || edit.prune.mode === 'images')) ids.add(node.id);
  }
  return ids;
}

/** A path that is read beside HEAD's, as Find walks it (GR12). */
export interface ReadLines {
  /** By line of the file: 1 where its entry is on the path. */
  onPath: Uint8Array;
  /** Where all else leaves it (`forkAt`). */
  forks: Uint32Array;
}

/** The path to an entry. O(entries). @throws EntryNotFoundError */
export function readLinesOf(tree: SessionTree, leafId: string): ReadLines {
  if (!tree.has(leafId)) throw new EntryNotFoundError(leafId);
  const onPath = new Uint8Array(tree.lastSeq + 1);
  const path = tree.pathTo(leafId);
  for (const { seq } of path) onPath[seq] = 1;
  return { onPath, forks: forksOf(tree, path, (seq) => onPath[seq] === 0) };
}

const NO_FORK = 0xffff_ffff;
const UNKNOWN = NO_FORK - 1;

function forksOf(tree: SessionTree, path: readonly TreeNode[], isOff: (seq: number) => boolean): Uint32Array {
  const forks = new Uint32Array(tree.lastSeq + 1).fill(UNKNOWN);
  let last = NO_FORK;
  for (const { facts, seq } of path) {
    if (isSearched(facts)) last = seq;
    forks[seq] = last;
  }
  for (const node of tree.entriesInOrder()) {
    const above: number[] = [];
    let at: TreeNode | null = node;
    for (; at && forks[at.seq] === UNKNOWN; at = at.parent) above.push(at.seq);
    const fork = at ? (forks[at.seq] as number) : NO_FORK;
    for (const seq of above) forks[seq] = fork;
  }
  const runs: number[] = [];
  for (let seq = 0; seq < forks.length; seq++) {
    const fork = forks[seq] as number;
    if (fork !== UNKNOWN && isOff(seq) && runs.at(-1) !== fork) runs.push(seq, fork);
  }
  return Uint32Array.from(runs);
}

/** The line of the entry at which the branch of an entry leaves the path; null: it leaves above all that is shown. O(log runs). */
export function forkAt(forks: Uint32Array, seq: number): number | null {
  let low = 0;
  let high = forks.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((forks[2 * middle] as number) <= seq) low = middle + 1;
    else high = middle;
  }
  const fork = forks[2 * low - 1] ?? NO_FORK;
  return fork === NO_FORK ? null : fork;
}

/** What was added at the leaf since is seen word for word. */
export const placeAt = (places: Uint8Array, seq: number): Place => PLACES[places[seq] ?? 0] ?? 'kept';
