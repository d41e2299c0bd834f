import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';

/** One line of the outline. Turns of one branch stand at one level; a branch stands one level below the turn it leaves. */
export interface OutlineRow {
  node: TurnNode;
  /** From 1. */
  level: number;
  /** The row of the turn that its branch leaves; -1 at the top. */
  parent: number;
  /** Branches leave here. */
  hasBranches: boolean;
  isOpen: boolean;
}

interface Frame {
  cell: TurnNode;
  level: number;
  parent: number;
}

/**
 * The graph as lines: a turn, then the branches that leave it, each whole, then what goes on in its own lane. Never
 * recursive. O(cells).
 */
export function outlineRows(graph: BranchGraph, closed: ReadonlySet<TurnNode>): OutlineRow[] {
  const { layout } = graph;
  const rows: OutlineRow[] = [];
  const stack: Frame[] = [...layout.tops].reverse().map((cell) => ({ cell, level: 1, parent: -1 }));
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    const { cell, level, parent } = frame;
    const below = layout.below(cell);
    const lane = layout.laneOf(cell);
    const straight =
      below.find((child) => layout.laneOf(child) === lane) ?? (below.length === 1 ? below[0] : undefined);
    const branches = below.filter((child) => child !== straight);
    const isOpen = !closed.has(cell);
    rows.push({ node: cell, level, parent, hasBranches: branches.length > 0, isOpen });
    if (straight) stack.push({ cell: straight, level, parent });
    if (!isOpen) continue;
    const here = rows.length - 1;
    for (let at = branches.length - 1; at >= 0; at--) {
      stack.push({ cell: branches[at] as TurnNode, level: level + 1, parent: here });
    }
  }
  return rows;
}
