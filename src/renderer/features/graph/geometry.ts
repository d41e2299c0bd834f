/** Where cells are on the plane of the graph, in pixels at 100 %. Cells stand in lanes (columns) and rows of one size. */
import type { CanvasLayout } from '@shared/graph/canvas';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphMemory, GraphViewport } from '../../state/graph-memory';

export const NODE = { width: 156, height: 46 } as const;
export const LANE = 204;
export const ROW = 70;
/** The circle that a branch is dragged out of, on the right edge of a node. */
const PLUS = 9; // radius
const MARK_TO_PLUS = 26;
/** The HEAD pill, above the right corner of a node, clear of its text and of the line in its middle. */
export const HEAD_PILL = { width: 48, height: 18, top: -20, left: NODE.width - 48 } as const;

export interface Point {
  x: number;
  y: number;
}
export interface Size {
  width: number;
  height: number;
}

export const xOf = (lane: number): number => lane * LANE;
export const yOf = (row: number): number => row * ROW;

export function isMark(node: TurnNode): boolean {
  return node.kind === 'compaction' || node.kind === 'summary' || node.kind === 'start';
}

/** From the pane to the plane. */
export function toPlane({ x, y }: Point, view: GraphViewport): Point {
  return { x: (x - view.x) / view.zoom, y: (y - view.y) / view.zoom };
}

/** From the plane to the pane. */
export function toPane({ x, y }: Point, view: GraphViewport): Point {
  return { x: x * view.zoom + view.x, y: y * view.zoom + view.y };
}

/** Lanes and rows of which something can be seen, one more on each side. */
export interface Window {
  fromLane: number;
  toLane: number;
  fromRow: number;
  toRow: number;
}

export function windowOf(view: GraphViewport, { width, height }: Size): Window {
  const from = toPlane({ x: 0, y: 0 }, view);
  const to = toPlane({ x: width, y: height }, view);
  return {
    fromLane: Math.floor((from.x - NODE.width) / LANE),
    toLane: Math.ceil(to.x / LANE),
    fromRow: Math.floor((from.y - NODE.height) / ROW),
    toRow: Math.ceil(to.y / ROW),
  };
}

/** The middle of the + within its cell: at the edge of a turn; before the diamond of a mark, whose words stand behind it. */
export function plusAt(node: TurnNode): Point {
  return { x: isMark(node) ? NODE.width / 2 - MARK_TO_PLUS : NODE.width, y: NODE.height / 2 };
}

type HitPart = 'node' | 'plus' | 'head';
export interface Hit {
  node: TurnNode;
  part: HitPart;
}

/**
 * What is under a point of the plane. `withPlus`: the node whose + is shown besides HEAD's; `margin`: pixels of the plane
 * around pill and + that count as well, so that they can be grabbed at any scale.
 */
export function hitAt(
  layout: CanvasLayout,
  { x, y }: Point,
  head: TurnNode | null,
  plusOn: TurnNode | null,
  margin = 4,
): Hit | null {
  for (const node of [plusOn, head]) {
    if (!node || !layout.isCell(node)) continue;
    const at = { x: x - xOf(layout.laneOf(node)), y: y - yOf(layout.rowOf(node)) };
    const plus = plusAt(node);
    if (Math.hypot(at.x - plus.x, at.y - plus.y) <= PLUS + margin) return { node, part: 'plus' };
    const { left, top, width, height } = HEAD_PILL;
    const onPill =
      at.x >= left - margin && at.x <= left + width + margin && at.y >= top - margin && at.y < top + height;
    if (node === head && onPill) return { node, part: 'head' };
  }
  const lane = Math.floor(x / LANE);
  const row = Math.floor(y / ROW);
  const inside = x - xOf(lane) <= NODE.width && y - yOf(row) <= NODE.height;
  const node = inside && lane >= 0 && row >= 0 ? layout.at(lane, row) : null;
  return node ? { node, part: 'node' } : null;
}

/** The view that shows the whole graph, at most at 100 %. */
export function fitAll(layout: CanvasLayout, size: Size, zoom: { min: number; max: number }): GraphViewport {
  const width = Math.max(1, layout.lanes.length) * LANE;
  const height = Math.max(1, layout.rows) * ROW;
  const fits = Math.min((size.width - 40) / width, (size.height - 60) / height, 1);
  const scale = Math.max(zoom.min, Math.min(zoom.max, fits));
  // What does not fit even so is shown from its top.
  const left = width * scale > size.width ? 20 : (size.width - (width - (LANE - NODE.width)) * scale) / 2;
  const top = height * scale > size.height ? 30 : (size.height - height * scale) / 2 + 10;
  return { x: left, y: top, zoom: scale };
}

