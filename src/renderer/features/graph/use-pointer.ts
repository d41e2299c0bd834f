import { useEffect, type RefObject } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import { act } from '../../actions/menus';
import { nextTask } from '../../state/order';
import { type DragState, type GraphScope, isLegalTarget, NO_DRAG } from './context';
import { openFork } from './fork-sign';
import { type Point, type Size, toPlane } from './picture';
import {
  actOn,
  beginBranch,
  isMany,
  isTranscriptSeen,
  isTurn,
  opensAt,
  readThere,
  stepVariant,
  targetOf,
  toggle,
} from './view';

/** Pixels that a press may move and still be a click. */
const SLOP = 6;
/** Within this distance of an edge of the pane a drag moves the view. */
const EDGE = 28;
const EDGE_STEP = 10; // pixels a frame

/** Keys that do nothing by themselves. */
const HELD: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']);

interface Hit {
  node: TurnNode;
  part: 'node' | 'plus' | 'head';
}

interface Press {
  hit: Hit;
  at: Point;
  pointer: number;
  /** Where the view was: Esc puts it back there. */
  view: GraphViewport;
  /** Of the window, in pixels: in another size what was aimed at is no longer below the pointer. */
  window: Size;
}

/**
 * Presses, drags and hovering on the plane (GR22). A press on a cell, on HEAD or on the + is ours; everywhere else it pans, and so does one
 * with the middle button or with Space held. What is hit is computed, not asked of the DOM: from far away cells are only painted.
 */
export function usePointer(scope: GraphScope, frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    return element ? servePointer(scope, element) : undefined;
  }, [scope, frame]);
}

