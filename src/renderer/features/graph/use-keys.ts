import type { KeyboardEvent } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import { closeTopmost } from '../../actions/escape';
import type { GraphHere } from '../../actions/graph-here';
import { act, actionOfKey } from '../../actions/menus';
import { type GraphScope, isLegalTarget, NO_DRAG } from './context';
import { isArrow, toPane } from './picture';
import { drop } from './use-pointer';
import type { RailPicture } from './rail';
import { isChapter, isMany, rowOf, show, targetOf, toggle } from './view';

/** The keys of the graph: arrows walk, letters act (GR33). True if the key was one of them. */
export function serveKey(scope: GraphScope, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { app, overlay, view } = scope;
  const here = nodeHere(scope);
  if (event.key === 'Escape') return leave(scope);
  // Held, it pans with the pointer; what it does is done when it is let go.
  if (event.key === ' ') {
    if (!event.repeat) Object.assign(scope.keys, { isSpaceDown: true, hasPanned: false });
    return true;
  }
  if (event.key === '/') return focusSearch(event.currentTarget);
  const ofView = actionOfKey(app, 'graph', event.key) ?? actionOfKey(app, 'zoom', event.key);
  if (ofView) return did(act(app, ofView, view));
  if (here && turnsOpen(scope, here, event.key)) return did(toggle(scope, here));
  const next = nextOf(scope, here, event.key);
  if (next !== undefined) return did(next && step(scope, next));
  if (!here) return false;
  if (serveCarried(scope, event, here)) return true;
  const ofNode = actionOfKey(app, 'node', event.key);
  // It stands for no turn that anything could be done with.
  if (isMany(scope, here) && (ofNode || isMenuKey(event)))
    return did(event.key === 'Enter' || !ofNode ? toggle(scope, here) : app.announce('Enter lists its branches.'));
  // Of a chapter each turn could be meant: it opens first, as by a click.
  if (ofNode && isChapter(scope, here))
    return did(event.key === 'Enter' ? toggle(scope, here) : app.announce('Enter opens the chapter.'));
  if (ofNode) return did(act(app, ofNode, targetOf(scope, here)));
  if (event.key.toUpperCase() === 'P')
    return did(overlay.setState(({ preview }) => ({ preview: preview === here ? null : here })));
  return isMenuKey(event) && did(openMenu(scope, here));
}

/** Space that was pressed and let go, and nothing was panned in between. */
export function serveKeyUp(scope: GraphScope, { key }: KeyboardEvent): void {
  if (key !== ' ' || !scope.keys.isSpaceDown) return;
  scope.keys.isSpaceDown = false;
  const here = nodeHere(scope);
  const id = actionOfKey(scope.app, 'node', ' ');
  if (here && id && !scope.keys.hasPanned) act(scope.app, id, targetOf(scope, here));
}

export function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'ContextMenu' || (key === 'F10' && shiftKey);
}

function did(_: unknown): true {
  return true;
}

/** What the palette acts on while the keyboard is here (GR24). */
export function hereOf(scope: GraphScope): GraphHere {
  return {
    view: scope.view,
    node() {
      const node = nodeHere(scope);
      return node && !isMany(scope, node) ? targetOf(scope, node) : null;
    },
  };
}

/** What the keys are about: the cursor, else HEAD. */
function nodeHere({ store, picture }: GraphScope): TurnNode | null {
  const { head } = store.graph;
  const { cursor } = store.state.getState();
  const shown = picture.current;
  if (!shown) return null;
  if (cursor && shown.isCell(cursor)) return cursor;
  return head && shown.cellOf(head);
}

/** Whether an arrow opens a closed row, or closes an open branch, and does not walk. */
function turnsOpen(scope: GraphScope, here: TurnNode, key: string): boolean {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return false;
  const row = rowOf(scope, here);
  if (!row || !(scope.picture.current as RailPicture).canToggle(row)) return false;
  return (row.kind === 'turn') === (key === 'ArrowLeft');
}

/** Where a key leads; undefined: it does not walk; null: nowhere. */
function nextOf({ store, picture }: GraphScope, here: TurnNode | null, key: string): TurnNode | null | undefined {
  const shown = picture.current;
  if (!shown) return undefined;
  const { head } = store.graph;
  if (key === 'Home') return shown.first;
  if (key === 'End') return head ? shown.cellOf(head) : null;
  if (!isArrow(key)) return undefined;
  return here ? shown.next(here, key) : shown.first;
}

function step(scope: GraphScope, next: TurnNode): void {
  scope.overlay.setState({ preview: null });
  show(scope, next);
  const { drag, store } = scope;
  const state = drag.getState();
  if (!state.isCarried) return;
  const isLegal = isLegalTarget({ graph: store.graph, picture: scope.picture.current }, state, next);
  drag.setState({ target: isLegal ? next : null, isRefused: !isLegal });
}

/** Enter puts down what is carried by the keyboard, in the outline too. True if something is. */
export function serveCarried(scope: GraphScope, { key }: KeyboardEvent, here: TurnNode): boolean {
  return key === 'Enter' && scope.drag.getState().isCarried && did(dropCarried(scope, here));
}

function dropCarried(scope: GraphScope, here: TurnNode): void {
  const { drag, store, app, picture } = scope;
  const state = drag.getState();
  if (!isLegalTarget({ graph: store.graph, picture: picture.current }, state, here))
    return app.announce('It can only go to a turn of another branch.');
  drag.setState(NO_DRAG);
  if (state.source) drop(scope, 'node', state.source, here);
}

/** Opens the menu of a node where the node will stand: the view may be on its way. */
function openMenu({ overlay, camera, picture }: GraphScope, node: TurnNode): void {
  const eye = camera.current;
  const box = picture.current?.boxOf(node);
  const at = eye && box ? toPane({ x: box.x + Math.min(box.width / 2, 120), y: box.y + box.height }, eye.goal()) : { x: 0, y: 0 }; // prettier-ignore
  overlay.setState({ preview: null, menu: { node, at } });
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