/** The view that has a cell where a person looks for the newest: middle, at three quarters of the height. */
export function centreOn(layout: CanvasLayout, cell: TurnNode, size: Size, zoom: number, height = 0.7): GraphViewport {
  const x = xOf(layout.laneOf(cell)) + NODE.width / 2;
  const y = yOf(layout.rowOf(cell)) + NODE.height / 2;
  // A narrow pane keeps the first lane at its left, so that branches have their room.
  const left = Math.min(size.width / 2, (NODE.width / 2) * zoom + 26);
  return { x: left - x * zoom, y: size.height * height - y * zoom, zoom };
}

/**
 * The view of a graph that is opened: where it was (GR34), or at HEAD. Long runs are folded at each opening, so that where it was nothing
 * may be, and HEAD may have moved meanwhile.
 */
export function openingView(
  layout: CanvasLayout,
  head: TurnNode,
  { viewport, follows }: Pick<GraphMemory, 'viewport' | 'follows'>,
  size: Size,
): GraphViewport {
  const isKept = viewport && (follows ? isInView(layout, head, viewport, size) : showsAny(layout, viewport, size));
  if (isKept) return viewport;
  const zoom = viewport?.zoom ?? 1;
  const at = centreOn(layout, head, size, zoom);
  // A small graph from its top; a long one around HEAD, with what it came from.
  const place = yOf(layout.rows) * zoom + 60 < size.height ? { ...at, y: 40 } : at;
  const above = head.parent && layout.cellOf(head.parent);
  return bringIntoView(layout, head, above ? bringIntoView(layout, above, place, size) : place, size);
}

/** Whether a cell is wholly in the pane. */
export function isInView(layout: CanvasLayout, cell: TurnNode, view: GraphViewport, size: Size): boolean {
  return bringIntoView(layout, cell, view, size) === view;
}

/** Whether anything of the graph is in the pane. */
function showsAny(layout: CanvasLayout, view: GraphViewport, size: Size): boolean {
  const { fromLane, toLane, fromRow, toRow } = windowOf(view, size);
  const from = toPlane({ x: 0, y: 0 }, view);
  const to = toPlane({ x: size.width, y: size.height }, view);
  return layout.within(fromLane, toLane, fromRow, toRow).some((cell) => {
    const [x, y] = [xOf(layout.laneOf(cell)), yOf(layout.rowOf(cell))];
    return x < to.x && x + NODE.width > from.x && y < to.y && y + NODE.height > from.y;
  });
}

/** The smallest move after which a cell is wholly in the pane; the same view if it is. */
export function bringIntoView(layout: CanvasLayout, cell: TurnNode, view: GraphViewport, size: Size): GraphViewport {
  return placeIntoView({ lane: layout.laneOf(cell), row: layout.rowOf(cell) }, view, size);
}

/** The same for a place where no cell is yet. */
export function placeIntoView(place: { lane: number; row: number }, view: GraphViewport, size: Size): GraphViewport {
  const { x, y } = toPane({ x: xOf(place.lane), y: yOf(place.row) }, view);
  const room = { left: 12, top: 34, right: 20, bottom: 64 };
  const shift = (from: number, length: number, start: number, end: number): number =>
    from < start ? start - from : from + length > end ? Math.max(start - from, end - from - length) : 0;
  const dx = shift(x, NODE.width * view.zoom, room.left, size.width - room.right);
  const dy = shift(y, NODE.height * view.zoom, room.top, size.height - room.bottom);
  return dx === 0 && dy === 0 ? view : { ...view, x: view.x + dx, y: view.y + dy };
}

export type Detail = 'full' | 'title' | 'far';

/** DOM nodes that may stand on screen at once, so that all their elements stay under 600. */
const MOST = { full: 52, title: 130 } as const;
const FROM_ZOOM = { full: 0.68, title: 0.36 } as const;

/** Three levels of detail: by zoom, and one lower where the screen is crowded. */
export function detailOf(zoom: number, cells: number): Detail {
  if (zoom >= FROM_ZOOM.full && cells <= MOST.full) return 'full';
  if (zoom >= FROM_ZOOM.title && cells <= MOST.title) return 'title';
  return 'far';
}
