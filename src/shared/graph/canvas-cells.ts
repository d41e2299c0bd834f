/**
 * What is drawn as one on the canvas (GR5, GR6, GR8): each turn is a cell of its own, or in that of its fold, stack, chapter or
 * "N branches", or left out; and which cells hang at which. Where they stand is said by `CanvasLayout`.
 */
import { leaderOf } from './folds';
import type { GraphOrder } from './order';
import { filled } from './pieces';
import { countingShown, MANY, type RailRules } from './rail-rows';
import { isMark, type TurnNode, type TurnTree } from './turns';

export interface CanvasRules extends RailRules {
  /** A label stands at it: a chapter begins there. */
  isLabelled(node: TurnNode): boolean;
  /** A filter finds few turns: "N branches" would hide them. */
  findsFew(): boolean;
}

/** Where chapters begin besides the top; null: at all that is one (`landmarksOf`). */
interface Chapters {
  landmarks: ReadonlySet<TurnNode> | null;
}

/** No cell: stands in arrays of numbers. */
export const NONE = -1;
const NOTHING: readonly TurnNode[] = [];

export class CanvasCells {
  /** Cells that hang at nothing, in order. */
  readonly tops: TurnNode[] = [];
  /** Nodes and lanes looked at, for the tests of linear time. */
  steps = 0;
  /** By index of a node: the cell in which it is drawn, or NONE. */
  private cell: number[] = [];
  /** The cell at which the children of a node hang, or NONE. */
  private anchor: number[] = [];
  private readonly kids: (TurnNode[] | undefined)[] = [];
  private turns: number[] = [];
  private readonly branches: number[] = [];
  /** By index of a node in "N branches": the cell of it. */
  private many: number[] = [];
  private readonly manyCount = new Map<number, number>();
  /** By index of a node: how many that are shown stand below it, itself too. Only where some are left out. */
  private shownIn: number[] | null = null;

  constructor(
    protected readonly tree: TurnTree,
    protected readonly order: GraphOrder,
    private readonly rules: CanvasRules,
    private readonly chapters: Chapters | null = null,
  ) {}

  /** Before the nodes of the tree are taken, each behind its parent. Rests after every so many nodes. */
  protected *beginning(piece: number): Generator<void, void> {
    if (!this.rules.showsAll()) this.shownIn = yield* countingShown(this.tree, this.order, this.rules, piece);
    const count = this.tree.nodes.length;
    this.turns = filled(count, 0);
    this.cell = filled(count, NONE);
    this.anchor = filled(count, NONE);
    this.many = filled(count, NONE);
    this.takeMany(null);
  }

  /** Finds the cell that a node is drawn in, and the one at which its children hang; what it hangs at was taken before. */
  protected take(node: TurnNode): void {
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

  isCell(node: TurnNode): boolean {
    return this.cell[node.index] === node.index;
  }

  /** The cell in which a node is drawn: itself, its fold, chapter, stack or "N branches". Null: it is not on the graph. */
  cellOf(node: TurnNode): TurnNode | null {
    // Of a variant that is put away it is the front, which a chapter may have taken in.
    const at = this.cell[node.index] ?? NONE;
    return this.tree.nodes[this.cell[at] ?? NONE] ?? null;
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

  /** Puts what hangs at a cell (null: at nothing) into its order, what goes straight on first: `straight`, if it is among them. */
  protected sort(above: TurnNode | null, straight: TurnNode | undefined): readonly TurnNode[] {
    const kids = above ? (this.kids[above.index] ?? NOTHING) : this.tops;
    if (kids.length < 2) return kids;
    const others = this.order.sorted(kids.filter((kid) => kid !== straight));
    const sorted = straight ? [straight, ...others] : others;
    if (above) this.kids[above.index] = sorted;
    else this.tops.splice(0, this.tops.length, ...sorted);
    return sorted;
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
  protected isGoingOn(node: TurnNode, above: number): boolean {
    return this.order.isSameRun(node, this.tree.nodes[above] as TurnNode);
  }

  /** More than six branches at one fork, of those with anything on the graph, are one cell (GR6). O(children). */
  private takeMany(at: TurnNode | null): void {
    const children = at?.children ?? this.tree.roots;
    if (children.length <= MANY || this.rules.findsFew()) return;
    const { order, rules } = this;
    const isBranch = (child: TurnNode): boolean =>
      !order.isStraight(child) &&
      !order.variants.isBehind(child) &&
      (this.shownIn === null || (this.shownIn[child.index] ?? 0) > 0) &&
      (at === null || !this.isTakenIn(child));
    const branches = children.filter(isBranch);
    if (branches.length <= MANY) return;
    const rest = branches.filter((first) => !rules.isOpen(first) && !rules.isKeptOut(first));
    const [leader] = rest;
    if (!leader || rest.length < 2) return;
    this.steps += children.length;
    for (const { index } of rest) this.many[index] = leader.index;
    this.manyCount.set(leader.index, rest.length);
  }
}
