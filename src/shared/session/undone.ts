import type { UndoRecord } from './annotations';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';

/** A compaction that was taken back on a path and can be put in force again. */
export interface UndoneCompaction {
  compaction: TreeNode;
  record: UndoRecord;
}

/**
 * The compactions that were undone on the path down to a leaf and that no later one has made obsolete, oldest first: what they
 * stood for is in the context again. O(path) if anything was ever undone, else O(1).
 */
export function undoneOn(tree: SessionTree, leafId: string | null): UndoneCompaction[] {
  if (tree.undoRecords.length === 0) return [];
  const path = tree.pathTo(leafId);
  const latest = path.at(-1);
  const since = latest ? (tree.stateOf(latest).compaction?.depth ?? -1) : -1;
  const found = new Map<string, UndoneCompaction>();
  for (const record of tree.undoRecords) {
    const compaction = compactionOf(tree, record);
    if (!compaction) continue;
    const { parent } = compaction;
    const isHere = parent === null || (path[parent.depth] === parent && since <= parent.depth);
    // In force again on this path: it is the latest compaction or one before it.
    const isGone = path[depthOf(compaction)] !== compaction;
    if (isHere && isGone && (parent !== null || since < 0)) found.set(compaction.id, { compaction, record });
  }
  return [...found.values()].sort((a, b) => depthOf(a.compaction) - depthOf(b.compaction));
}

/** Known from the parent, whose state the path has set: that of the compaction itself may never have been asked for. */
function depthOf({ parent }: TreeNode): number {
  return parent ? parent.depth + 1 : 0;
}

function compactionOf(tree: SessionTree, { compactionId, leafId, fromLeafId }: UndoRecord): TreeNode | null {
  if (compactionId !== undefined) {
    const node = tree.node(compactionId);
    return node?.facts.type === 'compaction' ? node : null;
  }
  let node = fromLeafId === null ? null : (tree.node(fromLeafId) ?? null);
  while (node && (node.parent?.id ?? null) !== leafId) node = node.parent;
  return node?.facts.type === 'compaction' ? node : null;
}
