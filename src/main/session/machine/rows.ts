import { isRecord } from '@shared/checks';
import { shownCallId, shownName } from '@shared/cut-text';
import { isFileChange } from '@shared/compaction/file-activity';
import { MAX_ID_LENGTH } from '@shared/record-limits';
import { beyondPage, PAGE_ROWS, type Row, type RowKind } from '@shared/session-state/state';
import { OPAQUE_TYPE } from '@shared/session/records/entry';
import { askedBy, isVersion } from '@shared/session/records/facts';
import type { TreeNode } from '@shared/session/records/tree-node';
import { pathIdAt, secondPlaces } from '@shared/session/tree/destination';
import type { SessionTree } from '@shared/session/tree/tree';

/** Rows of one chunk that crosses to the window. */
const CHUNK_PATH_ROWS = 500;
const CHUNK_GRAPH_ROWS = 2000;

// Maps: a foreign type or role may be called `constructor`.
const KIND_BY_TYPE = new Map<string, RowKind>(
  Object.entries({
    compaction: 'compaction',
    branch_summary: 'branchSummary',
    custom_message: 'custom',
    model_change: 'modelChange',
    thinking_level_change: 'thinkingChange',
    [OPAQUE_TYPE]: 'opaque',
    custom: 'silent',
    label: 'silent',
    session_info: 'silent',
    context_edit: 'silent',
    reset_boundary: 'silent',
  }),
);
const KIND_BY_ROLE = new Map<string, RowKind>(
  Object.entries({
    user: 'user',
    assistant: 'assistant',
    toolResult: 'toolResult',
    bashExecution: 'bash',
    custom: 'custom',
    hookMessage: 'custom',
  }),
);

/** What an entry is for lists of rows. */
export function rowKindOf({ type, role, customType }: TreeNode['facts']): RowKind {
  if (customType === 'espalier.prune') return 'prune';
  if (customType === 'espalier.reference') return 'reference';
  if (type === 'message') return KIND_BY_ROLE.get(role ?? '') ?? 'unknown';
  return KIND_BY_TYPE.get(type) ?? 'unknown';
}

/** The row of a path entry, wherever it stands. */
export function rowOf(tree: SessionTree, node: TreeNode): Row {
  const { facts, seq, parent } = node;
  const row: Row = {
    id: facts.id,
    parentId: pathIdAt(parent),
    seq,
    kind: rowKindOf(facts),
    time: tree.writtenAt(node),
    tokens: facts.raw,
  };
  if (facts.silent) row.silent = true;
  if (facts.mute) row.mute = true;
  if (facts.answers !== undefined) row.callId = shownCallId(facts.answers);
  if (facts.reply?.stopReason === 'error') row.failed = true;
  if (facts.reply?.stopReason === 'aborted') row.stopped = true;
  if (facts.answers !== undefined && isFileChange(facts)) {
    row.changed = true;
    const file = fileOf(facts.answers, parent);
    if (file !== '') row.file = file;
  }
  if (facts.toolName) row.tool = shownName(facts.toolName);
  if (facts.ended) row.ended = facts.ended;
  const cost = tree.costOf(node);
  if (cost > 0) row.cost = cost;
  else addUnpriced(row, tree, node);
  if (facts.type === 'branch_summary') addOrigin(row, node.body);
  const branchId = tree.branchOf(facts.id);
  if (branchId !== undefined) row.branchId = branchId.length <= MAX_ID_LENGTH ? branchId : facts.id;
  return row;
}

/** Entries above a result among which its call is looked for: the other results of its reply stand between. */
const MOST_ABOVE = 200;

/** The file that a call named; empty if it is not found. */
function fileOf(callId: string, parent: TreeNode | null): string {
  for (let at = parent, left = MOST_ABOVE; at && left > 0; at = at.parent, left--) {
    const place = at.facts.calls?.indexOf(callId) ?? -1;
    if (place >= 0) return at.facts.paths?.[place] ?? '';
  }
  return '';
}

/** Characters of a provider's id, which a foreign file may have any number of. */
const MOST_OF_PROVIDER = 100;

function addUnpriced(row: Row, tree: SessionTree, { facts, body }: TreeNode): void {
  const provider = tree.isCopy(facts.id) ? '' : askedBy(facts, body);
  if (provider !== '') row.unpriced = provider.slice(0, MOST_OF_PROVIDER);
}

function addOrigin(row: Row, entry: TreeNode['body']): void {
  const { fromId, details } = (entry ?? {}) as { fromId?: unknown; details?: unknown };
  if (typeof fromId === 'string' && fromId.length <= MAX_ID_LENGTH) row.fromId = fromId;
  if (isRecord(details) && isRecord(details.espalier) && details.espalier.broughtOver === true) row.broughtOver = true;
}

