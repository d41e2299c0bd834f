import type { PlainItem, TreeNode } from './tree-node';
import type { ViewEdit } from './view-edits';

/** What a message of the context stands for. */
export type ProjectionKind = 'message' | 'summary' | 'pins' | 'branch';

/** One message of a context, without its body. Contexts share them. */
export interface PlanItem {
  /** The entry that emits it; of a pinned block the compaction or branch summary that it follows. */
  readonly sourceId: string;
  readonly kind: ProjectionKind;
  readonly node: TreeNode;
  readonly edit?: ViewEdit;
  /** Entries of a pinned block, in order. */
  readonly pinned?: readonly TreeNode[];
}

/** The item of a visible entry without view edits. Kept at its node: most items of a context are the same each time. */
export function plainItem(node: TreeNode): PlanItem {
  return (node.plainItem ??= makePlainItem(node));
}

function makePlainItem(node: TreeNode): PlainItem {
  const { id, type } = node.facts;
  return { sourceId: id, kind: type === 'branch_summary' ? 'branch' : 'message', node, edit: undefined };
}