function servePointer(scope: GraphScope, element: HTMLElement): () => void {
  const { store, drag, overlay, camera, picture } = scope;
  let press: Press | null = null;
  let frameId = 0;
  /** The cell that was below the pointer when it was last aimed. */
  let over: TurnNode | null = null;
  /** The cells of the last two clicks that were on their turns, and on nothing that a click opens or shows. */
  let plain: (TurnNode | null)[] = [];
  /** The right button gave a drag up: the menu that comes with it was not asked for. */
  let hasGivenUp = false;

  const placeOf = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const isOurs = (event: Event): boolean =>
    event.target instanceof Element && event.target.closest('.react-flow') !== null;

  function cellAt(at: Point): TurnNode | null {
    const eye = camera.current;
    return eye ? (picture.current?.at(toPlane(at, eye.view())) ?? null) : null;
  }

  /** HEAD's pill and the + are elements, of the cell in which they stand. */
  function hit(at: Point, target: EventTarget | null): Hit | null {
    const part = target instanceof Element ? target.closest<HTMLElement>('[data-pill], [data-plus]') : null;
    const id = part?.closest<HTMLElement>('[data-node]')?.dataset.node;
    const owner = id === undefined ? undefined : store.graph.turns.nodes[Number(id)];
    if (part && owner) return { node: owner, part: part.dataset.plus === undefined ? 'head' : 'plus' };
    const node = cellAt(at);
    return node && { node, part: 'node' };
  }

  function onPointerDown(event: PointerEvent): void {
    if (press) return onCancel();
    hasGivenUp = false;
    const eye = camera.current;
    if (event.button !== 0 || !eye || !isOurs(event) || scope.keys.isSpaceDown) return;
    const at = placeOf(event);
    const found = hit(at, event.target);
    overlay.setState({ menu: null, many: null });
    if (!found) return overlay.setState({ preview: null });
    press = { hit: found, at, pointer: event.pointerId, view: eye.view(), window: windowSize() };
  }

  /** d3 pans on mousedown and touchstart: a press that is ours must not reach it. A second button gives the drag up. */
  function keepFromPanning(event: Event): void {
    if (!press) return;
    event.stopPropagation();
    if (!(event instanceof MouseEvent) || event.button === 0) return;
    hasGivenUp = event.button === 2;
    onCancel();
  }

  function onPointerMove(event: PointerEvent): void {
    const at = placeOf(event);
    if (!press) return isOurs(event) ? hover(hit(at, event.target)) : undefined;
    if (event.pointerId !== press.pointer) return;
    // The button was let go where nobody told us.
    if (event.buttons === 0) return onCancel();
    if (drag.getState().kind === null) {
      if (Math.hypot(at.x - press.at.x, at.y - press.at.y) < SLOP) return;
      // "N branches" is no turn that could go anywhere.
      if (isMany(scope, press.hit.node)) return onCancel();
      element.setPointerCapture(press.pointer);
      overlay.setState({ preview: null, hover: null });
      drag.setState({ ...NO_DRAG, kind: press.hit.part, source: press.hit.node });
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
    const state = drag.getState();
    over = cellAt(at);
    if (press) drag.setState({ at, ...aimedAt(state, at, press.at) });
  }

  function aimedAt(state: DragState, at: Point, start: Point): Pick<DragState, 'target' | 'isRefused' | 'isOff'> {
    const size = camera.current?.size();
    if (!size || !isInside(at, size)) return { target: null, isRefused: false, isOff: true };
    const cell = cellAt(at);
    // The + means a branch, whatever is under it; it need not go far.
    const isOff = state.kind === 'plus' ? isNear(at, start) : cell === state.source;
    if (isOff || state.kind === 'plus' || !cell) return { target: null, isRefused: false, isOff };
    const isLegal = isLegalTarget({ graph: store.graph, picture: picture.current }, state, cell);
    return { target: isLegal ? cell : null, isRefused: !isLegal, isOff: false };
  }

  /** Near an edge the view moves on under the drag. However view and cells move under a pointer that rests, it aims at what is below it. */
  function creep(): void {
    const state = drag.getState();
    const eye = camera.current;
    if (state.kind === null || !eye) return;
    const size = eye.size();
    const push = (at: number, end: number): number => (at < EDGE ? EDGE_STEP : at > end - EDGE ? -EDGE_STEP : 0);
    const dx = picture.current?.kind === 'rail' ? 0 : push(state.at.x, size.width);
    const dy = push(state.at.y, size.height);
    if (isInside(state.at, size) && (dx !== 0 || dy !== 0)) {
      const view = eye.view();
      eye.move({ ...view, x: view.x + dx, y: view.y + dy });
      aim(state.at);
    } else if (cellAt(state.at) !== over) aim(state.at);
    frameId = requestAnimationFrame(creep);
  }

  function onPointerUp(event: PointerEvent): void {
    if (!press || event.pointerId !== press.pointer) return;
    const pressed = press;
    press = null;
    const state = drag.getState();
    if (state.kind === null) return click(pressed.hit, event);
    endDrag();
    const { width, height } = windowSize();
    if (width !== pressed.window.width || height !== pressed.window.height) return;
    // What was aimed at may have gone in this moment: of what nobody was shown nothing comes.
    const now = aimedAt(state, placeOf(event), pressed.at);
    const isShown = now.target === state.target && now.isRefused === state.isRefused && now.isOff === state.isOff;
    if (state.source && isShown && !now.isOff && !now.isRefused) drop(scope, state.kind, state.source, now.target);
  }

  function click({ node, part }: Hit, event: PointerEvent): void {
    element.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
    store.setCursor(node);
    plain = [plain.at(-1) ?? null, null];
    if (part === 'plus') return beginBranch(scope, node);
    const at = camera.current ? toPlane(placeOf(event), camera.current.view()) : null;
    if (at && opensAt(scope, node, at)) return void toggle(scope, node);
    if (event.target instanceof Element && event.target.closest('[data-fork]')) return openLinks(node, event);
    const arrow = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-step]') : null;
    if (arrow) return stepVariant(scope, node, arrow.dataset.step === 'back' ? -1 : 1);
    plain = [plain[0] ?? null, node];
    overlay.setState({ preview: isTranscriptSeen(scope) ? null : node });
    // What the click changes here is drawn first: together with a transcript it would be one long task.
    void nextTask().then(() => readThere(scope, targetOf(scope, node)));
  }

  /** The session that the sign of a turn leads to, or the menu, which names all of them. */
  function openLinks(node: TurnNode, event: PointerEvent): void {
    if (openFork(scope, store.graph.shownOn(node))) return;
    overlay.setState({ preview: null, menu: { node, at: placeOf(event) } });
  }

  function onDoubleClick(event: MouseEvent): void {
    const found = isOurs(event) ? hit(placeOf(event), event.target) : null;
    if (!found || !isTurn(scope, found.node)) return;
    // Two quick clicks on what a click opens, or that was under the pointer one after the other, are no wish to go there.
    if (plain.length < 2 || plain.some((clicked) => clicked !== found.node)) return;
    overlay.setState({ preview: null });
    actOn(scope, 'node.go', found.node);
  }

  function onContextMenu(event: MouseEvent): void {
    if (hasGivenUp) {
      hasGivenUp = false;
      return event.preventDefault();
    }
    if (!isOurs(event) || event.button !== 2) return;
    event.preventDefault();
    const at = placeOf(event);
    const node = cellAt(at);
    if (node) store.setCursor(node);
    overlay.setState({ preview: null, menu: { node: node && isMany(scope, node) ? null : node, at } });
  }

  function endDrag(): void {
    cancelAnimationFrame(frameId);
    if (drag.getState().kind !== null) drag.setState(NO_DRAG);
    element.style.cursor = '';
  }

  /** Nothing comes of it; the view is where it was before. */
  function onCancel(): void {
    const pressed = press;
    press = null;
    const { kind, isCarried } = drag.getState();
    if (isCarried) return;
    endDrag();
    if (pressed && kind !== null) camera.current?.move(pressed.view);
  }

  const isDragged = (): boolean => press !== null && drag.getState().kind !== null;

  /** Esc does nothing else; any other key does what it does, and ends the drag. */
  function onKeyDown(event: KeyboardEvent): void {
    if (!isDragged() || HELD.has(event.key)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
    }
    onCancel();
  }

  /** Nothing is dragged under a dialog, whoever opened it. */
  function onFocusIn({ target }: FocusEvent): void {
    if (isDragged() && target instanceof Element && target.closest('[role="dialog"], [role="menu"]')) onCancel();
  }

  /** A drag out of a turn that is gone, as when the session's file is read anew, has nothing to drop. */
  const endStore = store.state.subscribe(() => {
    const { kind, source } = drag.getState();
    if (kind === null || (source && store.graph.turns.nodes[source.index] === source)) return;
    press = null;
    endDrag();
  });

  const listeners: [EventTarget, string, (event: never) => void, boolean][] = [
    [element, 'pointerdown', onPointerDown, true],
    [element, 'mousedown', keepFromPanning, true],
    [element, 'touchstart', keepFromPanning, true],
    [element, 'pointermove', onPointerMove, false],
    [element, 'pointerup', onPointerUp, false],
    [element, 'pointercancel', onCancel, false],
    [element, 'lostpointercapture', () => press && onCancel(), false],
    [element, 'dblclick', onDoubleClick, false],
    [element, 'contextmenu', onContextMenu, true],
    [element, 'pointerleave', () => (press ? undefined : hover(null)), false],
    [window, 'keydown', onKeyDown, true],
    [window, 'focusin', onFocusIn, true],
    [window, 'blur', onCancel, false],
    [window, 'resize', onCancel, false],
  ];
  for (const [target, type, listener, capture] of listeners) target.addEventListener(type, listener as EventListener, capture); // prettier-ignore
  return () => {
    press = null;
    endDrag();
    endStore();
    for (const [target, type, listener, capture] of listeners) target.removeEventListener(type, listener as EventListener, capture); // prettier-ignore
  };
}

const windowSize = (): Size => ({ width: window.innerWidth, height: window.innerHeight });

/** Back where the drag began. */
const isNear = (a: Point, b: Point): boolean => Math.hypot(a.x - b.x, a.y - b.y) < 16;

function isInside({ x, y }: Point, { width, height }: Size): boolean {
  return x >= 0 && y >= 0 && x <= width && y <= height;
}

/** What a drag comes to where it ends. `target`: the cell there; null: there is none, or it does not matter. */
export function drop(scope: GraphScope, kind: Hit['part'], source: TurnNode, target: TurnNode | null): void {
  if (kind === 'head') return target ? actOn(scope, 'node.go', target) : undefined;
  if (target) act(scope.app, 'node.bring', { ...targetOf(scope, source), onto: target });
  else beginBranch(scope, source);
}
