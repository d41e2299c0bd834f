/**
 * The canvas (GR1, GR2, GR4, GR8): cells in lanes (columns) and rows of one size. HEAD's path is lane 0; what goes straight on keeps its
 * lane, siblings stand to the right, most recently active first; a lane is free again below a branch that ended. A cell stands one row
 * below the one it hangs at.
 *
 * Two layouts: of turns, for cards and for titles, and of chapters, where a run between forks, compactions and labels is one block.
 * Of chapters those of the landmarks alone may be asked for; what else would begin one is taken into the one above it, so that the whole
 * of any session fits.
 */
import { leaderOf } from './folds';
import type { GraphOrder } from './order';
import { filled, firstFrom } from './pieces';
import { MANY, type RailRules } from './rail-rows';
import { isMark, type TurnNode, type TurnTree } from './turns';

export interface CanvasRules extends RailRules {
  /** A label stands at it: a chapter begins there. */
  isLabelled(node: TurnNode): boolean;
  /** A filter finds few turns: "N branches" would hide them. */
  findsFew(): boolean;
}

/** Where chapters begin besides the top; null: at all that is one (`landmarksOf`). */
export interface Chapters {
  landmarks: ReadonlySet<TurnNode> | null;
}

/** Lanes to the right of a parent in which room is looked for before a new one is opened: a bound, so that placing is O(1). */
const LANES_LOOKED_AT = 32;
const NONE = -1;
const NOTHING: readonly TurnNode[] = [];

type Lists = [number[], number[], number[], number[]];

export class CanvasLayout {
  /** Cells of each lane, rows rising. */
  readonly lanes: TurnNode[][] = [];
  /** Cells that hang at nothing, in order. */
  readonly tops: TurnNode[] = [];
  rows = 0;
  cells = 0;
  /** Nodes and lanes looked at, for the tests of linear time. */
  steps = 0;
  /** By row: for each cell (by index) at which cells of other lanes hang there, the one of them that stands furthest to the right. */
  private readonly bends = new Map<number, Map<number, TurnNode>>();
  /** All by index of a node. */
  private lane: number[] = [];
  private row: number[] = [];
  /** The cell in which a node is drawn, or NONE. */
  private cell: number[] = [];
  /** The cell at which the children of a node hang, or NONE. */
  private anchor: number[] = [];
  private readonly kids: (TurnNode[] | undefined)[] = [];
  /** Of a cell: the one that goes on in its lane, and how many are in the lane from it on. */
  private next: number[] = [];
  private length: number[] = [];
  private turns: number[] = [];
  private readonly branches: number[] = [];
  /** By index of a node in "N branches": the cell of it. */
  private many: number[] = [];
  private readonly manyCount = new Map<number, number>();
  /** By lane: the last row that is taken. */
  private readonly bottoms: number[] = [];

