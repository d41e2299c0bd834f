import { isShown } from './facts';
import type { TreeNode } from './tree-node';

/**
 * The versions of what an entry is: shown entries that follow the same shown entry, with nothing shown between. Choices of model or
 * level and side records in between are no versions and hide none, so that a question that was asked again with another model
 * stands beside the first one. In order; only the entry itself if it is not shown. O(entries between and beside).
 * @param roots of the tree, for what follows nothing
 * @param archived hidden branches, left out unless the entry is on one
 */
export function siblingsOf(
  node: TreeNode,
  roots: () => readonly TreeNode[],
  archived: ReadonlySet<string>,
): readonly TreeNode[] {
  if (!isShown(node.facts)) return [node];
  const own = new Set([node]);
  let top = node.parent;
  for (; top && !isShown(top.facts); top = top.parent) own.add(top);
  const open = [...(top ? top.children : roots())].reverse();
  const found: TreeNode[] = [];
  for (let at = open.pop(); at; at = open.pop()) {
    if (!at.shows || (archived.has(at.id) && !own.has(at))) continue;
    if (isShown(at.facts)) found.push(at);
    else open.push(...[...at.children].reverse());
  }
  return found;
}
