import type { TreeNode } from './tree-node';

/** Forgets what is known of the paths through a node. Below a node without state nothing is known, so the walk ends there. */
export function forgetStates(node: TreeNode): void {
  const stack = [node];
  for (let at = stack.pop(); at; at = stack.pop()) {
    if (!at.state) continue;
    at.state = null;
    for (const child of at.children) stack.push(child);
  }
}

/** Root above a node; walked nodes remember it, so that all links of a file together cost O(entries). */
export function findRoot(start: TreeNode, hints: Map<TreeNode, TreeNode>): TreeNode {
  const trail: TreeNode[] = [];
  let node = start;
  for (let up = hints.get(node) ?? node.parent; up; up = hints.get(node) ?? node.parent) {
    trail.push(node);
    node = up;
  }
  for (const walked of trail) hints.set(walked, node);
  return node;
}

/** Notes on the way up that something below is shown. O(1) on average: nobody is noted twice. */
export function markShown(node: TreeNode | null): void {
  for (let at = node; at && !at.shows; at = at.parent) at.shows = true;
}
