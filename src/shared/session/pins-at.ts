import { outlineContext } from './context-plan';
import { PinFinder } from './pin-finder';
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

/**
 * The pinned messages that count at a leaf, in the order of the path: those of the path since the last reset, and those of the
 * branches that its summaries cover (PN2). What a view edit takes out of the context is not among them. O(path).
 * @param more entries that count as pinned besides
 */
export function pinsAt(tree: SessionTree, leafId: string | null, more: readonly string[] = []): PinAt[] {
  const pins = new Set([...tree.pins, ...more]);
  const outline = pins.size > 0 ? outlineContext(tree, leafId) : null;
  if (!outline) return [];
  const { compaction, boundary, state, edits, leaf } = outline;
  const { reset } = state;
  const finder = new PinFinder(tree, leaf, pins, edits);
  const before = compaction && (boundary ?? compaction).parent;
  const asPin = (node: TreeNode, isHidden: boolean): PinAt => {
    const isAside = !finder.isOnPath(node);
    return { node, isAside, isHidden: isHidden || isAside };
  };
  const hidden = compaction ? finder.between(before, reset, []) : [];
  const shown = finder.between(leaf, compaction ? before : reset, []);
  return [...hidden.map((node) => asPin(node, true)), ...shown.map((node) => asPin(node, false))];
}

/** Raw tokens of messages as pinned ones, with the block around them. O(nodes). */
export function rawOfPins(nodes: readonly TreeNode[]): number {
  return nodes.length === 0 ? 0 : nodes.reduce((sum, node) => sum + rawOfPin(node), weighPinned([]).raw);
}
