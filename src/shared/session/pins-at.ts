import { outlineContext } from './context-plan';
import { PinFinder } from './pinned';
import { rawOfPin, weighPinned } from './totals';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';

/** A pinned message that counts in a context. */
export interface PinAt {
  node: TreeNode;
  /** It stands in the block after a summary; else in its own place, as any message does. */
  isHidden: boolean;
  /** It is on a branch that a summary of the path covers. */
  isAside: boolean;
}

const NONE: ReadonlySet<TreeNode> = new Set();

/**
 * The pinned messages that count at a leaf, in the order of the path: those of the path since the last reset, and those of the
 * branches that its summaries cover (PN2). What a view edit takes out of the context is not among them. O(path).
 * @param more entries that count as pinned besides
 */
export function pinsAt(tree: SessionTree, leafId: string | null, more: readonly string[] = []): PinAt[] {
  const pins = new Set([...tree.pins, ...more]);
  const outline = pins.size > 0 ? outlineContext(tree, leafId) : null;
  if (!outline) return [];
  const { compaction, boundary, start, edits, leaf } = outline;
  const path = tree.pathTo(leaf.id);
  const seenFrom = compaction ? (boundary ?? compaction).depth : start;
  return new PinFinder(tree, path, pins, edits).inRange(start, path.length, NONE).map((node) => {
    const isAside = path[node.depth] !== node;
    return { node, isAside, isHidden: isAside || node.depth < seenFrom };
  });
}

/** Raw tokens of messages as pinned ones, with the block around them. O(nodes). */
export function rawOfPins(nodes: readonly TreeNode[]): number {
  return nodes.length === 0 ? 0 : nodes.reduce((sum, node) => sum + rawOfPin(node), weighPinned([]).raw);
}
