/**
 * The canvas (GR1, GR2, GR4, GR8): cells in lanes (columns) and rows of one size. HEAD's path is lane 0; what goes straight on keeps its
 * lane, siblings stand to the right, most recently active first; a lane is free again below a branch that ended. A cell stands one row
 * below the one it hangs at.
 *
 * Two layouts: of turns, for cards and for titles, and of chapters, where a run between forks, compactions and labels is one block.
 * Of chapters those of the landmarks alone may be asked for; what else would begin one is taken into the one above it, so that the whole
 * of any session fits.
 */
import { CanvasCells, NONE } from './canvas-cells';
import { filled, firstFrom } from './pieces';
import type { TurnNode } from './turns';

/** Lanes to the right of a parent in which room is looked for before a new one is opened: a bound, so that placing is O(1). */
const LANES_LOOKED_AT = 32;
const NOTHING: readonly TurnNode[] = [];

export class CanvasLayout extends CanvasCells {
  /** Cells of each lane, rows rising. */
  readonly lanes: TurnNode[][] = [];
  rows = 0;
  cells = 0;
  /** By row: for each cell (by index) at which cells of other lanes hang there, the one of them that stands furthest to the right. */
  private readonly bends = new Map<number, Map<number, TurnNode>>();
  /** All by index of a node. */
  private lane: number[] = [];
  private row: number[] = [];
  /** Of a cell: the one that goes on in its lane, and how many are in the lane from it on. */
  private next: number[] = [];
  private length: number[] = [];
  /** By lane: the last row that is taken. */
  private readonly bottoms: number[] = [];

  build(): this {
    for (const _ of this.building(Infinity));
    return this;
  }

  /** Places all cells, once; rests after every so many nodes. */
  *building(piece: number): Generator<void, void> {
    const { nodes } = this.tree;
    let left = piece;
    const isFull = (): boolean => {
      this.steps++;
      if (--left > 0) return false;
      left = piece;
      return true;
    };
    this.lane = filled(nodes.length, 0);
    this.row = filled(nodes.length, 0);
    this.length = filled(nodes.length, 0);
    this.next = filled(nodes.length, NONE);
    yield* this.beginning(piece);
    for (const node of nodes) {
      this.take(node);
      if (isFull()) yield;
    }
    for (let at = nodes.length - 1; at >= 0; at--) {
      const node = nodes[at] as TurnNode;
      if (this.isCell(node)) this.measure(node);
      if (isFull()) yield;
    }
    let level = this.start(null, this.tops);
    while (level.length > 0) {
      const below: TurnNode[] = [];
      for (const cell of level) {
        for (const kid of this.start(cell, this.below(cell))) below.push(kid);
        if (isFull()) yield;
      }
      // By lane, so that what is nearer to the left has its branches nearer to it.
      level = below.length > 1 ? below.sort((a, b) => this.laneOf(a) - this.laneOf(b)) : below;
    }
  }

  /**
   * Takes a node that was appended where it moves nothing: at the end of a lane, or within a cell. False: all has to be placed anew.
   * O(1).
   */
  append(node: TurnNode): boolean {
    const { index } = node;
    this.take(node);
    if (!this.isCell(node)) return true;
    const above = this.above(node);
    const isOnly = above
      ? this.nextOf(above.index) === NONE && this.isGoingOn(node, above.index)
      : this.tops.length === 1;
    const lane = above ? this.laneOf(above) : 0;
    const row = above ? this.rowOf(above) + 1 : 0;
    if (!isOnly || (this.bottoms[lane] ?? NONE) >= row) return false;
    if (above) this.next[above.index] = index;
    this.length[index] = 1;
    this.seat(node, above?.index ?? NONE, lane, row);
    return true;
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

  /** Where the next cell below a cell would stand; null: at the top. O(lanes looked at × log). */
  nextPlace(above: TurnNode | null): { lane: number; row: number } {
    if (!above) return { lane: this.tops.length === 0 ? 0 : this.lanes.length, row: 0 };
    const row = this.rowOf(above) + 1;
    const own = this.laneOf(above);
    if (this.nextOf(above.index) === NONE && !this.at(own, row)) return { lane: own, row };
    const isTaken = (): boolean => [row - 1, row, row + 1].some((at) => this.at(lane, at) !== null);
    let lane = own + 1;
    while (lane < this.lanes.length && lane < own + LANES_LOOKED_AT && isTaken()) lane++;
    return { lane, row };
  }

  private nextOf(index: number): number {
    return this.next[index] ?? NONE;
  }

  /** Puts the cells below a cell into their order. What hangs below them was measured before. */
  private measure(cell: TurnNode): void {
    const { index } = cell;
    const straight = this.below(cell).find((kid) => this.isGoingOn(kid, index));
    this.sort(cell, straight);
    if (straight) this.next[index] = straight.index;
    this.length[index] = 1 + (straight ? (this.length[straight.index] as number) : 0);
  }

  /** Gives the cells below a cell their places. */
  private start(above: TurnNode | null, kids: readonly TurnNode[]): readonly TurnNode[] {
    const trunk = above ? null : (this.order.trunk?.first ?? null);
    const row = above ? this.rowOf(above) + 1 : 0;
    const own = above ? this.laneOf(above) : NONE;
    const at = above?.index ?? NONE;
    const list = above
      ? kids
      : this.sort(
          null,
          kids.find((kid) => trunk && this.order.isSameRun(kid, trunk)),
        );
    for (const kid of list) {
      const goesOn = above ? this.next[at] === kid.index : trunk !== null && this.order.isSameRun(kid, trunk);
      const lane = goesOn ? Math.max(0, own) : this.chooseLane(Math.max(0, own), row);
      this.seat(kid, at, lane, row);
    }
    return list;
  }

  private seat(node: TurnNode, above: number, lane: number, row: number): void {
    const { index } = node;
    this.lane[index] = lane;
    this.row[index] = row;
    this.bottoms[lane] = Math.max(this.bottoms[lane] ?? NONE, row + (this.length[index] ?? 1) - 1);
    if (above !== NONE && lane !== this.lane[above]) {
      const furthest = this.bends.get(row) ?? new Map<number, TurnNode>();
      this.bends.set(row, furthest);
      const before = furthest.get(above);
      if (!before || this.laneOf(before) < lane) furthest.set(above, node);
    }
    while (this.lanes.length <= lane) this.lanes.push([]);
    (this.lanes[lane] as TurnNode[]).push(node);
    if (row >= this.rows) this.rows = row + 1;
    this.cells++;
  }

  /** The first lane to the right in which a row is free; one row stays free between two branches, so that they don't look like one. */
  private chooseLane(own: number, row: number): number {
    const end = Math.min(this.bottoms.length, own + 1 + LANES_LOOKED_AT);
    for (let lane = own + 1; lane < end; lane++) {
      this.steps++;
      if ((this.bottoms[lane] ?? NONE) < row - 1) return lane;
    }
    return Math.max(1, this.bottoms.length);
  }

  /** Place in a lane of the first cell at or below a row. */
  private firstFrom(lane: number, row: number): number {
    return firstFrom(this.lanes[lane] ?? NOTHING, (cell) => this.rowOf(cell) < row);
  }
}
