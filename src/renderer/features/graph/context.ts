import { createContext, useContext, useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type ReactFlowState, useStore as useFlow } from '@xyflow/react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphView } from '../../actions/action';
import type { App } from '../../state/app-type';
import type { GraphViewport } from '../../state/graph-memory';
import type { GraphState, GraphStore } from '../../state/graph-store';
import type { OpenSession } from '../../state/open-session';
import { detailOf, type Point, type Size, type Window, windowOf } from './geometry';
import type { NodeTexts } from './words';

/** What the parts of one graph pane share. */
export interface GraphScope {
  app: App;
  session: OpenSession;
  store: GraphStore;
  view: GraphView;
  texts: NodeTexts;
  drag: StoreApi<DragState>;
  overlay: StoreApi<Overlay>;
  /** The view of now and how to move it; set while the graph is on screen. */
  camera: { current: Camera | null };
}

/** What lies above the graph, one thing at a time. */
export interface Overlay {
  preview: TurnNode | null;
  menu: { node: TurnNode | null; at: Point } | null;
  /** The node under the pointer. */
  hover: TurnNode | null;
  /** The node whose + the tour shows. */
  hint: TurnNode | null;
}

interface Camera {
  /** Where it is in this frame. */
  view(): GraphViewport;
  /** Where it will be when it rests: what the next move starts from. */
  goal(): GraphViewport;
  size(): Size;
  move(to: GraphViewport, isCalm?: boolean): void;
}

export const GraphContext = createContext<GraphScope | null>(null);

export function useGraph(): GraphScope {
  const scope = useContext(GraphContext);
  if (!scope) throw new Error('useGraph needs a GraphContext above it.');
  return scope;
}

export function useGraphState<T>(selector: (state: GraphState) => T): T {
  return useStore(useGraph().store.state, selector);
}

/** What is being dragged, or carried by keyboard, and where it is. */
interface DragState {
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

const transformOf = (state: ReactFlowState): ReactFlowState['transform'] => state.transform;
const widthOf = (state: ReactFlowState): number => state.width;
const heightOf = (state: ReactFlowState): number => state.height;

/** Where the plane is. Drawn anew with every frame of a pan: for what moves along with it alone. */
export function useFlowView(): { view: GraphViewport; size: Size } {
  const [x, y, zoom] = useFlow(transformOf);
  const width = useFlow(widthOf);
  const height = useFlow(heightOf);
  return useMemo(() => ({ view: { x, y, zoom }, size: { width, height } }), [x, y, zoom, width, height]);
}

/** Size of the pane. */
export function useFlowSize(): Size {
  const width = useFlow(widthOf);
  const height = useFlow(heightOf);
  return useMemo(() => ({ width, height }), [width, height]);
}

/**
 * The part of the plane whose nodes are needed, and the zoom as far as it decides on detail. It changes with every row that
 * comes into view: a few new nodes in each frame of a pan are smoother than many in every fourth.
 */
export function useFlowWindow(): { window: Window; zoom: number } {
  const key = useFlow((state) => {
    const [x, y, zoom] = state.transform;
    const { fromLane, toLane, fromRow, toRow } = windowOf({ x, y, zoom }, state);
    const band = detailOf(zoom, 0) === 'full' ? 1 : detailOf(zoom, 0) === 'title' ? 0.5 : 0.1;
    return [fromLane, toLane, fromRow, toRow, state.width === 0 ? 0 : band].join();
  });
  return useMemo(() => {
    const [fromLane = 0, toLane = 0, fromRow = 0, toRow = 0, zoom = 0] = key.split(',').map(Number);
    return { window: { fromLane, toLane, fromRow, toRow }, zoom };
  }, [key]);
}
