import type { BranchGraph } from './branch-graph';
import { leaderOf } from './folds';
import type { TurnNode } from './turns';

/** One line of the outline. Turns of one branch stand at one level; a branch stands one level below the turn that it leaves. */
export interface OutlineRow {
  node: TurnNode;
  /** From 1, without limit. */
  level: number;
  /** The row of the turn that its branch leaves; -1 at the top. */
  parent: number;
  /** The first line of a branch. */
  isStart: boolean;
  /** Branches leave here. */
  hasBranches: boolean;
  isOpen: boolean;
  /** Its place among the lines of its level below one turn, from 1, and how many they are: all branches of a fork count. */
  position: number;
  of: number;
}

/** The turn whose line shows a turn: itself, the front of its stack, the first of its fold. O(1). */
export function lineOf(graph: BranchGraph, node: TurnNode): TurnNode {
  return leaderOf(graph.order.variants.frontOf(node), graph.folds, (one) => graph.isShown(one));
}

interface Frame {
  node: TurnNode;
  level: number;
  parent: number;
  isStart: boolean;
}

/**
 * The graph as lines, in the order of the rail (GR2): a turn, then the branches that leave it, each whole, the most recently active first,
 * then what goes on straight. What has no cell of its own (left out, folded, behind in a stack) passes on what hangs at it. Never
 * recursive. O(turns × log of the children).
 */
export function outlineRows(graph: BranchGraph, closed: ReadonlySet<TurnNode>): OutlineRow[] {
  const { order } = graph;
  const isShown = (node: TurnNode): boolean => graph.isShown(node);
  const rows: OutlineRow[] = [];
  const groups = new Map<number, OutlineRow[]>();
  const stack: Frame[] = [];
  const push = (node: TurnNode | null, level: number, parent: number, from: Frame | null): void => {
    const straight = order.straightChild(node);
    // What goes on from a line that is not there begins its branch in its place.
    if (straight)
      stack.push({
        node: straight,
        level: from?.level ?? level,
        parent: from?.parent ?? parent,
        isStart: from?.isStart ?? false,
      });
    const others = order.siblings(node);
    for (let at = others.length - 1; at >= 0; at--)
      stack.push({ node: others[at] as TurnNode, level, parent, isStart: true });
  };
  push(null, 1, -1, null);
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    const { node, level, parent, isStart } = frame;
    const isSeen = isShown(node);
    if (!isSeen || leaderOf(node, graph.folds, isShown) !== node) {
      push(node, isSeen ? level + 1 : level, isSeen ? rows.length - 1 : parent, {
        ...frame,
        isStart: isStart && !isSeen,
      });
      continue;
    }
    const here = rows.length;
    const hasBranches = order.siblings(node).length > 0;
    const isOpen = !closed.has(node);
    const group = groups.get(parent) ?? [];
    groups.set(parent, group);
    const row: OutlineRow = { node, level, parent, isStart, hasBranches, isOpen, position: group.length + 1, of: 0 };
    group.push(row);
    rows.push(row);
    if (isOpen) push(node, level + 1, here, { ...frame, isStart: false });
    else {
      const straight = order.straightChild(node);
      if (straight) stack.push({ node: straight, level, parent, isStart: false });
    }
  }
  for (const group of groups.values()) for (const row of group) row.of = group.length;
  return rows;
}
