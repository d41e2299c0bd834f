import type { GraphOrder, Run } from './order';
import type { TurnNode, TurnTree } from './turns';

/** What of a graph is counted. */
interface Counted {
  readonly turns: TurnTree;
  readonly order: GraphOrder;
  readonly moves: number;
  readonly hasHiddenShown: boolean;
  isHidden(node: TurnNode): boolean;
}

/** How many branches leave each branch of a graph, and those that leave these: what its closed row says of them (GR7). */
export class NestedBranches {
  private counted = '';
  /** By index of a node: branches that begin below it. */
  private below: number[] = [];

  constructor(private readonly graph: Counted) {}

  /** Branches within one, without those that were put away. O(1), O(nodes) after something has moved. */
  in({ first }: Run): number {
    const { order, turns, moves } = this.graph;
    const now = `${order.version}.${turns.nodes.length}.${moves}`;
    if (this.counted !== now) this.count();
    this.counted = now;
    return this.below[first.index] ?? 0;
  }

  private count(): void {
    const { order, turns, hasHiddenShown } = this.graph;
    const below = turns.nodes.map(() => 0);
    // What is below a node stands behind it in the list.
    for (let at = turns.nodes.length - 1; at >= 0; at--) {
      const node = turns.nodes[at] as TurnNode;
      const isBranch = !order.isStraight(node) && !order.variants.isBehind(node);
      const isSeen = hasHiddenShown || !this.graph.isHidden(node);
      const above = node.parent?.index;
      if (above !== undefined)
        below[above] = (below[above] ?? 0) + (below[node.index] ?? 0) + (isBranch && isSeen ? 1 : 0);
    }
    this.below = below;
  }
}