/** `rowOf` with its place among its versions. O(entries beside it). */
export function pathRowOf(tree: SessionTree, node: TreeNode): Row {
  const row = rowOf(tree, node);
  if (node.parent?.children.length === 1 && isVersion(node.parent.facts)) return row;
  const { index: siblingIndex, count: siblingCount } = tree.siblings(node.id);
  return siblingCount > 1 ? { ...row, siblingIndex, siblingCount } : row;
}

/**
 * What rows of a path stand for, oldest first: its entries, the compactions that were taken back on it (`undone`), and the records
 * with a taken id (`Seconds`).
 */
export interface RowNodes {
  nodes: TreeNode[];
  undone: ReadonlySet<TreeNode>;
}

/** @param undone oldest first. O(path) */
export function rowNodesTo(tree: SessionTree, leafId: string | null, undone: readonly TreeNode[]): RowNodes {
  const steps = rowNodesInSteps(tree, leafId, undone);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Entries that are gone through in one go: a few milliseconds. */
const STEP = 4_000;

/** The same in steps between which other work may go on: what stands above an entry never changes. */
export function* rowNodesInSteps(
  tree: SessionTree,
  leafId: string | null,
  undone: readonly TreeNode[],
): Generator<undefined, RowNodes, void> {
  const nodes: TreeNode[] = [];
  let next = 0;
  const addUndone = (parent: TreeNode | null): void => {
    for (let at = undone[next]; at && at.parent === parent; at = undone[++next]) nodes.push(at);
  };
  const seconds = secondPlaces(tree);
  for (const second of seconds.get(null) ?? []) nodes.push(second);
  addUndone(null);
  const hasMore = seconds.size + undone.length > 0;
  for (const [at, node] of (yield* pathInSteps(tree, leafId)).entries()) {
    if (at % STEP === STEP - 1) yield;
    if (!node.facts.side) nodes.push(node);
    if (!hasMore) continue;
    for (const second of seconds.get(node.id) ?? []) nodes.push(second);
    addUndone(node);
  }
  return { nodes, undone: new Set(undone) };
}

/** The path to an entry, from the root, with what is known of each of its entries. */
function* pathInSteps(tree: SessionTree, leafId: string | null): Generator<undefined, TreeNode[], void> {
  const path: TreeNode[] = [];
  const leaf = leafId === null ? null : (tree.node(leafId) ?? null);
  for (let node = leaf; node; node = node.parent) {
    path.push(node);
    if (path.length % STEP === 0) yield;
  }
  path.reverse();
  // Asked of the last one alone, it would be worked out for all above it at once.
  for (let at = STEP; at < path.length; at += STEP) {
    tree.stateOf(path[at] as TreeNode);
    yield;
  }
  if (leaf) tree.stateOf(leaf);
  return path;
}

/** How many of the first rows two paths have in common. O(path). */
export function sharedRows(a: RowNodes, b: RowNodes): number {
  const isSame = (at: number): boolean => {
    const node = a.nodes[at];
    return node !== undefined && node === b.nodes[at] && a.undone.has(node) === b.undone.has(node);
  };
  let at = 0;
  while (isSame(at)) at++;
  return at;
}

/** Rows of a path from one place to before another, in path order. */
export function rowsBetween(tree: SessionTree, { nodes, undone }: RowNodes, from: number, to: number): Row[] {
  return nodes
    .slice(from, to)
    .map((node) =>
      undone.has(node) ? { ...rowOf(tree, node), kind: 'undone' as const, tokens: 0 } : pathRowOf(tree, node),
    );
}

/** The newest page of a path (EV9), and how many rows are older. */
export function newestPage(tree: SessionTree, path: RowNodes): { rows: Row[]; rowsBefore: number } {
  const { length } = path.nodes;
  const from = Math.max(0, length - PAGE_ROWS);
  const rows = rowsBetween(tree, path, from, length);
  const beyond = beyondPage(rows);
  return { rows: rows.slice(beyond), rowsBefore: from + beyond };
}

/** Rows before index `before`, newest chunk first, each chunk in path order (contract `session.rows`). */
export function* olderRows(tree: SessionTree, path: RowNodes, before: number): Generator<Row[]> {
  for (let end = Math.min(before, path.nodes.length); end > 0; end -= CHUNK_PATH_ROWS) {
    yield rowsBetween(tree, path, Math.max(0, end - CHUNK_PATH_ROWS), end);
  }
}

/** Rows of all branches from line `fromSeq` on, in file order (contract `session.graph`). */
export function* graphRows(tree: SessionTree, fromSeq: number): Generator<Row[]> {
  let chunk: Row[] = [];
  for (const node of tree.entriesInOrder()) {
    if (node.seq < fromSeq || node.facts.side) continue;
    chunk.push(rowOf(tree, node));
    if (chunk.length < CHUNK_GRAPH_ROWS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
