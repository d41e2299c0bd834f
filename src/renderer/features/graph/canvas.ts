/** The canvas: cards in lanes and rows of one size (GR8). */
import type { CanvasLayout } from '@shared/graph/canvas';
import type { TurnNode } from '@shared/graph/turns';
import { ZOOM } from '../../state/graph-memory';
import type { Arrow, Box, Detail, Picture } from './picture';

export const NODE = { width: 156, height: 46 } as const;
export const LANE = 204;
export const ROW = 70;
/** Before the diamond of a mark, whose words stand behind it. */
const MARK_TO_PLUS = 26;

export const xOf = (lane: number): number => lane * LANE;
export const yOf = (row: number): number => row * ROW;

export function isMark(node: TurnNode): boolean {
  return node.kind === 'compaction' || node.kind === 'summary' || node.kind === 'start';
}

/** Lanes and rows of which something can be seen, one more on each side. */
export interface Window {
  fromLane: number;
  toLane: number;
  fromRow: number;
  toRow: number;
}

export function windowOf({ x, y, width, height }: Box): Window {
  return {
    fromLane: Math.floor((x - NODE.width) / LANE),
    toLane: Math.ceil((x + width) / LANE),
    fromRow: Math.floor((y - NODE.height) / ROW),
    toRow: Math.ceil((y + height) / ROW),
  };
}

/** DOM nodes that may stand on screen at once, so that all their elements stay under 600. */
const MOST = { full: 52, title: 130 } as const;
const FROM_ZOOM = { full: 0.68, title: 0.36 } as const;

/** Three levels of detail: by zoom, and one lower where the screen is crowded. */
function detailAt(zoom: number, cells: number): Detail {
  if (zoom >= FROM_ZOOM.full && cells <= MOST.full) return 'full';
  if (zoom >= FROM_ZOOM.title && cells <= MOST.title) return 'title';
  return 'far';
}

export interface CanvasPicture extends Picture {
  readonly kind: 'canvas';
  readonly layout: CanvasLayout;
}

export function canvasPicture(layout: CanvasLayout): CanvasPicture {
  const boxAt = (lane: number, row: number): Box => ({ x: xOf(lane), y: yOf(row), ...NODE });
  return {
    kind: 'canvas',
    layout,
    gap: null,
    zoom: ZOOM,
    size: {
      width: Math.max(1, layout.lanes.length) * LANE - (LANE - NODE.width),
      height: Math.max(1, layout.rows) * ROW - (ROW - NODE.height),
    },
    room: { left: 20, top: 34, right: 20, bottom: 64 },
    grain: { width: LANE, height: ROW },
    first: layout.tops[0] ?? null,
    cellOf: (node) => layout.cellOf(node),
    isCell: (node) => layout.isCell(node),
    boxOf: (cell) => boxAt(layout.laneOf(cell), layout.rowOf(cell)),
    within(box) {
      const { fromLane, toLane, fromRow, toRow } = windowOf(box);
      return layout.within(fromLane, toLane, fromRow, toRow);
    },
    at({ x, y }) {
      const lane = Math.floor(x / LANE);
      const row = Math.floor(y / ROW);
      const isInside = x - xOf(lane) <= NODE.width && y - yOf(row) <= NODE.height;
      return isInside && lane >= 0 && row >= 0 ? layout.at(lane, row) : null;
    },
    plusOf(cell) {
      const { x, y } = boxAt(layout.laneOf(cell), layout.rowOf(cell));
      return { x: x + (isMark(cell) ? NODE.width / 2 - MARK_TO_PLUS : NODE.width), y: y + NODE.height / 2 };
    },
    next: (cell, key) => nextOn(layout, cell, key),
    detailAt,
    nextPlace(above) {
      const { lane, row } = layout.nextPlace(above);
      const from = above ? layout.laneOf(above) : lane;
      return { box: boxAt(lane, row), from: { x: xOf(from) + NODE.width / 2, y: yOf(row) - (ROW - NODE.height) / 2 } };
    },
  };
}

function nextOn(layout: CanvasLayout, here: TurnNode, key: Arrow): TurnNode | null {
  if (key === 'ArrowUp') return layout.above(here);
  const below = layout.below(here);
  const lane = layout.laneOf(here);
  if (key === 'ArrowDown') return below.find((cell) => layout.laneOf(cell) === lane) ?? below[0] ?? null;
  if (key === 'ArrowRight') return below.find((cell) => layout.laneOf(cell) > lane) ?? beside(layout, here, 1);
  return beside(layout, here, -1);
}

/** The nearest cell in the nearest lane on one side. */
function beside(layout: CanvasLayout, here: TurnNode, by: 1 | -1): TurnNode | null {
  const row = layout.rowOf(here);
  for (let lane = layout.laneOf(here) + by; lane >= 0 && lane < layout.lanes.length; lane += by) {
    const near = layout.within(lane, lane, row - 6, row + 6);
    near.sort((a, b) => Math.abs(layout.rowOf(a) - row) - Math.abs(layout.rowOf(b) - row));
    if (near[0]) return near[0];
  }
  return by === -1 ? layout.above(here) : null;
}
