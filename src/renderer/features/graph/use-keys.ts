import type { KeyboardEvent } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import { closeTopmost } from '../../actions/escape';
import { act, actionOfKey } from '../../actions/menus';
import { type GraphScope, isLegalTarget, NO_DRAG } from './context';
import { toPane, xOf, yOf, NODE } from './geometry';
import { drop } from './use-pointer';
import { show, targetOf } from './view';

/** The keys of the graph: arrows walk, letters act (GR33). True if the key was one of them. */
export function serveKey(scope: GraphScope, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { app, store, drag, overlay, view } = scope;
  const { graph } = store;
  const { cursor } = store.state.getState();
  const here = cursor && graph.layout.isCell(cursor) ? cursor : graph.head && graph.layout.cellOf(graph.head);
  if (event.key === 'Escape') return leave(scope);
  if (event.key === '/') return focusSearch(event.currentTarget);
  const ofView = actionOfKey('graph', event.key) ?? actionOfKey('zoom', event.key);
  if (ofView) return did(act(app, ofView, view));
  const next = nextOf(scope, here, event.key);
  if (next !== undefined) return did(next && step(scope, next));
  if (!here) return false;
  if (event.key === 'Enter' && drag.getState().isCarried) return did(dropCarried(scope, here));
  const ofNode = actionOfKey('node', event.key);
  if (ofNode) return did(act(app, ofNode, targetOf(scope, here)));
  if (event.key.toUpperCase() === 'P')
    return did(overlay.setState(({ preview }) => ({ preview: preview === here ? null : here })));
  return isMenuKey(event) && did(openMenu(scope, here));
}

export function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'ContextMenu' || (key === 'F10' && shiftKey);
}

function did(_: unknown): true {
  return true;
}

/** Where an arrow leads; undefined: the key is no arrow; null: nowhere. */
function nextOf({ store }: GraphScope, here: TurnNode | null, key: string): TurnNode | null | undefined {
  const { layout, head } = store.graph;
  if (key === 'Home') return layout.tops[0] ?? null;
  if (key === 'End') return head ? layout.cellOf(head) : null;
  if (!['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(key)) return undefined;
  if (!here) return layout.tops[0] ?? null;
  if (key === 'ArrowUp') return layout.above(here);
  const below = layout.below(here);
  const lane = layout.laneOf(here);
  if (key === 'ArrowDown') return below.find((cell) => layout.laneOf(cell) === lane) ?? below[0] ?? null;
  if (key === 'ArrowRight')
    return below.find((cell) => layout.laneOf(cell) > lane) ?? beside(store.graph.layout, here, 1);
  return beside(layout, here, -1);
}

/** The nearest cell in the nearest lane on one side. */
function beside(layout: GraphScope['store']['graph']['layout'], here: TurnNode, by: 1 | -1): TurnNode | null {
  const row = layout.rowOf(here);
  for (let lane = layout.laneOf(here) + by; lane >= 0 && lane < layout.lanes.length; lane += by) {
    const near = layout.within(lane, lane, row - 6, row + 6);
    near.sort((a, b) => Math.abs(layout.rowOf(a) - row) - Math.abs(layout.rowOf(b) - row));
    if (near[0]) return near[0];
  }
  return by === -1 ? layout.above(here) : null;
}

function step(scope: GraphScope, next: TurnNode): void {
  scope.overlay.setState({ preview: null });
  show(scope, next);
  const { drag, store } = scope;
  const state = drag.getState();
  if (!state.isCarried) return;
  const isLegal = isLegalTarget(store.graph, state, next);
  drag.setState({ target: isLegal ? next : null, isRefused: !isLegal });
}

function dropCarried(scope: GraphScope, here: TurnNode): void {
  const { drag, store, app } = scope;
  const state = drag.getState();
  if (!isLegalTarget(store.graph, state, here)) return app.announce('It can only go to another branch.');
  drag.setState(NO_DRAG);
  drop(scope, 'node', state.source, here, false);
}

/** Opens the menu of a node where the node is. */
function openMenu({ store, overlay, camera }: GraphScope, node: TurnNode): void {
  const eye = camera.current;
  const { layout } = store.graph;
  const corner = { x: xOf(layout.laneOf(node)) + NODE.width / 2, y: yOf(layout.rowOf(node)) + NODE.height };
  overlay.setState({ preview: null, menu: { node, at: eye ? toPane(corner, eye.view()) : { x: 0, y: 0 } } });
}

/** One thing after the other: what is carried, the preview, then the graph itself. */
function leave({ app, session, drag, overlay }: GraphScope): boolean {
  if (drag.getState().kind !== null) drag.setState(NO_DRAG);
  else if (overlay.getState().preview) overlay.setState({ preview: null });
  else if (!closeTopmost(app, session)) app.page.focus('composer');
  return true;
}

function focusSearch(from: EventTarget & Element): boolean {
  from.closest('[data-pane="graph"]')?.querySelector<HTMLInputElement>('[data-graph-search]')?.focus();
  return true;
}
