import { setImmediate as breathe } from 'node:timers/promises';
import type { PathHead } from '@shared/ipc/tree-types';
import { PAGE_ROWS, type Row } from '@shared/session-state/state';
import { EntryNotFoundError } from '@shared/session/records/entry';
import type { TreeNode } from '@shared/session/records/tree-node';
import { newestLeafInSteps, pathIdAt } from '@shared/session/tree/destination';
import { undoneOn } from '@shared/session/tree/rebase';
import type { SessionTree } from '@shared/session/tree/tree';
import type { SessionLog } from '../../ports';
import { rowKindOf, type RowNodes, rowNodesTo, rowsBetween } from '../machine/rows';
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
 * The rows of the path through an entry to where that branch was left (GR12), which nothing in the session is moved for: of HEAD's own
 * path the head alone. What is appended, moved or compacted meanwhile changes no row of it. Main is blocked for O(path) once.
 * @throws EntryNotFoundError
 */
export async function* readPath(log: SessionLog, entryId: string): AsyncGenerator<PathChunk> {
  const { tree } = log;
  const asked = nodeOf(tree, entryId);
  const leaf = await leafThrough(tree, asked);
  const forkId = tree.commonAncestor(leaf.id, tree.leafId);
  // The session may have gone there while its branch was looked through.
  if (forkId !== null && tree.commonAncestor(asked.id, forkId) === asked.id) {
    yield { head: { ...HEADS_OWN, entryId: asked.id, leafId: tree.leafId }, rows: [] };
    return;
  }
  const undone = undoneOn(tree, leaf.id).map(({ compaction }) => compaction);
  const path = rowNodesTo(tree, leaf.id, undone);
  const { length } = path.nodes;
  const at = path.nodes.lastIndexOf(asked);
  const from = Math.max(0, Math.min(at - PAGE_ABOVE, length - PAGE_ROWS));
  const to = Math.min(length, from + PAGE_ROWS);
  const around = path.nodes.slice(Math.max(0, at - LINES_ABOVE), at + LINES_BELOW).map(({ id }) => id);
  const above = Math.min(at, LINES_ABOVE);
  // What is read comes first, whatever is said above it.
  const lines = firstOfThem(await log.linesOf([...around.slice(above), ...around.slice(0, above).reverse()]));
  const head = { ...headOf(tree, path, leaf, forkId), entryId: asked.id, leafId: leaf.id, isHead: false, lines };
  yield { head: { ...head, rowsBefore: from, rowsAfter: length - to }, rows: rowsBetween(tree, path, from, to) };
  for (let next = to; next < length; next += CHUNK_ROWS)
    yield { rows: rowsBetween(tree, path, next, Math.min(length, next + CHUNK_ROWS)), isNewer: true };
  for (let end = from; end > 0; end -= CHUNK_ROWS)
    yield { rows: rowsBetween(tree, path, Math.max(0, end - CHUNK_ROWS), end) };
}

const HEADS_OWN: Omit<PathHead, 'entryId' | 'leafId'> = {
  ...{
    isHead: true,
    forkId: null,
    rowsBefore: 0,
    rowsAfter: 0,
    shared: 0,
    seenFrom: null,
    turns: 0,
    tokens: 0,
    leftAt: 0,
  },
  ...{ firstId: null, sharedPromptId: null, lines: [] },
};

/** The path entry that an id names, or hangs at. */
function nodeOf(tree: SessionTree, entryId: string): TreeNode {
  const node = tree.node(entryId);
  const id = pathIdAt(node ?? null);
  const onPath = id === null ? undefined : tree.node(id);
  if (!onPath) throw new EntryNotFoundError(entryId);
  return onPath;
}

/** Where the branch was left that an entry is on: HEAD, on its path. A branch of any size is looked through piece by piece. */
async function leafThrough(tree: SessionTree, node: TreeNode): Promise<TreeNode> {
  const head = tree.leafId === null ? undefined : tree.node(tree.leafId);
  if (head && tree.commonAncestor(node.id, head.id) === node.id) return head;
  const steps = newestLeafInSteps(tree, node);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breathe();
  }
}

/** What is said of a path beside HEAD's. O(path). */
function headOf(
  tree: SessionTree,
  { nodes }: RowNodes,
  leaf: TreeNode,
  forkId: string | null,
): Omit<PathHead, 'entryId' | 'leafId' | 'isHead' | 'rowsBefore' | 'rowsAfter' | 'lines'> {
  const shared = lastIndex(nodes, nodes.length, ({ id }) => id === forkId) + 1;
  const own = nodes.slice(shared);
  const isPrompt = ({ facts }: TreeNode): boolean => rowKindOf(facts) === 'user';
  const firstSaid = own.find((node) => isPrompt(node) || node.facts.reply !== undefined);
  const prompts = own.filter(isPrompt);
  // It may leave within a turn: another reply to a prompt that both have.
  const isWithin = firstSaid !== undefined && !isPrompt(firstSaid);
  return {
    ...{ forkId, shared, seenFrom: keptFrom(tree, leaf) },
    turns: prompts.length + (isWithin ? 1 : 0),
    tokens: own.reduce((sum, { facts }) => sum + facts.raw, 0),
    leftAt: leaf.timeMs,
    firstId: (isWithin ? firstSaid : prompts[0])?.id ?? null,
    sharedPromptId: nodes[lastIndex(nodes, shared, isPrompt)]?.id ?? null,
  };
}

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
