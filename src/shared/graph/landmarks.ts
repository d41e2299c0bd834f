import type { GraphOrder } from './order';
import { isMark, type TurnNode, type TurnTree } from './turns';

interface LandmarkRules {
  isShown(node: TurnNode): boolean;
  /** A label stands at it. */
  isLabelled(node: TurnNode): boolean;
}

/** Turns that a branch must have to be shown before a compaction is, and before a label is. */
const LIKE_A_COMPACTION = 8;
const LIKE_A_LABEL = 64;

const beginsBranch = (node: TurnNode, order: GraphOrder): boolean =>
  node.parent !== null && !order.isSameRun(node, node.parent);

/** Whether a chapter may begin at a turn: a branch does, or it is a mark or labelled; and it is placed. O(1). */
export function isLandmark(node: TurnNode, order: GraphOrder, rules: LandmarkRules): boolean {
  if (!isMark(node) && !beginsBranch(node, order) && !rules.isLabelled(node)) return false;
  return !order.variants.isBehind(node) && rules.isShown(node);
}

/**
 * Where chapters begin besides the top: branches, compactions, summaries, labels. Those that are to be seen first come first, the newer of
 * equals: what leaves a branch, or stands in it, comes after it, so that as many as there is room for are a tree by themselves. O(n log n).
 */
export function landmarksOf({ nodes }: TurnTree, order: GraphOrder, rules: LandmarkRules): TurnNode[] {
  const found: { node: TurnNode; weight: number; isBranch: boolean }[] = [];
  for (const node of nodes) {
    if (!isLandmark(node, order, rules)) continue;
    const isBranch = beginsBranch(node, order);
    const isLabelled = !isBranch && rules.isLabelled(node);
    const { first } = order.runOf(node);
    const most = first.parent === null ? Infinity : order.sizeOf(first);
    const like = isBranch ? Infinity : isLabelled ? LIKE_A_LABEL : LIKE_A_COMPACTION;
    found.push({ node, weight: Math.min(most, like), isBranch });
  }
  found.sort((a, b) => b.weight - a.weight || Number(b.isBranch) - Number(a.isBranch) || b.node.index - a.node.index);
  return found.map(({ node }) => node);
}
