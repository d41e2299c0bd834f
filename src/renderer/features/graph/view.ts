/** How the view of the graph moves, and its nodes as targets of actions. */
import type { TurnNode } from '@shared/graph/turns';
import type { GraphView, NodeTarget } from '../../actions/action';
import { act } from '../../actions/menus';
import type { BranchGraph } from '@shared/graph/branch-graph';
import { ZOOM } from '../../state/graph-memory';
import { type GraphScope, NO_DRAG } from './context';
import { bringIntoView, centreOn, fitAll } from './geometry';

/** A node as what an action acts on. A label stands at one entry of its turn; a new one at what the turn begins with. */
export function targetOf({ session, store, view }: GraphScope, node: TurnNode): NodeTarget {
  const { graph } = store;
  const labels = Object.keys(session.live.getState().labels);
  return {
    ...{ sessionId: session.id, id: node.contentId, endId: node.tailId, node, view },
    pinned: graph.pinsOf(node),
    isUnsent: node.kind === 'compaction' || node.kind === 'start',
    labelled: labels.findLast((id) => graph.turns.place(id)?.node === node),
    hiddenAt: hiddenRoot(graph, node),
  };
}

/** Does something with a node. */
export function actOn(scope: GraphScope, id: NodeAction, node: TurnNode): void {
  act(scope.app, id, targetOf(scope, node));
}

/** The transcript shows a turn of HEAD's path that was clicked, where it stands beside the graph (GR11). */
export function readThere(scope: GraphScope, node: TurnNode): void {
  const { app, store } = scope;
  if (store.graph.isActive(node) && !app.ui.getState().layout.graphFull) actOn(scope, 'node.read', node);
}

export type NodeAction = 'node.go' | 'node.read' | 'node.fold' | 'entry.branch';

/** The entry at which the branch of a hidden node was put away. O(depth). */
function hiddenRoot(graph: BranchGraph, node: TurnNode): string | null {
  for (let at: TurnNode | null = node; at && graph.isHidden(at); at = at.hangsAt) {
    const cut = graph.cutAt(at) ?? (at.hangsAt ? graph.cutAt(at.hangsAt) : null);
    if (cut !== null) return cut;
  }
  return null;
}

/** The view of an open graph; it does nothing while the graph is not on screen. */
export function createView({ app, store, drag, camera }: Omit<GraphScope, 'view'>): GraphView {
  return {
    store,
    fit() {
      const eye = camera.current;
      if (eye) eye.move(fitAll(store.graph.layout, eye.size(), ZOOM), true);
    },
    goToHead() {
      const eye = camera.current;
      const { graph } = store;
      const cell = graph.head ? graph.layout.cellOf(graph.head) : (graph.layout.tops[0] ?? null);
      if (!eye || !cell) return;
      const { zoom } = eye.goal();
      // At a scale at which it can be read.
      eye.move(centreOn(graph.layout, cell, eye.size(), zoom < 0.68 ? 1 : zoom), true);
    },
    zoomBy(factor) {
      const eye = camera.current;
      if (!eye) return;
      const { x, y, zoom } = eye.goal();
      const { width, height } = eye.size();
      const next = Math.min(ZOOM.max, Math.max(ZOOM.min, zoom * factor));
      // Around the middle of the pane.
      const at = (middle: number, shift: number): number => middle - ((middle - shift) / zoom) * next;
      eye.move({ x: at(width / 2, x), y: at(height / 2, y), zoom: next }, true);
    },
    carry(node) {
      drag.setState({ ...NO_DRAG, kind: 'node', source: node, isCarried: true });
      app.announce('Choose where its summary goes with the arrows, then press Enter. Esc cancels.');
    },
  };
}

/** Brings a node into view and makes it the one that the keys are about. */
export function show({ store, camera }: GraphScope, node: TurnNode, isCalm = true): void {
  store.reveal(node);
  const cell = store.graph.layout.cellOf(node) ?? node;
  store.setCursor(cell);
  const eye = camera.current;
  if (!eye) return;
  const view = eye.goal();
  const next = bringIntoView(store.graph.layout, cell, view, eye.size());
  if (next !== view) eye.move(next, isCalm);
}
