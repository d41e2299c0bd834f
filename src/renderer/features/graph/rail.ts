/** The rail: one row a turn, 28 pixels high, with its lane at the left and its words over the rest of the pane (GR7). */
import type { RailLayout } from '@shared/graph/rail';
import type { RailRow } from '@shared/graph/rail-rows';
import type { TurnNode } from '@shared/graph/turns';
import type { Box, Picture, Point } from './picture';

export const RAIL = {
  row: 28,
  lane: 14,
  /** The middle of lane 0. */
  first: 18,
  /** Where words begin, if no lane needs the place. */
  words: 62,
  /** From the right edge: the padding, and files, tokens and time. */
  padding: 12,
  columns: [20, 37, 45],
  gutter: 4,
} as const;

/** Lanes further right are drawn on this one: words need their place. */
const MOST_LANES = 12;
const COLUMNS = RAIL.columns[0] + RAIL.columns[1] + RAIL.columns[2];
const PLUS_FROM_RIGHT = RAIL.padding + COLUMNS + 15;

/** The middle of a lane. */
export const laneX = (lane: number): number => RAIL.first + Math.min(lane, MOST_LANES) * RAIL.lane;

/** Where the words of a row begin whose lanes reach this far. */
const wordsX = (lane: number): number => Math.max(RAIL.words, laneX(lane) + RAIL.lane + 2);

/** Rows from and to, both included, of which something lies between two heights. */
export function rowsBetween(layout: RailLayout, y: number, height: number, gap: number | null): [number, number] {
  const at = (place: number): number => {
    const row = Math.floor(place / RAIL.row);
    return gap !== null && row > gap ? row - 1 : row;
  };
  return [Math.max(0, at(y)), Math.min(layout.count - 1, at(y + height))];
}

/** `gap`: the row after which one is kept free for what is about to be said. */
export interface RailPicture extends Picture {
  readonly kind: 'rail';
  readonly layout: RailLayout;
  readonly gap: number | null;
  rowOf(cell: TurnNode): RailRow | null;
  /** Whether a row stands for others that can be shown, or begins a branch that can be closed. */
  canToggle(row: RailRow): boolean;
  /** Whether a place of the plane is where a row is opened and closed: left of its words. */
  isToggle(row: RailRow, place: Point): boolean;
  /** Upper edge of a row. */
  yOf(row: number): number;
}

function canToggle({ kind, node, run, lane }: RailRow): boolean {
  if (kind !== 'turn') return kind !== 'branch' || run.first !== run.tip;
  return lane > 0 && node === run.first && run.first !== run.tip;
}

export function railPicture(layout: RailLayout, width: number, gap: number | null): RailPicture {
  const yOf = (row: number): number => (row + (gap !== null && row > gap ? 1 : 0)) * RAIL.row;
  const indexOf = (node: TurnNode): number => layout.indexOf(node);
  const rowOf = (node: TurnNode): RailRow | null => layout.rowAt(indexOf(node));
  const boxAt = (row: number): Box => ({ x: 0, y: yOf(row), width, height: RAIL.row });
  const nodeAt = (row: number): TurnNode | null => layout.rowAt(row)?.node ?? null;
  const rows = layout.count + (gap === null ? 0 : 1);
  return {
    kind: 'rail',
    layout,
    gap,
    zoom: { min: 1, max: 1 },
    room: { left: 0, top: 0, right: 0, bottom: 0 },
    size: { width, height: rows * RAIL.row },
    grain: { width: Number.POSITIVE_INFINITY, height: RAIL.row },
    first: nodeAt(0),
    rowOf,
    yOf,
    canToggle,
    isToggle: (row, { x }) => canToggle(row) && x > laneX(row.lane) - RAIL.lane && x < wordsX(row.lane),
    cellOf: (node) => rowOf(node)?.node ?? null,
    isCell: (node) => rowOf(node)?.node === node,
    boxOf: (cell) => boxAt(Math.max(0, indexOf(cell))),
    manyIn(cell) {
      const row = rowOf(cell);
      return row?.kind === 'many' ? row.count : 0;
    },
    within({ y, height }) {
      const [from, to] = rowsBetween(layout, y, height, gap);
      const found: TurnNode[] = [];
      for (let row = from; row <= to; row++) {
        const node = nodeAt(row);
        if (node) found.push(node);
      }
      return found;
    },
    at({ x, y }) {
      if (x < 0 || x > width || y < 0) return null;
      const row = Math.floor(y / RAIL.row);
      if (gap !== null && row === gap + 1) return null;
      return nodeAt(gap !== null && row > gap ? row - 1 : row);
    },
    plusOf(cell) {
      const { y, height } = boxAt(indexOf(cell));
      return { x: width - PLUS_FROM_RIGHT, y: y + height / 2 };
    },
    next(cell, key) {
      const index = indexOf(cell);
      const row = layout.rowAt(index);
      if (key === 'ArrowUp') return nodeAt(index - 1);
      if (key === 'ArrowDown') return nodeAt(index + 1);
      if (!row) return null;
      if (key === 'ArrowRight') {
        const below = layout.rowAt(index + 1);
        return below && below.lane > row.lane ? below.node : null;
      }
      for (let at = index - 1; at >= 0; at--) {
        const above = layout.rowAt(at);
        if (above && above.lane < row.lane) return above.node;
      }
      return null;
    },
    detailAt: () => 'full',
    nextPlace(above) {
      const row = above ? indexOf(above) : -1;
      const lane = above ? (rowOf(above)?.lane ?? 0) : 0;
      const top = gap === row ? (row + 1) * RAIL.row : yOf(row + 1);
      const isBeside = above !== null && above.children.length > 0;
      const from: Point = { x: laneX(lane), y: top - RAIL.row / 2 };
      const x = laneX(lane + (isBeside ? 1 : 0)) + (isBeside ? 0 : 10);
      return { box: { x, y: top, width: width - x - RAIL.padding, height: RAIL.row }, from };
    },
  };
}

/** Where the words of rows begin, of those whose lanes need more place than they have. O(rows + lines seen). */
export function wordsOf(picture: RailPicture, { y, height }: Box): Map<TurnNode, number> {
  const { layout } = picture;
  const [from, to] = rowsBetween(layout, y, height, picture.gap);
  const furthest = new Map<number, number>();
  const reach = (row: number, lane: number): void => {
    if (wordsX(lane) > RAIL.words) furthest.set(row, Math.max(lane, furthest.get(row) ?? 0));
  };
  for (let row = from; row <= to; row++) reach(row, layout.rowAt(row)?.lane ?? 0);
  const { segments, bends } = layout.lines.between(from, to, () => 'aside');
  for (const line of segments) {
    for (let row = Math.max(from, Math.ceil(line.from)); row <= Math.min(to, line.to); row++) reach(row, line.lane);
  }
  for (const { row, from: one, to: other } of bends) reach(row, Math.max(one, other));
  const found = new Map<TurnNode, number>();
  for (const [row, lane] of furthest) {
    const node = layout.rowAt(row)?.node;
    if (node) found.set(node, wordsX(lane));
  }
  return found;
}
