import type { FoldBook } from './folds';
import type { Run } from './order';
import type { TurnNode } from './turns';

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
