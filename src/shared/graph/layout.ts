import type { TurnNode } from './turns';

/** Lanes to the right of a parent in which room is looked for before a new one is opened: a bound, so that placing is O(1). */
const LANES_LOOKED_AT = 32;
const NONE = -1;
const NOTHING: readonly TurnNode[] = [];

/** What is drawn of a node: itself, nothing (its children hang at what is above it), or the fold that it is in. */
export type Shown = 'self' | 'nothing' | { foldedInto: TurnNode };

/**
 * Lanes and rows of our own. A cell stands one row below the one it hangs at and keeps its lane; the first child goes
 * straight on, every other opens a lane to the right. Cells are placed in the order in which the turns were made, so a whole
 * layout is the same as a layout grown turn by turn: an append is O(1) and moves nothing.
 */
export class GraphLayout {
  /** Cells of each lane, rows rising. */
  readonly lanes: TurnNode[][] = [];
  /** By row: for each cell (by index) at which cells of other lanes hang there, the one of them that stands furthest to the right. */
  private readonly bends = new Map<number, Map<number, TurnNode>>();
  rows = 0;
  cells = 0;
  /** Cells and lanes looked at, for the tests of linear time. */
  steps = 0;
  private readonly lane: number[] = [];
  private readonly row: number[] = [];
  /** Index of the cell in which a node is drawn, or NONE. */
  private readonly cell: number[] = [];
  /** Index of the cell at which the children of a node hang, or NONE. */
  private readonly anchor: number[] = [];
  private readonly goesOn: boolean[] = [];
  private readonly kids: (TurnNode[] | undefined)[] = [];
  /** Cells that hang at nothing, in order. */
  readonly tops: TurnNode[] = [];

  constructor(private readonly nodes: readonly TurnNode[]) {}

  /** Places one node; its parent was placed before. O(1). */
  place(node: TurnNode, shown: Shown): void {
    this.steps++;
    const { index } = node;
    const above = node.parent ? (this.anchor[node.parent.index] ?? NONE) : NONE;
    this.cell[index] = NONE;
    this.anchor[index] = above;
    if (shown === 'nothing') return;
    if (shown !== 'self' && shown.foldedInto !== node) {
      this.cell[index] = this.anchor[index] = shown.foldedInto.index;
      return;
    }
    this.cell[index] = this.anchor[index] = index;
    this.seat(node, above);
  }

  isCell(node: TurnNode): boolean {
    return this.cell[node.index] === node.index;
  }

  /** The cell in which a node is drawn: itself or its fold. Null: it is not on the graph. */
  cellOf(node: TurnNode): TurnNode | null {
    return this.nodes[this.cell[node.index] ?? NONE] ?? null;
  }

  /** The cell that stands for a node: its own, else the nearest above it. */
  nearest(node: TurnNode): TurnNode | null {
    return this.nodes[this.anchor[node.index] ?? NONE] ?? null;
  }

  /** The cell at which a cell hangs. */
  above(node: TurnNode): TurnNode | null {
    return node.parent ? this.nearest(node.parent) : null;
  }

  /** The cells that hang at a cell, in the order in which they were made. */
  below(cell: TurnNode): readonly TurnNode[] {
    return this.kids[cell.index] ?? NOTHING;
  }

  laneOf(cell: TurnNode): number {
    return this.lane[cell.index] ?? 0;
  }

  rowOf(cell: TurnNode): number {
    return this.row[cell.index] ?? 0;
  }

  /** The cell at a place, or null. O(log cells of the lane). */
  at(lane: number, row: number): TurnNode | null {
    const cells = this.lanes[lane];
    const found = cells?.[this.firstFrom(lane, row)];
    return found && this.rowOf(found) === row ? found : null;
  }

  /** Cells within lanes and rows, both ends included. O(lanes × log + cells found). */
  within(fromLane: number, toLane: number, fromRow: number, toRow: number): TurnNode[] {
    const found: TurnNode[] = [];
    for (let lane = Math.max(0, fromLane); lane <= Math.min(toLane, this.lanes.length - 1); lane++) {
      const cells = this.lanes[lane] as TurnNode[];
      for (let at = this.firstFrom(lane, fromRow); at < cells.length; at++) {
        const cell = cells[at] as TurnNode;
        if (this.rowOf(cell) > toRow) break;
        found.push(cell);
      }
    }
    return found;
  }

  /**
   * The cells of a row whose lines to the cell above, in another lane, cross these lanes, both ends included. Of those that hang at
   * one cell and stand further to the right one comes for all: they hang at one place and go out of sight as one line. O(lanes × log
   * + cells at which others hang).
   */
  bendsAcross(row: number, fromLane: number, toLane: number): TurnNode[] {
    const furthest = this.bends.get(row);
    const found: TurnNode[] = [];
    if (!furthest) return found;
    for (let lane = Math.max(0, fromLane); lane <= Math.min(toLane, this.lanes.length - 1); lane++) {
      const cell = this.at(lane, row);
      const above = cell && this.above(cell);
      if (above && this.laneOf(above) !== lane) found.push(cell);
    }
    // A branch opens to the right of where it leaves.
    for (const [above, cell] of furthest) {
      if ((this.lane[above] as number) <= toLane && this.laneOf(cell) > toLane) found.push(cell);
    }
    this.steps += found.length;
    return found;
  }

  /** Where the next cell below a cell would stand; null: at the top. O(1). */
  nextPlace(above: TurnNode | null): { lane: number; row: number } {
    const at = above ? above.index : NONE;
    const row = above ? this.rowOf(above) + 1 : 0;
    return { lane: this.chooseLane(at, row), row };
  }

  private seat(node: TurnNode, above: number): void {
    const row = above === NONE ? 0 : (this.row[above] as number) + 1;
    const lane = this.chooseLane(above, row);
    this.lane[node.index] = lane;
    this.row[node.index] = row;
    if (above !== NONE && lane === this.lane[above]) this.goesOn[above] = true;
    if (above !== NONE && lane !== this.lane[above]) {
      const furthest = this.bends.get(row) ?? new Map<number, TurnNode>();
      this.bends.set(row, furthest);
      const before = furthest.get(above);
      if (!before || this.laneOf(before) < lane) furthest.set(above, node);
    }
    if (above === NONE) this.tops.push(node);
    else (this.kids[above] ??= []).push(node);
    (this.lanes[lane] ??= []).push(node);
    if (row >= this.rows) this.rows = row + 1;
    this.cells++;
  }

  private chooseLane(above: number, row: number): number {
    const own = above === NONE ? NONE : (this.lane[above] as number);
    if (above !== NONE && !this.goesOn[above] && this.bottom(own) === row - 1) return own;
    const end = Math.min(this.lanes.length, own + 1 + LANES_LOOKED_AT);
    for (let lane = own + 1; lane < end; lane++) {
      this.steps++;
      // One row stays free between two branches, so that they don't look like one.
      if (this.bottom(lane) < row - 1) return lane;
    }
    return this.lanes.length;
  }

  private bottom(lane: number): number {
    const last = this.lanes[lane]?.at(-1);
    return last ? this.rowOf(last) : NONE;
  }

  /** Place in a lane of the first cell at or below a row. */
  private firstFrom(lane: number, row: number): number {
    const cells = this.lanes[lane] ?? [];
    let low = 0;
    let high = cells.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rowOf(cells[middle] as TurnNode) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
