import { setImmediate as breathe } from 'node:timers/promises';
import type { PathHead } from '@shared/ipc/tree-types';
import { PAGE_ROWS, type Row } from '@shared/session-state/state';
import { EntryNotFoundError } from '@shared/session/records/entry';
import type { TreeNode } from '@shared/session/records/tree-node';
import { newestLeafInSteps, pathIdAt } from '@shared/session/tree/destination';
import { undoneOn } from '@shared/session/tree/rebase';
import type { SessionTree } from '@shared/session/tree/tree';
import type { SessionLog } from '../../ports';
import { rowKindOf, rowNodesInSteps, type RowNodes, rowsBetween } from '../machine/rows';
import { firstOfThem } from '../machine/session-keeper';

/** Rows of the first page that stand above the entry that is read; the others stand below it. */
const PAGE_ABOVE = 60;
/** Rows around the entry whose lines come with the first page, so that it is drawn without another request. */
const LINES_ABOVE = 4;
const LINES_BELOW = 16;
/** Rows of a later chunk. */
const CHUNK_ROWS = 500;

/** A piece of a path: what is said of all of it, the page around the entry; then rows behind that page, in order; then those before it, newest chunk first. */
interface PathChunk {
  head?: PathHead;
  rows: Row[];
  /** They follow the last row that came; else they precede the first. */
  isNewer?: true;
}

/**
 * The rows of the path through an entry, and through `endId` behind it, to where that branch was left (GR12), which nothing in the session is moved for: of HEAD's own
 * path the head alone. What is appended, moved or compacted meanwhile changes no row of it. Main is never blocked for long: what takes
 * O(path) is done piece by piece.
 * @throws EntryNotFoundError
 */
export async function* readPath(log: SessionLog, entryId: string, endId?: string): AsyncGenerator<PathChunk> {
  const { tree } = log;
  const asked = nodeOf(tree, entryId);
  const isHeads = (): boolean => tree.commonAncestor(asked.id, tree.leafId) === asked.id;
  const headsOwn = (): PathChunk => ({ head: { ...HEADS_OWN, entryId: asked.id, leafId: tree.leafId }, rows: [] });
  if (isHeads()) return void (yield headsOwn());
  const leaf = await inSteps(newestLeafInSteps(tree, behind(tree, asked, endId)));
  // Its states are known then.
  const bare = await inSteps(rowNodesInSteps(tree, leaf.id, []));
  const undone = undoneOn(tree, leaf.id).map(({ compaction }) => compaction);
  const path = undone.length > 0 ? await inSteps(rowNodesInSteps(tree, leaf.id, undone)) : bare;
  // The session may have gone there meanwhile.
  if (isHeads()) return void (yield headsOwn());
  const { nodes } = path;
  const { length } = nodes;
  const at = nodes.lastIndexOf(asked);
  const from = Math.max(0, Math.min(at - PAGE_ABOVE, length - PAGE_ROWS));
  const to = Math.min(length, from + PAGE_ROWS);
  const said = await inSteps(headInSteps(tree, path, leaf));
  // What is read comes first, whatever is said above it.
  const near = [...nodes.slice(at, at + LINES_BELOW), ...nodes.slice(Math.max(0, at - LINES_ABOVE), at).reverse()];
  const lines = firstOfThem(await log.linesOf(near.map(({ id }) => id)));
  const head = { ...said, entryId: asked.id, leafId: leaf.id, isHead: false, rowsBefore: from, rowsAfter: length - to };
  yield { head: { ...head, lines }, rows: rowsBetween(tree, path, from, to) };
  for (let next = to; next < length; next += CHUNK_ROWS)
    yield { rows: rowsBetween(tree, path, next, Math.min(length, next + CHUNK_ROWS)), isNewer: true };
  for (let end = from; end > 0; end -= CHUNK_ROWS)
    yield { rows: rowsBetween(tree, path, Math.max(0, end - CHUNK_ROWS), end) };
}

/** Lets others have their turn between the steps of a piece of work. */
async function inSteps<T>(steps: Generator<undefined, T, void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breathe();
  }
}

const HEADS_OWN: Omit<PathHead, 'entryId' | 'leafId'> = {
  ...{ isHead: true, forkId: null, shared: 0, rowsBefore: 0, rowsAfter: 0, seenFrom: null },
  ...{ turns: 0, tokens: 0, leftAt: 0, firstId: null, sharedPromptId: null, lines: [] },
};

/** The path entry that an id names, or hangs at. */
function nodeOf(tree: SessionTree, entryId: string): TreeNode {
  const id = pathIdAt(tree.node(entryId) ?? null);
  const node = id === null ? undefined : tree.node(id);
  if (!node) throw new EntryNotFoundError(entryId);
  return node;
}

/** The node of `endId`, if it stands behind `asked`; else `asked`. */
function behind(tree: SessionTree, asked: TreeNode, endId: string | undefined): TreeNode {
  const end = endId === undefined ? undefined : tree.node(endId);
  return end && tree.commonAncestor(asked.id, end.id) === asked.id ? end : asked;
}

/** Rows that are counted in one go. */
const STEP = 10_000;

/** What is said of a path beside HEAD's. */
function* headInSteps(
  tree: SessionTree,
  { nodes }: RowNodes,
  leaf: TreeNode,
): Generator<undefined, Omit<PathHead, 'entryId' | 'leafId' | 'isHead' | 'rowsBefore' | 'rowsAfter' | 'lines'>, void> {
  const forkId = tree.commonAncestor(leaf.id, tree.leafId);
  const shared = lastIndex(nodes, nodes.length, ({ id }) => id === forkId) + 1;
  let [turns, tokens] = [0, 0];
  let firstId: string | null = null;
  for (let at = shared; at < nodes.length; at++) {
    if (at % STEP === 0) yield;
    const node = nodes[at] as TreeNode;
    tokens += node.facts.raw;
    // It may leave within a turn: another reply to a prompt that both have.
    if (!isPrompt(node) && (turns > 0 || node.facts.reply === undefined)) continue;
    turns += 1;
    firstId ??= node.id;
  }
  const sharedPromptId = nodes[lastIndex(nodes, shared, isPrompt)]?.id ?? null;
  return {
    forkId,
    shared,
    seenFrom: keptFrom(tree, leaf),
    turns,
    tokens,
    leftAt: leaf.timeMs,
    firstId,
    sharedPromptId,
  };
}

const isPrompt = ({ facts }: TreeNode): boolean => rowKindOf(facts) === 'user';

/** The last place before `end`; -1: there is none. */
function lastIndex(nodes: readonly TreeNode[], end: number, is: (node: TreeNode) => boolean): number {
  let at = end - 1;
  while (at >= 0 && !is(nodes[at] as TreeNode)) at--;
  return at;
}

/** From where on a request at a leaf has the messages themselves: behind its latest compaction. Null: from the beginning. */
function keptFrom(tree: SessionTree, leaf: TreeNode): string | null {
  const { compaction } = tree.stateOf(leaf);
  if (!compaction) return null;
  const { firstKeptEntryId } = (compaction.body ?? {}) as { firstKeptEntryId?: unknown };
  const kept = typeof firstKeptEntryId === 'string' ? tree.node(firstKeptEntryId) : undefined;
  const isAbove = kept !== undefined && tree.commonAncestor(kept.id, compaction.id) === kept.id;
  return isAbove ? kept.id : compaction.id;
}
