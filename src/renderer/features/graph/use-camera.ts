import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useReactFlow } from '@xyflow/react';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphViewport } from '../../state/graph-memory';
import type { GraphScope } from './context';
import { type CanvasPicture, FIRST_OF_TURNS, type Level, otherLevel } from './canvas';
import { type Box, boxesIntoView, isInView, openingView, type Picture, keptClear, type Size, within } from './picture';

const CALM_MS = 160;

/** Puts the view where it was, then lets it go along with HEAD. True once it is there: what was drawn before would be in the wrong place. */
export function useCamera(scope: GraphScope, picture: Picture, size: Size): boolean {
  const { store, camera, picture: shown } = scope;
  const flow = useReactFlow();
  const now = useRef({ size, picture });
  const [isPlaced, setPlaced] = useState(false);
  const goal = useRef<GraphViewport | null>(null);
  useLayoutEffect(() => {
    now.current = { size, picture };
    shown.current = picture;
  });
  useLayoutEffect(() => {
    const eye = {
      view: () => flow.getViewport(),
      goal: () => goal.current ?? flow.getViewport(),
      size: () => now.current.size,
      rest: () => void (goal.current = null),
      move(to: GraphViewport, isCalm = false) {
        const isStill = !isCalm || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
        const next = within(now.current.picture, to, now.current.size);
        goal.current = next;
        const arrived = (): void => {
          if (goal.current === next) goal.current = null;
        };
        void flow.setViewport(next, isStill ? undefined : { duration: CALM_MS, interpolate: 'linear' }).then(arrived);
        keepView(scope, next);
      },
    };
    camera.current = eye;
    return () => {
      if (camera.current !== eye) return;
      camera.current = null;
      shown.current = null;
    };
  }, [camera, flow, scope, shown]);
  useLayoutEffect(() => {
    if (isPlaced || picture.isAwaited || size.width === 0) return;
    setPlaced(true);
    const { graph, memory } = store;
    const head = graph.head ? picture.cellOf(graph.head) : picture.first;
    const { follows } = memory.get();
    if (head) void flow.setViewport(openingView(picture, head, { viewport: keptView(scope, picture), follows }, size));
  }, [flow, isPlaced, picture, scope, size, store]);
  useFollow(scope, picture);
  return isPlaced;
}

/** Where the view of a picture was when it was last shown. */
function keptView({ store }: GraphScope, { kind }: Picture): GraphViewport | null {
  const { viewport, railY } = store.memory.get();
  if (kind === 'canvas') return viewport && viewport.zoom > FIRST_OF_TURNS - 0.2 ? viewport : null;
  return railY === null ? null : { x: 0, y: railY, zoom: 1 };
}

export function keepView({ store, picture }: GraphScope, view: GraphViewport): void {
  const shown = picture.current;
  if (shown?.kind === 'rail') store.memory.set({ railY: view.y });
  else if (shown && !isChapters(shown)) store.memory.set({ viewport: view });
}

const isChapters = (picture: Picture): boolean => (picture as CanvasPicture).level === 'chapters';

/** Goes over to chapters where turns can't be read any more, or back (GR8). True if it does. */
export function changesLevel(scope: Pick<GraphScope, 'picture' | 'overlay' | 'store'>, zoom: number): boolean {
  const shown = scope.picture.current;
  const level = shown?.kind === 'canvas' ? otherLevel(shown as CanvasPicture, zoom) : null;
  if (level) setLevel(scope, level);
  return level !== null;
}

export function setLevel({ overlay, store }: Pick<GraphScope, 'overlay' | 'store'>, level: Level): void {
  const { viewport } = store.memory.get();
  // So it is found again after a restart.
  store.memory.set({ viewport: { x: 0, y: 0, ...viewport, zoom: level === 'chapters' ? 0.3 : FIRST_OF_TURNS } });
  overlay.setState({ level });
}

/** Whether the view goes along with HEAD from now on. */
export function setFollows({ store, overlay }: Pick<GraphScope, 'store' | 'overlay'>, follows: boolean): void {
  store.memory.set({ follows });
  overlay.setState({ follows });
}

export function isHeadInView({ store, camera, picture }: GraphScope, view: GraphViewport): boolean {
  const { head } = store.graph;
  const cell = head && picture.current ? picture.current.cellOf(head) : null;
  const size = camera.current?.size();
  return !cell || !size || !picture.current || isInView(picture.current, cell, view, size);
}

/** Turns above HEAD that stay in view with it. */
const PARENTS = 2;

/** Turns above HEAD that are looked at for them: a filter may leave out all but a few. */
const LOOKED_AT = 200;

/** What is kept in view of HEAD, the first before the others: its cell, those above it, and the lane beside it (GR10). */
export function aroundHead(picture: Picture, head: TurnNode): Box[] {
  const cell = picture.cellOf(head);
  if (!cell) return [];
  const boxes = [picture.boxOf(cell)];
  let beside: TurnNode | null = null;
  let last = cell;
  let [count, looked] = [0, 0];
  for (let node: TurnNode = head; looked < LOOKED_AT && (count < PARENTS || !beside); looked++) {
    beside ??= besideOn(picture, node);
    if (!node.parent) break;
    node = node.parent;
    const above = picture.cellOf(node);
    if (!above || above === last || count >= PARENTS) continue;
    boxes.push(picture.boxOf(above));
    last = above;
    count += 1;
  }
  if (beside) boxes.splice(2, 0, picture.boxOf(beside));
  return boxes;
}

/** A branch that leaves where a turn of HEAD's path hangs. */
function besideOn(picture: Picture, node: TurnNode): TurnNode | null {
  const own = picture.cellOf(node);
  const above = node.parent && picture.cellOf(node.parent);
  for (const other of node.parent?.children ?? []) {
    const cell = other === node ? null : picture.cellOf(other);
    if (cell && cell !== own && cell !== above) return cell;
  }
  return null;
}

/** The view after HEAD was looked for. */
export function headView(picture: Picture, head: TurnNode, view: GraphViewport, size: Size): GraphViewport {
  const boxes = aroundHead(picture, head);
  return within(
    picture,
    keptClear(picture, size, (room) => boxesIntoView(boxes, view, size, room)),
    size,
  );
}

/** With each picture that is drawn, for that of an earlier HEAD may stay for a moment. */
function useFollow({ store, camera }: GraphScope, picture: Picture): void {
  const last = useRef<TurnNode | null>(null);
  useEffect(() => {
    const { head } = store.graph;
    const isFirst = last.current === null;
    if (head === last.current || picture.isAwaited) return;
    last.current = head;
    const eye = camera.current;
    if (isFirst || !eye || !head || !store.memory.get().follows || eye.size().width === 0) return;
    const view = eye.goal();
    const next = headView(picture, head, view, eye.size());
    if (next !== view) eye.move(next, true);
  }, [store, camera, picture]);
}