  constructor(
    private readonly tree: TurnTree,
    private readonly order: GraphOrder,
    private readonly rules: CanvasRules,
    private readonly chapters: Chapters | null = null,
  ) {}

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
    const count = nodes.length;
    [this.lane, this.row, this.length, this.turns] = [0, 0, 0, 0].map((value) => filled(count, value)) as Lists;
    [this.cell, this.anchor, this.next, this.many] = [NONE, NONE, NONE, NONE].map((value) =>
      filled(count, value),
    ) as Lists;
    this.takeMany(null);
    for (const node of nodes) {
      this.assign(node);
      if (isFull()) yield;
    }
    for (let at = nodes.length - 1; at >= 0; at--) {
      if (this.cell[at] === at) this.measure(nodes[at] as TurnNode);
      if (isFull()) yield;
    }
    let level = this.start(null, this.tops);
    while (level.length > 0) {
      const below: TurnNode[] = [];
      for (const cell of level) {
        for (const kid of this.start(cell, this.kids[cell.index] ?? NOTHING)) below.push(kid);
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
    const { parent, index } = node;
    this.assign(node);
    if (this.cell[index] !== index) return true;
    const above = parent ? (this.anchor[parent.index] ?? NONE) : NONE;
    const isOnly = above === NONE ? this.tops.length === 1 : this.nextOf(above) === NONE && this.isGoingOn(node, above);
    const lane = above === NONE ? 0 : (this.lane[above] as number);
    const row = above === NONE ? 0 : (this.row[above] as number) + 1;
    if (!isOnly || (this.bottoms[lane] ?? NONE) >= row) return false;
    if (above !== NONE) this.next[above] = index;
    this.length[index] = 1;
    this.seat(node, above, lane, row);
    return true;
  }

  isCell(node: TurnNode): boolean {
    return this.cell[node.index] === node.index;
  }

  /** The cell in which a node is drawn: itself, its fold, chapter, stack or "N branches". Null: it is not on the graph. */
  cellOf(node: TurnNode): TurnNode | null {
    return this.tree.nodes[this.cell[node.index] ?? NONE] ?? null;
  }

  /** The cell that stands for a node: its own, else the nearest above it. */
  nearest(node: TurnNode): TurnNode | null {
    return this.tree.nodes[this.anchor[node.index] ?? NONE] ?? null;
  }

  /** The cell at which a cell hangs. */
  above(node: TurnNode): TurnNode | null {
    return node.parent ? this.nearest(node.parent) : null;
  }

  /** The cells that hang at a cell: what goes straight on, then branches in their order. */
  below(cell: TurnNode): readonly TurnNode[] {
    return this.kids[cell.index] ?? NOTHING;
  }

  /** Turns that a cell stands for. */
  turnsIn(cell: TurnNode): number {
    return this.turns[cell.index] ?? 1;
  }

  /** Branches that a chapter has taken in whole. */
  branchesIn(cell: TurnNode): number {
    return this.branches[cell.index] ?? 0;
  }

  /** Of a cell "N branches": how many; 0 for others. */
  manyIn(cell: TurnNode): number {
    return this.manyCount.get(cell.index) ?? 0;
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

  /** Which cell a node is drawn in, and which its children hang at; what it hangs at was assigned before. */
  private assign(node: TurnNode): void {
    const { index, parent } = node;
    const { variants } = this.order;
    const above = parent ? (this.anchor[parent.index] ?? NONE) : NONE;
    const outer = parent ? (this.many[parent.index] ?? NONE) : NONE;
    if (outer !== NONE) this.many[index] = outer;
    const many = this.many[index] ?? NONE;
    if (many !== NONE && many !== index) return this.into(index, many);
    if (variants.isBehind(node)) {
      const front = variants.frontOf(node);
      // The front may come later: it is drawn there all the same.
      const isIn = this.many[front.index] ?? NONE;
      this.cell[index] = this.rules.isShown(front) ? (isIn === NONE ? front.index : isIn) : NONE;
      this.anchor[index] = above;
      return;
    }
    const into = many === NONE ? this.leaderOf(node, above) : NONE;
    if (into !== NONE) this.into(index, into);
    else if (many === NONE && !this.rules.isShown(node)) {
      this.cell[index] = NONE;
      this.anchor[index] = above;
    } else {
      this.cell[index] = this.anchor[index] = index;
      this.turns[index] = 1;
      if (above === NONE) this.tops.push(node);
      else (this.kids[above] ??= []).push(node);
    }
    if (many === NONE && node.children.length > MANY && !this.isTakenIn(node)) this.takeMany(node);
  }

  private nextOf(index: number): number {
    return this.next[index] ?? NONE;
  }

  private into(index: number, leader: number): void {
    this.cell[index] = this.anchor[index] = leader;
    this.turns[leader] = (this.turns[leader] ?? 0) + 1;
  }

  /** The cell that takes a node in, its fold or chapter; NONE: it is a cell of its own, or left out. */
  private leaderOf(node: TurnNode, above: number): number {
    const { folds, isShown } = this.rules;
    if (!this.chapters) {
      const leader = leaderOf(node, folds, isShown);
      return leader === node ? NONE : leader.index;
    }
    if (above === NONE || !isShown(node)) return NONE;
    if (!this.isGoingOn(node, above)) {
      if (!this.isTakenIn(node)) return NONE;
      if (!this.order.isStraight(node)) this.branches[above] = (this.branches[above] ?? 0) + 1;
      return above;
    }
    const before = this.tree.nodes[above] as TurnNode;
    if ([node, before].some((mark) => isMark(mark) && this.isLandmark(mark))) return NONE;
    if (this.rules.isLabelled(node) && this.isLandmark(node)) return NONE;
    return this.isForked(node.parent as TurnNode) ? NONE : above;
  }

  private isLandmark(node: TurnNode): boolean {
    return this.chapters?.landmarks?.has(node) ?? true;
  }

  /** The whole branch that a node is in, and all that leaves it, goes into a chapter. */
  private isTakenIn(node: TurnNode): boolean {
    return this.chapters !== null && !this.isLandmark(this.order.runOf(node).first);
  }

  /** Branches leave at a node that are cells of their own. O(children). */
  private isForked({ children }: TurnNode): boolean {
    if (children.length < 2) return false;
    const { variants } = this.order;
    return children.some(
      (child) => !this.order.isStraight(child) && !variants.isBehind(child) && !this.isTakenIn(child),
    );
  }

  /** True for the node that goes on in the lane of a cell. */
  private isGoingOn(node: TurnNode, above: number): boolean {
    return this.order.isSameRun(node, this.tree.nodes[above] as TurnNode);
  }

  /** More than six branches at one fork are one cell (GR6). O(children). */
  private takeMany(at: TurnNode | null): void {
    const children = at?.children ?? this.tree.roots;
    if (children.length <= MANY || this.rules.findsFew()) return;
    const { order, rules } = this;
    const isBranch = (child: TurnNode): boolean =>
      !order.isStraight(child) && !order.variants.isBehind(child) && (at === null || !this.isTakenIn(child));
    const branches = children.filter(isBranch);
    if (branches.length <= MANY) return;
    const rest = branches.filter((first) => !rules.isOpen(first) && !rules.isKeptOut(first));
    const [leader] = rest;
    if (!leader || rest.length < 2) return;
    this.steps += children.length;
    for (const { index } of rest) this.many[index] = leader.index;
    this.manyCount.set(leader.index, rest.length);
  }

  /** Puts the cells below a cell into their order. What hangs below them was measured before. */
  private measure(cell: TurnNode): void {
    const { index } = cell;
    const kids = this.kids[index];
    const straight = kids?.find((kid) => this.isGoingOn(kid, index));
    if (kids && kids.length > 1) this.kids[index] = this.inOrder(kids, straight);
    if (straight) this.next[index] = straight.index;
    this.length[index] = 1 + (straight ? (this.length[straight.index] as number) : 0);
  }

  private inOrder(kids: TurnNode[], straight: TurnNode | undefined): TurnNode[] {
    const others = this.order.sorted(kids.filter((kid) => kid !== straight));
    return straight ? [straight, ...others] : others;
  }

  /** Gives the cells below a cell their places. */
  private start(above: TurnNode | null, kids: readonly TurnNode[]): readonly TurnNode[] {
    const trunk = above ? null : (this.order.trunk?.first ?? null);
    const row = above ? this.rowOf(above) + 1 : 0;
    const own = above ? this.laneOf(above) : NONE;
    const at = above?.index ?? NONE;
    let list = kids;
    if (!above && kids.length > 1) {
      const first = kids.find((kid) => trunk && this.order.isSameRun(kid, trunk));
      list = this.inOrder([...kids], first);
      this.tops.splice(0, this.tops.length, ...list);
    }
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
