import { useEffect, type RefObject } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import { act } from '../../actions/menus';
import { type GraphScope, isLegalTarget, NO_DRAG } from './context';
import { actOn, readThere, targetOf } from './view';
import { hitAt, toPlane, type Hit, type Point } from './geometry';

/** Pixels that a press may move and still be a click. */
const SLOP = 5;
/** Within this distance of an edge of the pane a drag moves the view. */
const EDGE = 28;
const EDGE_STEP = 10; // pixels a frame

/**
 * Presses, drags and hovering on the plane. A press on a node, on HEAD or on the + is ours; everywhere else it pans. What is
 * hit is computed, not asked of the DOM: from far away the nodes are only painted.
 */
export function usePointer(scope: GraphScope, frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    return element ? servePointer(scope, element) : undefined;
  }, [scope, frame]);
}

function servePointer(scope: GraphScope, element: HTMLElement): () => void {
  const { store, drag, overlay, camera } = scope;
  let press: { hit: Hit; at: Point; pointer: number } | null = null;
  let frameId = 0;

  const placeOf = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const isOurs = (event: Event): boolean =>
    event.target instanceof Element && event.target.closest('.react-flow') !== null;

  function hit(at: Point): Hit | null {
    const eye = camera.current;
    if (!eye) return null;
    const view = eye.view();
    const { graph } = store;
    const head = graph.head ? graph.layout.cellOf(graph.head) : null;
    const { hover, hint } = overlay.getState();
    return hitAt(graph.layout, toPlane(at, view), head, hover ?? hint, Math.max(3, 7 / view.zoom));
  }

  function onPointerDown(event: PointerEvent): void {
    if (event.button !== 0 || !isOurs(event) || drag.getState().isCarried) return;
    const at = placeOf(event);
    const found = hit(at);
    overlay.setState({ menu: null });
    if (!found) return overlay.setState({ preview: null });
    press = { hit: found, at, pointer: event.pointerId };
  }

  /** d3 pans on mousedown and touchstart: a press that is ours must not reach it. */
  function keepFromPanning(event: Event): void {
    if (press) event.stopPropagation();
  }

  function onPointerMove(event: PointerEvent): void {
    const at = placeOf(event);
    if (!press) return isOurs(event) ? hover(hit(at)) : undefined;
    if (drag.getState().kind === null) {
      if (Math.hypot(at.x - press.at.x, at.y - press.at.y) < SLOP) return;
      element.setPointerCapture(press.pointer);
      overlay.setState({ preview: null, hover: null });
      const kind = press.hit.part === 'head' ? 'head' : 'node';
      drag.setState({ ...NO_DRAG, kind, source: press.hit.node });
      frameId = requestAnimationFrame(creep);
    }
    aim(at);
  }

  function hover(found: Hit | null): void {
    const node = found?.node ?? null;
    element.style.cursor = found ? (found.part === 'node' ? 'pointer' : 'grab') : '';
    if (overlay.getState().hover !== node) overlay.setState({ hover: node });
  }

  function aim(at: Point): void {
    const over = hit(at)?.node ?? null;
    const state = drag.getState();
    const isLegal = over !== null && isLegalTarget(store.graph, state, over);
    drag.setState({ at, target: isLegal ? over : null, isRefused: over !== null && !isLegal && over !== state.source });
  }

  /** Near an edge the view moves on under the drag. */
  function creep(): void {
    const state = drag.getState();
    const eye = camera.current;
    if (state.kind === null || !eye) return;
    const { width, height } = eye.size();
    const push = (at: number, end: number): number => (at < EDGE ? EDGE_STEP : at > end - EDGE ? -EDGE_STEP : 0);
    const dx = push(state.at.x, width);
    const dy = push(state.at.y, height);
    const isInside = state.at.x >= 0 && state.at.y >= 0 && state.at.x <= width && state.at.y <= height;
    if (isInside && (dx !== 0 || dy !== 0)) {
      const view = eye.view();
      eye.move({ ...view, x: view.x + dx, y: view.y + dy });
      aim(state.at);
    }
    frameId = requestAnimationFrame(creep);
  }

  function onPointerUp(event: PointerEvent): void {
    const pressed = press;
    press = null;
    if (!pressed) return;
    const state = drag.getState();
    if (state.kind === null) return click(pressed.hit, event);
    endDrag();
    drop(scope, state.kind, state.source, state.target, !state.isRefused && hit(state.at) === null);
  }

  function click({ node, part }: Hit, event: PointerEvent): void {
    element.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
    store.setCursor(node);
    if (part === 'plus') return actOn(scope, 'entry.branch', node);
    const fold = store.graph.folds.of(node);
    if (fold) return void store.toggleFold(node);
    if (event.detail >= 2) return;
    overlay.setState({ preview: node });
    readThere(scope, node);
  }

  function onDoubleClick(event: MouseEvent): void {
    const found = isOurs(event) ? hit(placeOf(event)) : null;
    if (!found || store.graph.folds.of(found.node) || found.part === 'plus') return;
    overlay.setState({ preview: null });
    actOn(scope, 'node.go', found.node);
  }

  function onContextMenu(event: MouseEvent): void {
    if (!isOurs(event) || event.button !== 2) return;
    event.preventDefault();
    const at = placeOf(event);
    const node = hit(at)?.node ?? null;
    if (node) store.setCursor(node);
    overlay.setState({ preview: null, menu: { node, at } });
  }

  function endDrag(): void {
    cancelAnimationFrame(frameId);
    drag.setState(NO_DRAG);
    element.style.cursor = '';
  }

  function onCancel(): void {
    press = null;
    if (!drag.getState().isCarried) endDrag();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || drag.getState().kind === null) return;
    event.preventDefault();
    event.stopPropagation();
    press = null;
    endDrag();
  }

  const capture = { capture: true };
  element.addEventListener('pointerdown', onPointerDown, capture);
  element.addEventListener('mousedown', keepFromPanning, capture);
  element.addEventListener('touchstart', keepFromPanning, capture);
  element.addEventListener('pointermove', onPointerMove);
  element.addEventListener('pointerup', onPointerUp);
  element.addEventListener('pointercancel', onCancel);
  element.addEventListener('dblclick', onDoubleClick);
  element.addEventListener('contextmenu', onContextMenu, capture);
  window.addEventListener('keydown', onKeyDown, capture);
  const leave = (): void => (press ? undefined : hover(null));
  element.addEventListener('pointerleave', leave);
  return () => {
    endDrag();
    element.removeEventListener('pointerdown', onPointerDown, capture);
    element.removeEventListener('mousedown', keepFromPanning, capture);
    element.removeEventListener('touchstart', keepFromPanning, capture);
    element.removeEventListener('pointermove', onPointerMove);
    element.removeEventListener('pointerup', onPointerUp);
    element.removeEventListener('pointercancel', onCancel);
    element.removeEventListener('dblclick', onDoubleClick);
    element.removeEventListener('contextmenu', onContextMenu, capture);
    element.removeEventListener('pointerleave', leave);
    window.removeEventListener('keydown', onKeyDown, capture);
  };
}

/** What a drag comes to where it ends. `onEmpty`: over no node at all. */
export function drop(
  scope: GraphScope,
  kind: 'node' | 'head',
  source: TurnNode | null,
  target: TurnNode | null,
  onEmpty: boolean,
): void {
  if (kind === 'head') return target ? actOn(scope, 'node.go', target) : undefined;
  if (!source) return;
  if (target) act(scope.app, 'node.bring', { ...targetOf(scope, source), onto: target });
  else if (onEmpty) actOn(scope, 'entry.branch', source);
}
