import { useEffect, useRef } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import type { GraphScope } from './context';
import { type CanvasPicture, FIRST_OF_TURNS, type Level } from './canvas';
import {
  type Box,
  boxToPane,
  centreOn,
  fitAll,
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

/**
 * What is on screen glides to where it is in a new layout, around what stays where it is: what was acted on, or HEAD (GR3). The places
 * before and after are known, so nothing is measured.
 */
export function useGlide(scope: GraphScope, picture: Picture, size: Size): void {
  const before = useRef<{ picture: Picture; head: TurnNode | null } | null>(null);
  // Behind the effect in which React Flow takes its nodes, and in the same frame.
  useEffect(() => {
    const eye = scope.camera.current;
    const { head } = scope.store.graph;
    const then = before.current;
    before.current = { picture, head };
    if (!then || !eye || size.width === 0 || !hasMoved(then.picture, picture)) return;
    const from = eye.view();
    const level = levelOf(picture);
    if (level !== levelOf(then.picture)) {
      eye.move(level === 'chapters' ? fitAll(picture, size) : nearTo(scope, then.picture, picture, from, size));
      return;
    }
    const fixed = fixedPoint(scope, then.picture, picture, from, size);
    let to = from;
    if (fixed) {
      const [was, is] = [boxToPane(then.picture.boxOf(fixed), from), boxToPane(picture.boxOf(fixed), from)];
      to = { ...from, x: from.x + was.x - is.x, y: from.y + was.y - is.y };
    }
    to = within(picture, to, size);
    const { follows } = scope.store.memory.get();
    if (head && head !== then.head && follows) to = headView(picture, head, to, size);
    if (to.x !== from.x || to.y !== from.y) eye.move(to);
    if (!window.matchMedia('(prefers-reduced-motion: reduce)').matches)
      glide(then.picture, picture, { from, to }, size);
  }, [scope, picture, size]);
}

const levelOf = (picture: Picture): Level | null => (picture as Partial<CanvasPicture>).level ?? null;

/** Turns where the middle of the chapters was, or where the keys are. */
function nearTo(
  { store }: GraphScope,
  before: Picture,
  after: Picture,
  view: GraphViewport,
  size: Size,
): GraphViewport {
  const { cursor } = store.state.getState();
  const [middle] = before.within(boxAround(toPlane({ x: size.width / 2, y: size.height / 2 }, view)));
  const node = cursor ?? middle ?? store.graph.head;
  const cell = node && after.cellOf(node);
  return cell ? centreOn(after, cell, size, FIRST_OF_TURNS) : fitAll(after, size);
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
