import { useEffect, useRef } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import type { GraphScope } from './context';
import { type CanvasPicture, FIRST_OF_TURNS, type Level } from './canvas';
import {
  type Box,
  boxToPane,
  bringIntoView,
  centreOn,
  fitAll,
  isInView,
  isWhole,
  type Picture,
  type Point,
  shownIn,
  type Size,
  toPlane,
  within,
} from './picture';
import { headView } from './use-camera';

const GLIDE_MS = 160;
/** Pixels below which nothing is seen to move. */
const STILL = 1;

/** What was shown, and where. */
interface Shown {
  picture: Picture;
  size: Size;
}

/**
 * What is on screen glides to where it is in a new layout, around what stays where it is: what was acted on, or HEAD (GR3). The places
 * before and after are known, so nothing is measured. In a pane of another size what was in view stays so.
 */
export function useGlide(scope: GraphScope, picture: Picture, size: Size): void {
  const before = useRef<(Shown & { head: TurnNode | null }) | null>(null);
  // Behind the effect in which React Flow takes its nodes, and in the same frame.
  useEffect(() => {
    const eye = scope.camera.current;
    const { head } = scope.store.graph;
    const then = before.current;
    if (picture.isAwaited) return;
    before.current = { picture, size, head };
    if (!then || !eye || then.size.width === 0 || size.width === 0) return;
    const isMoved = hasMoved(then.picture, picture);
    const isResized = then.size.width !== size.width || then.size.height !== size.height;
    if (!isMoved && !isResized) return;
    // A pane may get another size while the view is on its way.
    const goal = eye.goal();
    const from = isMoved ? eye.view() : goal;
    const level = levelOf(picture);
    if (level !== levelOf(then.picture)) {
      eye.move(level === 'chapters' ? fitAll(picture, size) : nearTo(scope, then.picture, picture, from, size));
      return;
    }
    const now = { picture, size };
    const isFit =
      isWhole(then.picture, goal, then.size) && (isMoved || !isWhole(picture, goal, size) || isFitted(then, goal));
    // Chapters for a pane of another size may come some frames later than that size.
    const isRefitted = isMoved && level === 'chapters' && isFitted(then, goal);
    if ((isResized && isFit) || isRefitted) return eye.move(fitAll(picture, size));
    const fixed = isMoved ? fixedPoint(scope, then.picture, picture, from, size) : null;
    let to = from;
    if (fixed) {
      const [was, is] = [boxToPane(then.picture.boxOf(fixed), from), boxToPane(picture.boxOf(fixed), from)];
      to = { ...from, x: from.x + was.x - is.x, y: from.y + was.y - is.y };
    }
    if (isResized) to = keptInView(scope, then, now, goal, to);
    to = within(picture, to, size);
    const { follows } = scope.store.memory.get();
    if (head && head !== then.head && follows) to = headView(picture, head, to, size);
    if (to.x !== from.x || to.y !== from.y) eye.move(to);
    if (isMoved && !window.matchMedia('(prefers-reduced-motion: reduce)').matches)
      glide(then.picture, picture, { from, to }, size);
  }, [scope, picture, size]);
}

/** Whether it stood as Fit puts it: so it does in a pane of another size. */
function isFitted({ picture, size }: Shown, view: GraphViewport): boolean {
  const fit = fitAll(picture, size);
  return Math.abs(fit.x - view.x) < STILL && Math.abs(fit.y - view.y) < STILL && Math.abs(fit.zoom - view.zoom) < 0.01;
}

/** In a pane of another size what was in view stays so: the node that is previewed, else HEAD where it is followed (GR9, GR10). */
function keptInView(
  { store, overlay }: GraphScope,
  then: Shown,
  now: Shown,
  from: GraphViewport,
  to: GraphViewport,
): GraphViewport {
  const node = overlay.getState().preview ?? (store.memory.get().follows ? store.graph.head : null);
  const was = node && then.picture.cellOf(node);
  const is = node && now.picture.cellOf(node);
  const wasSeen = was && isInView(then.picture, was, from, then.size);
  return wasSeen && is ? bringIntoView(now.picture, is, to, now.size) : to;
}

const levelOf = (picture: Picture): Level | null => (picture as Partial<CanvasPicture>).level ?? null;

/** Turns where the middle of the chapters was, or where the keys are. */
function nearTo(
  { store, keys }: GraphScope,
  before: Picture,
  after: Picture,
  view: GraphViewport,
  size: Size,
): GraphViewport {
  const { cursor } = store.state.getState();
  const [middle] = before.within(boxAround(toPlane({ x: size.width / 2, y: size.height / 2 }, view)));
  const node = cursor ?? middle ?? store.graph.head;
  const cell = node && after.cellOf(node);
  const { scale = FIRST_OF_TURNS } = keys;
  keys.scale = undefined;
  return cell ? centreOn(after, cell, size, scale) : fitAll(after, size);
}

const boxAround = ({ x, y }: Point): Box => ({ x: x - 100, y: y - 60, width: 200, height: 120 });

function hasMoved(a: Picture, b: Picture): boolean {
  return a.kind === b.kind && (a.layout !== b.layout || a.gap !== b.gap);
}

/** What stays where it is on screen: the cell that the keys are at, else HEAD, if it was and is to be seen. */
function fixedPoint(
  { store }: GraphScope,
  before: Picture,
  after: Picture,
  view: GraphViewport,
  size: Size,
): TurnNode | null {
  const { cursor } = store.state.getState();
  const { head } = store.graph;
  const seen = new Set(before.within(shownIn(view, size)));
  for (const node of [cursor, head]) if (node && seen.has(node) && after.isCell(node)) return node;
  for (const node of seen) if (after.isCell(node)) return node;
  return null;
}

function glide(before: Picture, after: Picture, { from, to }: Record<'from' | 'to', GraphViewport>, size: Size): void {
  const seen = new Set(before.within(shownIn(from, size)));
  const moved = new Map<number, Point | null>();
  for (const node of after.within(shownIn(to, size))) {
    if (!seen.has(node)) {
      moved.set(node.index, null);
      continue;
    }
    const was = boxToPane(before.boxOf(node), from);
    const is = boxToPane(after.boxOf(node), to);
    const way = { x: (was.x - is.x) / to.zoom, y: (was.y - is.y) / to.zoom };
    if (Math.abs(way.x) > STILL || Math.abs(way.y) > STILL) moved.set(node.index, way);
  }
  if (moved.size === 0) return;
  const timing = { duration: GLIDE_MS, easing: 'ease-out' };
  const plane = document.querySelector('[data-graph]');
  // In the next frame React has drawn those that were not there before.
  requestAnimationFrame(() => {
    for (const element of plane?.querySelectorAll<HTMLElement>('.react-flow__node') ?? []) {
      const way = moved.get(Number(element.querySelector<HTMLElement>('[data-node]')?.dataset.node));
      if (way) element.animate({ translate: [`${way.x}px ${way.y}px`, '0 0'] }, timing);
      else if (way === null) element.animate({ opacity: [0, 1] }, timing);
    }
    plane?.querySelector('canvas')?.animate({ opacity: [0, 1] }, timing);
  });
}
