import { createContext, useContext, useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type ReactFlowState, useStore as useFlow } from '@xyflow/react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import type { QueueItem } from '@shared/types';
import type { GraphView } from '../../actions/action';
import type { App } from '../../state/app-type';
import { placeOf } from '../../state/draft-field';
import type { GraphViewport } from '../../state/graph-memory';
import type { GraphState } from '../../state/graph-state';
import type { GraphStore } from '../../state/graph-store';
import { useLive } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import type { Level } from './canvas';
import { type Box, type Picture, type Point, shownIn, type Size } from './picture';
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
  /** What is on screen; null while nothing is. */
  picture: { current: Picture | null };
  /** Space is held: the pointer pans. */
  keys: {
    isSpaceDown: boolean;
    hasPanned: boolean;
    /** To be brought into view once it has a place. */
    wanted: TurnNode | null;
    /** The scale of the turns that are gone over to from chapters; undefined: the first at which they can be read. */
    scale?: number | undefined;
  };
}

/** What lies above the graph, one thing at a time. */
export interface Overlay {
  preview: TurnNode | null;
  menu: { node: TurnNode | null; at: Point } | null;
  /** The cell "N branches" whose list is open. */
  many: TurnNode | null;
  /** The node under the pointer. */
  hover: TurnNode | null;
  /** The node whose + the tour shows. */
  hint: TurnNode | null;
  /** Turns or chapters on the canvas; null: as it was left. */
  level: Level | null;
  /** Whether the view goes along with HEAD; null: as is remembered. */
  follows: boolean | null;
}

interface Camera {
  /** Where it is in this frame. */
  view(): GraphViewport;
  /** Where it will be when it rests: what the next move starts from. */
  goal(): GraphViewport;
  /** Where it was on its way to holds no more. */
  rest(): void;
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
export interface DragState {
  /** `plus`: a branch out of it; `node`: that, or its summary; `head`: where the session goes on. */
  kind: 'node' | 'plus' | 'head' | null;
  source: TurnNode | null;
  /** In the pane. */
  at: Point;
  /** The node under it, if it may be dropped there. */
  target: TurnNode | null;
  /** Over a node on which it can't be dropped. */
  isRefused: boolean;
  /** Where nothing comes of it: outside the pane, or back where it began. */
  isOff: boolean;
  /** Carried by the keyboard: the cursor is the place. */
  isCarried: boolean;
}

export const NO_DRAG: DragState = {
  kind: null,
  source: null,
  at: { x: 0, y: 0 },
  target: null,
  isRefused: false,
  isOff: false,
  isCarried: false,
};

export const createDragStore = (): StoreApi<DragState> => createStore<DragState>(() => NO_DRAG);

/**
 * Whether a drag may end on a node. HEAD goes anywhere but where it is; a node's summary goes to another branch only: above
 * and below it on its own, the model knows already what happened. "N branches" is no turn that either could go to. O(depth).
 */
export function isLegalTarget(
  { graph, picture }: { graph: BranchGraph; picture: Picture | null },
  { kind, source }: Pick<DragState, 'kind' | 'source'>,
  target: TurnNode,
): boolean {
  if (picture && picture.manyIn(target) > 0) return false;
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

/**
 * A branch that has no turn yet, and the turn out of which it goes; null: at the top. `versionOf`: the turn whose prompt it puts in another
 * way; undefined: none, it is a branch of its own. `item`: it is prepared, and waits for the agent (GR13).
 */
export interface Begun {
  at: TurnNode | null;
  /** Nothing was said there yet. */
  goesOn?: boolean;
  versionOf?: TurnNode | null;
  item?: QueueItem;
}

/** The branch that is begun and not said yet, else the one that is sent next once the agent rests. Null: none is. */
export function useBegun(): Begun | null {
  const { store, session } = useGraph();
  const item = useLive(session, ({ queue }) => queue.find(({ parentId }) => parentId !== undefined));
  const branch = useStore(session.draft.state, (draft) => draft.branch);
  const version = useGraphState((state) => state.version);
  return useMemo(() => {
    const { graph } = store;
    const begunAt = ({ parentId = null, versionOf }: Pick<QueueItem, 'parentId' | 'versionOf'>): Begun => ({
      at: graph.turns.nodeAt(parentId),
      goesOn: parentId !== null && graph.turns.isEnd(parentId),
      ...(versionOf === undefined ? {} : { versionOf: graph.turns.nodeAt(versionOf) }),
    });
    // HEAD stays where it is until the message is sent (BR4).
    if (branch) return begunAt(placeOf(branch));
    if (item) return { ...begunAt(item), item };
    const isAnew = version >= 0 && graph.leafId === null && graph.turns.nodes.some((node) => node.kind !== 'start');
    return isAnew ? { at: null } : null;
  }, [store, branch, item, version]);
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

export const PictureContext = createContext<Picture | null>(null);

/** The picture that is drawn. */
export function usePicture(): Picture {
  const picture = useContext(PictureContext);
  if (!picture) throw new Error('usePicture needs a PictureContext above it.');
  return picture;
}

/** Scales between which titles keep their size. */
const BANDS = [0.68, 0.5, 0.4, 0.3];

/**
 * The part of the plane whose cells are needed, in steps of the picture's grain, and the zoom as far as it decides on detail. It changes
 * with every row that comes into view: a few new nodes in each frame of a pan are smoother than many in every fourth.
 */
export function useFlowWindow(picture: Picture): { window: Box; zoom: number } {
  const { grain } = picture;
  const key = useFlow((state) => {
    const [x, y, zoom] = state.transform;
    const shown = shownIn({ x, y, zoom }, state);
    const detail = picture.detailAt(zoom, 0);
    const band = state.width === 0 ? 0 : detail === 'full' ? 1 : (BANDS.find((from) => zoom >= from) ?? 0.3);
    const from = (at: number, step: number): number => (Number.isFinite(step) ? Math.floor(at / step) * step : at);
    const left = from(shown.x, grain.width);
    const top = from(shown.y, grain.height);
    const right = from(shown.x + shown.width, grain.width) + (Number.isFinite(grain.width) ? grain.width : 0);
    const bottom = from(shown.y + shown.height, grain.height) + grain.height;
    return [left, top, right - left, bottom - top, band].join();
  });
  return useMemo(() => {
    const [x = 0, y = 0, width = 0, height = 0, zoom = 0] = key.split(',').map(Number);
    return { window: { x, y, width, height }, zoom };
  }, [key]);
}
