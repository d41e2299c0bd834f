/**
 * What rail and canvas have in common: a picture says which cells there are and where they stand on its plane. View, pointer, keys, drags
 * and what floats above ask a picture alone, so that both are used alike (GR7, GR8). A cell is known by its turn: the one that it shows, or
 * the first of those that it stands for. Sizes and places are pixels at 100 %.
 */
import type { TurnNode } from '@shared/graph/turns';
import type { GraphMemory, GraphViewport } from '../../state/graph-memory';

export interface Point {
  x: number;
  y: number;
}
export interface Size {
  width: number;
  height: number;
}
export interface Box extends Point, Size {}

export type GraphKind = 'rail' | 'canvas';
/** How much a cell shows. Rows of the rail are always `full`. */
export type Detail = 'full' | 'title' | 'far';

export interface Picture {
  readonly kind: GraphKind;
  /** There is no picture yet. */
  readonly isAwaited?: boolean;
  /** Another object once cells have moved. */
  readonly layout: object;
  /** A row that is kept free moves those below it. */
  readonly gap: number | null;
  readonly zoom: { readonly min: number; readonly max: number };
  /** Of all of it. */
  readonly size: Size;
  /** The cell in which a turn is to be seen: its own, or that of a fold, a branch, a stack. Null: it is not shown. */
  cellOf(node: TurnNode): TurnNode | null;
  /** Whether a turn stands for a cell. */
  isCell(node: TurnNode): boolean;
  boxOf(cell: TurnNode): Box;
  /** The cells of which something lies in a box. */
  within(box: Box): TurnNode[];
  /** The cell at a place. */
  at(place: Point): TurnNode | null;
  /** How many branches a cell "N branches" stands for (GR6); 0: it is another one. */
  manyIn(cell: TurnNode): number;
  /** The middle of the + of a cell, where it is shown. */
  plusOf(cell: TurnNode): Point;
  /** Where an arrow leads; null: nowhere. */
  next(cell: TurnNode, key: Arrow): TurnNode | null;
  readonly first: TurnNode | null;
  /** Steps in which the part of the plane whose cells are needed changes. */
  readonly grain: Size;
  detailAt(zoom: number, cells: number): Detail;
  /** What floats at the edges of the pane is kept clear of. */
  readonly room: Room;
  /** What the next turn would be: its box, and where its line begins. `above`: the cell it would hang at. */
  nextPlace(above: TurnNode | null): { box: Box; from: Point };
}

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';
const ARROWS: ReadonlySet<string> = new Set<Arrow>(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']);
export const isArrow = (key: string): key is Arrow => ARROWS.has(key);

/** From the pane to the plane. */
export function toPlane({ x, y }: Point, view: GraphViewport): Point {
  return { x: (x - view.x) / view.zoom, y: (y - view.y) / view.zoom };
}

/** From the plane to the pane. */
export function toPane({ x, y }: Point, view: GraphViewport): Point {
  return { x: x * view.zoom + view.x, y: y * view.zoom + view.y };
}

export function boxToPane({ width, height, ...at }: Box, view: GraphViewport): Box {
  return { ...toPane(at, view), width: width * view.zoom, height: height * view.zoom };
}

/** The part of the plane that a pane shows. */
export function shownIn(view: GraphViewport, { width, height }: Size): Box {
  return { ...toPlane({ x: 0, y: 0 }, view), width: width / view.zoom, height: height / view.zoom };
}

/** Pixels at the edges of the pane where nothing that is to be read may lie. */
export interface Room {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Pixels from the bottom of a canvas up to which the minimap stands. */
const MINIMAP_PX = 136;

/** The view that a move comes to: where not all of a canvas is seen then, what is to be seen keeps off the minimap too (GR9). */
export function keptClear(picture: Picture, size: Size, move: (room: Room) => GraphViewport): GraphViewport {
  const { kind, room } = picture;
  const view = move(room);
  if (kind === 'rail' || isWhole(picture, view, size)) return view;
  return move({ ...room, bottom: Math.max(room.bottom, Math.min(MINIMAP_PX, size.height / 3)) });
}

/** Whether all of a canvas is to be seen. */
export function isWhole(picture: Picture, view: GraphViewport, size: Size): boolean {
  const end = toPane({ x: picture.size.width, y: picture.size.height }, view);
  return picture.kind === 'canvas' && view.x >= 0 && view.y >= 0 && end.x <= size.width && end.y <= size.height;
}

/** Pixels that come from rounding. */
const NEAR = 0.01;

/** The smallest move after which a box is wholly within the room; the same view if it is. */
function boxIntoView(box: Box, view: GraphViewport, size: Size, room: Room): GraphViewport {
  const { x, y, width, height } = boxToPane(box, view);
  const dx = shift(x, width, room.left, size.width - room.right);
  const dy = shift(y, height, room.top, size.height - room.bottom);
  return Math.abs(dx) < NEAR && Math.abs(dy) < NEAR ? view : { ...view, x: view.x + dx, y: view.y + dy };
}

function shift(from: number, length: number, start: number, end: number): number {
  if (from < start) return start - from;
  return from + length > end ? Math.max(start - from, end - from - length) : 0;
}

/** The smallest box around two. */
function around(a: Box, b: Box): Box {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** As many of the boxes as fit the room together, the first before the others, and the smallest move that brings them there (GR10). */
export function boxesIntoView(boxes: readonly Box[], view: GraphViewport, size: Size, room: Room): GraphViewport {
  let [all] = boxes;
  if (!all) return view;
  const width = (size.width - room.left - room.right) / view.zoom;
  const height = (size.height - room.top - room.bottom) / view.zoom;
  for (const box of boxes) {
    const more = around(all, box);
    if (more.width <= width && more.height <= height) all = more;
  }
  return boxIntoView(all, view, size, room);
}

export function isInView(picture: Picture, cell: TurnNode, view: GraphViewport, size: Size): boolean {
  return bringIntoView(picture, cell, view, size) === view;
}

/** The smallest move after which a cell is wholly in the pane; the same view if it is. */
export function bringIntoView(picture: Picture, cell: TurnNode, view: GraphViewport, size: Size): GraphViewport {
  return keptClear(picture, size, (room) => boxIntoView(picture.boxOf(cell), view, size, room));
}

/** A view that does not show what lies beyond the ends of a rail. Of a canvas any place can be looked at. */
export function within(picture: Picture, view: GraphViewport, size: Size): GraphViewport {
  if (picture.kind !== 'rail') return view;
  const y = Math.min(0, Math.max(view.y, size.height - picture.size.height));
  return view.x === 0 && view.y === y && view.zoom === 1 ? view : { x: 0, y, zoom: 1 };
}

/** The view that shows the whole graph, at most at 100 %; of a rail its upper end. */
export function fitAll(picture: Picture, size: Size): GraphViewport {
  const { room, zoom } = picture;
  if (picture.kind === 'rail') return { x: 0, y: 0, zoom: 1 };
  const { width, height } = picture.size;
  const across = size.width - room.left - room.right;
  const down = size.height - room.top - room.bottom;
  const scale = Math.max(zoom.min, Math.min(zoom.max, across / width, down / height, 1));
  // What does not fit even so is shown from its top.
  const x = room.left + Math.max(0, (across - width * scale) / 2);
  const y = room.top + Math.max(0, (down - height * scale) / 2);
  return { x, y, zoom: scale };
}

/** The view that has a cell where a person looks for the newest: low in the pane, so that what it came from is above it. */
export function centreOn(picture: Picture, cell: TurnNode, size: Size, zoom: number): GraphViewport {
  const box = picture.boxOf(cell);
  const y = box.y + box.height / 2;
  if (picture.kind === 'rail') return within(picture, { x: 0, y: size.height * 0.8 - y, zoom: 1 }, size);
  const x = box.x + box.width / 2;
  // A narrow pane keeps the first lane at its left, so that branches have their room.
  const left = Math.min(size.width / 2, (box.width / 2) * zoom + 26);
  return { x: left - x * zoom, y: size.height * 0.7 - y * zoom, zoom };
}

/**
 * The view of a graph that is opened: where it was (GR34), or at HEAD. Long runs are folded at each opening, so that where it was nothing
 * may be, and HEAD may have moved meanwhile.
 */
export function openingView(
  picture: Picture,
  head: TurnNode,
  kept: { viewport: GraphViewport | null; follows: GraphMemory['follows'] },
  size: Size,
): GraphViewport {
  const viewport = kept.viewport && within(picture, kept.viewport, size);
  const isKept =
    viewport &&
    (kept.follows ? isInView(picture, head, viewport, size) : picture.within(shownIn(viewport, size)).length > 0);
  if (isKept) return viewport;
  const zoom = Math.min(picture.zoom.max, Math.max(picture.zoom.min, viewport?.zoom ?? 1));
  const at = centreOn(picture, head, size, zoom);
  // A small graph from its top; a long one around HEAD, with what it came from.
  const isSmall = picture.kind === 'canvas' && picture.size.height * zoom + 60 < size.height;
  const place = isSmall ? { ...at, y: 40 } : at;
  const above = head.parent && picture.cellOf(head.parent);
  return bringIntoView(picture, head, above ? bringIntoView(picture, above, place, size) : place, size);
}
