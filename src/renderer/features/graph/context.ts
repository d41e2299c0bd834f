import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphView } from '../../actions/action';
import type { App } from '../../state/app-type';
import type { GraphState, GraphStore } from '../../state/graph-store';
import type { GraphViewport } from '../../state/graph-memory';
import type { OpenSession } from '../../state/open-session';
import type { DragState } from './drag-state';
import type { Point, Size } from './geometry';
import type { NodeTexts } from './node-text';

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
