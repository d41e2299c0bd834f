import { pathIdAt } from './destination';
import type { Second } from './second';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';

/**
 * Second records (`Seconds`) by the path entry behind which they are shown, each list in file order; null: before the first.
 * O(second records).
 */
export function secondPlaces(tree: SessionTree): ReadonlyMap<string | null, readonly TreeNode[]> {
  const places = new Map<string | null, TreeNode[]>();
  for (const second of tree.seconds.all()) {
    const place = placeOf(tree, second);
    const list = places.get(place);
    if (list) list.push(second.node);
    else places.set(place, [second.node]);
  }
  return places;
}

/** Beside the first where both follow the same entry, else behind what it follows itself. */
function placeOf(tree: SessionTree, { id, parentId }: Second): string | null {
  const first = tree.node(id) ?? null;
  const parent = parentId === null || parentId === id ? null : (tree.node(parentId) ?? null);
  if (first && !first.facts.side && (parent === null || first.parent === parent)) return first.id;
  return pathIdAt(parent ?? first);
}
