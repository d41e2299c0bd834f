import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import type { Point } from './geometry';

/** What is being dragged, or carried by keyboard, and where it is. */
export interface DragState {
  /** `node`: a branch out of it or its summary; `head`: where the session goes on. */
  kind: 'node' | 'head' | null;
  source: TurnNode | null;
  /** In the pane. */
  at: Point;
  /** The node under it, if it may be dropped there. */
  target: TurnNode | null;
  /** Over a node on which it can't be dropped. */
  isRefused: boolean;
  /** Carried by the keyboard: the cursor is the place. */
  isCarried: boolean;
}

export const NO_DRAG: DragState = {
  kind: null,
  source: null,
  at: { x: 0, y: 0 },
  target: null,
  isRefused: false,
  isCarried: false,
};

export const createDragStore = (): StoreApi<DragState> => createStore<DragState>(() => NO_DRAG);

/**
 * Whether a drag may end on a node. HEAD goes anywhere but where it is; a node's summary goes to another branch only: above
 * and below it on its own, the model knows already what happened. O(depth).
 */
export function isLegalTarget(
  graph: BranchGraph,
  { kind, source }: Pick<DragState, 'kind' | 'source'>,
  target: TurnNode,
): boolean {
  if (kind === 'head') return target !== graph.head;
  if (kind !== 'node' || !source) return false;
  return !isAbove(source, target) && !isAbove(target, source);
}

/** True if `a` is `b` or above it. */
function isAbove(a: TurnNode, b: TurnNode): boolean {
  let node: TurnNode | null = b;
  while (node && node.depth > a.depth) node = node.parent;
  return node === a;
}
