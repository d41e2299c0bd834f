import type { PathRow, RowKind } from '@shared/ipc/types';
import { OPAQUE_TYPE } from '@shared/session/opaque';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';

/** Rows of one chunk that crosses to the window. */
const CHUNK_ROWS = 500;

// Maps: a foreign type or role may be called `constructor`.
const KIND_BY_TYPE = new Map<string, RowKind>(
  Object.entries({
    compaction: 'compaction',
    branch_summary: 'branchSummary',
    custom_message: 'custom',
    model_change: 'modelChange',
    thinking_level_change: 'thinkingChange',
    [OPAQUE_TYPE]: 'opaque',
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

/** The row of one entry as the transcript needs it before its body is loaded; null for side records, which are no rows. */
export function rowOf(tree: SessionTree, id: string): PathRow | null {
  const node = tree.node(id);
  if (!node || node.facts.side) return null;
  const { index, count } = tree.siblings(id);
  return toRow(node, index, count, false);
}

/** What rows say beside their entries. */
export interface RowMarks {
  /** The model no longer sees it: a compaction stands for it. */
  isSummarised: (node: TreeNode) => boolean;
  /** The model sees a note in its place. */
  isPruned: (node: TreeNode) => boolean;
  /** Compactions that were taken back on the path, oldest first. */
  undone: readonly TreeNode[];
}

/** All rows of the active path, root first, with a row where a compaction was taken back. O(path). */
export function pathRows(tree: SessionTree, { isSummarised, isPruned, undone }: RowMarks): PathRow[] {
  const rows: PathRow[] = [];
  let next = 0;
  const addUndone = (parent: TreeNode | null): void => {
    for (let at = undone[next]; at && at.parent === parent; at = undone[++next]) {
      rows.push({ id: at.id, seq: at.seq, kind: 'undone', tokens: 0 });
    }
  };
  addUndone(null);
  for (const { node, siblingIndex, siblingCount } of tree.rows()) {
    const row = toRow(node, siblingIndex, siblingCount, isSummarised(node));
    rows.push(isPruned(node) ? { ...row, pruned: true } : row);
    addUndone(node);
  }
  return rows;
}

/** Rows before index `before`, newest chunk first, each chunk in path order (contract `session.rows`). */
export function* olderRows(rows: readonly PathRow[], before: number): Generator<PathRow[]> {
  for (let end = Math.min(before, rows.length); end > 0; end -= CHUNK_ROWS) {
    yield rows.slice(Math.max(0, end - CHUNK_ROWS), end);
  }
}

function toRow({ facts, seq }: TreeNode, siblingIndex: number, siblingCount: number, summarised: boolean): PathRow {
  const row: PathRow = { id: facts.id, seq, kind: rowKindOf(facts), tokens: facts.raw };
  if (siblingCount > 1) Object.assign(row, { siblingIndex, siblingCount });
  if (summarised) row.summarised = true;
  if (facts.answers !== undefined) row.callId = facts.answers;
  return row;
}

/** What an entry is for lists of rows. */
export function rowKindOf({ type, role, customType }: TreeNode['facts']): RowKind {
  if (customType === 'espalier.prune') return 'prune';
  if (type === 'message') return KIND_BY_ROLE.get(role ?? '') ?? 'other';
  return KIND_BY_TYPE.get(type) ?? 'other';
}
