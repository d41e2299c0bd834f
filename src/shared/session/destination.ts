import { EntryNotFoundError } from './errors';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';

/** Where going to an entry leads (BR1). */
export interface Destination {
  /** null: before the first entry. */
  leafId: string | null;
  /** The message whose text returns to the composer. */
  editorEntryId: string | null;
}

/**
 * The leaf that going to a target gives: what a person or an extension said is taken back to be said again, so its parent; anything else itself.
 * A side record stands for the entry that it hangs at.
 * @param exact the target itself becomes the leaf, whatever it is
 * @throws EntryNotFoundError
 */
export function destinationOf(tree: SessionTree, targetId: string | null, exact = false): Destination {
  if (targetId === null) return { leafId: null, editorEntryId: null };
  const target = tree.node(targetId);
  if (!target) throw new EntryNotFoundError(targetId);
  const isSaid = isSaidAgain(target);
  if (exact || !isSaid) return { leafId: pathIdAt(target), editorEntryId: null };
  return { leafId: pathIdAt(target.parent), editorEntryId: targetId };
}

/** Whether going to a target leads nowhere: it is the leaf, and nothing is taken back of it. @throws EntryNotFoundError */
export function isAlreadyAt(tree: SessionTree, targetId: string | null, exact = false): boolean {
  return targetId === tree.leafId && destinationOf(tree, targetId, exact).editorEntryId === null;
}

/** The nearest path entry at or above a node. */
export function pathIdAt(node: TreeNode | null): string | null {
  let at = node;
  while (at?.facts.side) at = at.parent;
  return at ? at.id : null;
}

function isSaidAgain({ facts: { type, role } }: TreeNode): boolean {
  return type === 'custom_message' || (type === 'message' && role === 'user');
}
