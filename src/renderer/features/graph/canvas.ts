/** The canvas: cards in lanes and rows of one size (GR8). */
import { BranchGraph } from '@shared/graph/branch-graph';
import type { CanvasLayout } from '@shared/graph/canvas';
import { isNoTurn, type TurnNode } from '@shared/graph/turns';
import { type GraphViewport, ZOOM } from '../../state/graph-memory';
import type { Arrow, Box, Detail, Picture, Size } from './picture';

/** Pixels of a cell, and from one to the next. */
interface CellSize {
  width: number;
  height: number;
  lane: number;
  row: number;
}

const CARD: CellSize = { width: 260, height: 92, lane: 288, row: 120 };
/** A run between forks, compactions and labels, as small as its title can be read. */
const CHAPTER: CellSize = { width: 178, height: 46, lane: 200, row: 66 };
/** Before the diamond of a mark, whose words stand behind it. */
const MARK_TO_PLUS = 26;

/** Below it there are chapters in the place of turns; they have a scale of their own, and turns come back above its greatest. */
const FROM_TURNS = 0.34;
const CHAPTER_ZOOM = { min: 0.86, max: 1.3 } as const;
/** Chapters that are laid out at most: each is a few elements. */
const MOST_LANES = 8;
const MOST_ROWS = 16;

/** Lanes and rows of which something can be seen, one more on each side. */
export interface Window {
  fromLane: number;
  toLane: number;
  fromRow: number;
  toRow: number;
}

/** DOM nodes that may stand on screen at once, so that all their elements stay under 600. */
const MOST = { full: 40, title: 150 } as const;
/** Below it the titles of full cards have less than eleven pixels. */
const FROM_ZOOM = { full: 0.86, title: 0 } as const;

/** Three levels of detail: by zoom, and one lower where the screen is crowded. */
function detailAt(zoom: number, cells: number): Detail {
  if (zoom >= FROM_ZOOM.full && cells <= MOST.full) return 'full';
  if (zoom >= FROM_ZOOM.title && cells <= MOST.title) return 'title';
  return 'far';
}

export type Level = 'turns' | 'chapters';

export interface CanvasPicture extends Picture {
  readonly kind: 'canvas';
  readonly level: Level;
  readonly layout: CanvasLayout;
  readonly cell: CellSize;
  xOf(lane: number): number;
  yOf(row: number): number;
  windowOf(box: Box): Window;
}

const ROOM = { left: 20, top: 34, right: 20, bottom: 64 };

/** How many chapters a pane has room for. */
export function chapterRoom({ width, height }: Size): { lanes: number; rows: number } {
  const fits = (length: number, step: number): number => Math.max(1, Math.floor(length / (step * CHAPTER_ZOOM.min)));
  return {
    lanes: Math.min(MOST_LANES, fits(width - ROOM.left - ROOM.right, CHAPTER.lane)),
    rows: Math.min(MOST_ROWS, fits(height - ROOM.top - ROOM.bottom, CHAPTER.row)),
  };
}

/** The level to which a view goes over, in which it can be read; null: it stays. The two ends lie apart (GR8). */
export function otherLevel({ level }: CanvasPicture, zoom: number): Level | null {
  if (level === 'turns') return zoom < FROM_TURNS ? 'chapters' : null;
  return zoom > CHAPTER_ZOOM.max - 0.01 ? 'turns' : null;
}

/** The level in which a view was left. */
export const firstLevel = (viewport: GraphViewport | null): Level =>
  viewport && viewport.zoom < FROM_TURNS ? 'chapters' : 'turns';

/** Scale of the turns that are come to from chapters. */
export const FIRST_OF_TURNS = 0.5;

/** Stands for chapters that are still being laid out, where nothing was drawn before. */
export const AWAITED: CanvasPicture = (() => {
  const { layouts } = new BranchGraph();
  return { ...canvasPicture(layouts.canvas, 'chapters'), isAwaited: true };
})();

export function canvasPicture(layout: CanvasLayout, level: Level): CanvasPicture {
  const cell = level === 'turns' ? CARD : CHAPTER;
  const xOf = (lane: number): number => lane * cell.lane;
  const yOf = (row: number): number => row * cell.row;
  const boxAt = (lane: number, row: number): Box => ({
    ...{ x: xOf(lane), y: yOf(row) },
    ...{ width: cell.width, height: cell.height },
  });
  const boxOf = (node: TurnNode): Box => boxAt(layout.laneOf(node), layout.rowOf(node));
  const windowOf = ({ x, y, width, height }: Box): Window => ({
    fromLane: Math.floor((x - cell.width) / cell.lane),
    toLane: Math.ceil((x + width) / cell.lane),
    fromRow: Math.floor((y - cell.height) / cell.row),
    toRow: Math.ceil((y + height) / cell.row),
  });
  return {
    ...{ kind: 'canvas', level, layout, gap: null, cell, xOf, yOf, windowOf },
    // A little beyond where the level changes, so that it can be gone over.
    zoom: level === 'turns' ? { min: FROM_TURNS - 0.04, max: ZOOM.max } : CHAPTER_ZOOM,
    size: {
      width: xOf(Math.max(1, layout.lanes.length)) - (cell.lane - cell.width),
      height: yOf(Math.max(1, layout.rows)) - (cell.row - cell.height),
    },
    room: ROOM,
    grain: { width: cell.lane, height: cell.row },
    first: layout.tops[0] ?? null,
    cellOf: (node) => layout.cellOf(node),
    isCell: (node) => layout.isCell(node),
    manyIn: (cell) => layout.manyIn(cell),
    boxOf,
    within(box) {
      const { fromLane, toLane, fromRow, toRow } = windowOf(box);
      return layout.within(fromLane, toLane, fromRow, toRow);
    },
    at({ x, y }) {
      const lane = Math.floor(x / cell.lane);
      const row = Math.floor(y / cell.row);
      const isInside = x - xOf(lane) <= cell.width && y - yOf(row) <= cell.height;
      return isInside && lane >= 0 && row >= 0 ? layout.at(lane, row) : null;
    },
    plusOf(node) {
      const { x, y } = boxOf(node);
      return { x: x + (isNoTurn(node) ? cell.width / 2 - MARK_TO_PLUS : cell.width), y: y + cell.height / 2 };
    },
    next: (node, key) => nextOn(layout, node, key),
    detailAt: level === 'turns' ? detailAt : () => 'title',
    nextPlace(above) {
      const { lane, row } = layout.nextPlace(above);
      const from = above ? layout.laneOf(above) : lane;
      return {
        box: boxAt(lane, row),
        from: { x: xOf(from) + cell.width / 2, y: yOf(row) - (cell.row - cell.height) / 2 },
      };
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
