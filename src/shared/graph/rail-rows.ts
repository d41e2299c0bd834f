import type { FoldBook } from './folds';
import type { GraphOrder, Run } from './order';
import { filled } from './pieces';
import type { TurnNode, TurnTree } from './turns';

/** Branches at one fork that stand for themselves (GR6). */
export const MANY = 6;

/** One row of the rail (GR7). */
export interface RailRow {
  /**
   * - `turn`: a turn, compaction, summary or command. The first of an opened branch has `run.first === node`.
   * - `fold`: a linear run of `count` turns, `node` the first of them.
   * - `branch`: a closed branch of `count` turns, `node` the first of them.
   * - `many`: `count` branches that leave at `leaves`, `node` the first turn of one of them.
   */
  kind: 'turn' | 'fold' | 'branch' | 'many';
  /** The node that is placed here. Where it is the front of a stack, `BranchGraph.shownOn` has the one whose words are shown. */
  node: TurnNode;
  lane: number;
  /** The branch that it is a row of; of `many`, the one that they leave. */
  run: Run;
  count: number;
  /** Of the first row of a branch, and of `many`: the lane that its line leaves in the gap above it; -1: it hangs at nothing. */
  from: number;
  /** Of `branch` and `many`: the turn that they leave; null at the top. */
  leaves: TurnNode | null;
  /** Of `many`: the first turns of its branches. */
  members?: readonly TurnNode[];
}

/** What is on the graph, and how. */
export interface RailRules {
  /** Nothing is left out, by filter or because it was put away. */
  showsAll(): boolean;
  isShown(node: TurnNode): boolean;
  /** Whether the branch that begins with a node is opened. */
  isOpen(first: TurnNode): boolean;
  /** Whether it stays out of "N branches". */
  isKeptOut(first: TurnNode): boolean;
  folds: FoldBook;
}

/** By index of a node: how many that are shown stand below it, itself too. A branch with none is nothing to be seen. Rests after every so many nodes. */
export function* countingShown(
  { nodes }: Pick<TurnTree, 'nodes'>,
  order: GraphOrder,
  rules: Pick<RailRules, 'isShown'>,
  piece: number,
): Generator<void, number[]> {
  const shown = filled(nodes.length, 0);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at] as TurnNode;
    const mine = (shown[at] as number) + (rules.isShown(node) && !order.variants.isBehind(node) ? 1 : 0);
    shown[at] = mine;
    if (node.parent) shown[node.parent.index] = (shown[node.parent.index] as number) + mine;
    if (at % piece === 0) yield;
  }
  return shown;
}
