/**
 * Which child of a fork goes straight on, how the others stand beside it, and what one branch is (GR2, GR5, GR16). The layouts of
 * rail and canvas, the outline and the list of branches all follow it.
 *
 * - `straightChild(node)`: the child on HEAD's path, else the one with most turns below it, else the most recently active one.
 * - `siblings(node)`: the other children that are drawn as branches, most recently active first. Variants that are hidden in
 *   a stack are no branches: `variants`.
 * - `runOf(node)`: the branch of a node. A run begins at a node that is not its parent's straight child, or at the top, and goes
 *   down straight children. What is hidden in a stack belongs to the run of its front, so every node is in exactly one run.
 *
 * All of it is fixed by `fix`: when the session opens, HEAD moves, or the person sorts. A node that is appended is the straight child
 * of one that had none; else it comes last among the siblings until then. Nothing here is recursive.
 */
import { isNoTurn, type TurnNode, type TurnTree } from './turns';
import { Variants } from './variants';

/** One branch (GR16): a straight run of turns. Known by the entry of its first turn; another object after each `fix`. */
export interface Run {
  readonly first: TurnNode;
  /** The entry that it is known by. */
  readonly id: string;
  readonly tip: TurnNode;
  /** Turns from first to tip, as the tab Branches counts them: without compactions and branch summaries (GR17). */
  readonly turns: number;
  /** The run out of which it branches; null at the top. */
  readonly parent: Run | null;
  /** How many runs it is within. */
  readonly depth: number;
}

const NONE = -1;

export class GraphOrder {
  readonly variants = new Variants();
  /** Counts up with each `fix`. */
  version = 0;
  /** Counts up with each `takeFilled`. */
  filled = 0;
  /** Nodes looked at, for the tests of linear time. */
  steps = 0;
  /** All by index of a node. */
  private straight: number[] = [];
  private size: number[] = [];
  private activity: number[] = [];
  private first: number[] = [];
  /** By index of the first node of a run. */
  private tip: number[] = [];
  private turns: number[] = [];
  private straightRoot = NONE;
  private runsByFirst = new Map<number, RunView>();
  /** Nodes that were there at the last `fix`. */
  private fixed = 0;

  constructor(private readonly tree: Pick<TurnTree, 'nodes' | 'roots'>) {}

  /** The child that goes on in its parent's lane; of null, the node at the top that the trunk begins with. O(1). */
  straightChild(node: TurnNode | null): TurnNode | null {
    const index = node ? this.straight[node.index] : this.straightRoot;
    return this.tree.nodes[index ?? NONE] ?? null;
  }

  /** Whether a node is a turn where turns are counted (GR17): a prompt with its answers is one, and the variants behind it are none beside it. O(1). */
  countsAsTurn(node: TurnNode): boolean {
    return !isNoTurn(node) && !this.variants.isBehind(node);
  }

  isStraight(node: TurnNode): boolean {
    return this.straightChild(node.parent) === node;
  }

  /** Whether HEAD can come to a node from its parent and leave everything as it is: it goes straight on, with its variants behind it. O(1). */
  isOnward(node: TurnNode): boolean {
    return this.isStraight(node) && this.variants.isInFront(node);
  }

  /** The branches that leave at a node, of null those at the top. O(children × log). */
  siblings(node: TurnNode | null): TurnNode[] {
    const children = node ? node.children : this.tree.roots;
    const straight = this.straightChild(node);
    const others: TurnNode[] = [];
    for (const child of children) if (child !== straight && !this.variants.isBehind(child)) others.push(child);
    return others.length > 1 ? this.sorted(others) : others;
  }

  /** Most recently active first; what came since the last `fix` behind all others, as it came. Sorts in place. */
  sorted(nodes: TurnNode[]): TurnNode[] {
    return nodes.sort((a, b) => {
      const [isLateA, isLateB] = [a.index >= this.fixed, b.index >= this.fixed];
      if (isLateA || isLateB) return isLateA && isLateB ? a.index - b.index : isLateA ? 1 : -1;
      return this.activityOf(b) - this.activityOf(a) || b.index - a.index;
    });
  }

  /** File position of the newest entry below a node, as of the last `fix`. O(1). */
  activityOf(node: TurnNode): number {
    return this.activity[node.index] ?? node.lastSeq;
  }

  /** Turns below a node and it itself, as of the last `fix`. O(1). */
  sizeOf(node: TurnNode): number {
    return this.size[node.index] ?? 1;
  }

  /** The branch of a node. O(1). */
  runOf(node: TurnNode): Run {
    return this.runAt(this.first[this.variants.frontOf(node).index] ?? node.index);
  }

  /** Whether two nodes that are placed belong to one branch. O(1). */
  isSameRun(a: TurnNode, b: TurnNode): boolean {
    return this.first[a.index] === this.first[b.index];
  }

  /** The run with which the trunk begins, HEAD's path if there is a HEAD; null in an empty session. */
  get trunk(): Run | null {
    return this.straightRoot === NONE ? null : this.runAt(this.straightRoot);
  }

  /** Every branch, in the order in which their first turns were made. O(nodes). */
  runs(): Run[] {
    const runs: Run[] = [];
    for (const node of this.tree.nodes) {
      if (this.first[node.index] === node.index && !this.variants.isBehind(node)) runs.push(this.runAt(node.index));
    }
    return runs;
  }

  /** Fixes order, stacks and runs. O(nodes). */
  fix(head: TurnNode | null): void {
    for (const _ of this.fixing(head, Infinity));
  }

  /** The same in pieces: rests after every so many nodes. */
  *fixing(head: TurnNode | null, piece: number): Generator<void, void> {
    const { nodes, roots } = this.tree;
    const count = nodes.length;
    let left = piece;
    const isFull = (): boolean => {
      this.steps++;
      if (--left > 0) return false;
      left = piece;
      return true;
    };
    this.version++;
    this.fixed = count;
    [this.straight, this.size, this.activity, this.first, this.tip, this.turns] = [[], [], [], [], [], []];
    this.straightRoot = NONE;
    this.runsByFirst = new Map();
    this.variants.clear();
    const { straight, size, activity } = this;
    for (const node of nodes) {
      straight.push(NONE);
      size.push(1);
      activity.push(node.lastSeq);
      this.first.push(NONE);
      this.tip.push(NONE);
      this.turns.push(0);
      if (isFull()) yield;
    }
    // A child stands behind its parent in the list: once it is reached from the end, all below it was.
    for (let at = count - 1; at >= 0; at--) {
      const above = (nodes[at] as TurnNode).parent?.index ?? NONE;
      if (above !== NONE) {
        size[above] = (size[above] as number) + (size[at] as number);
        activity[above] = Math.max(activity[above] as number, activity[at] as number);
      }
      const best = above === NONE ? this.straightRoot : (straight[above] as number);
      if (best === NONE || this.isBefore(at, best)) this.goStraight(above, at);
      if (isFull()) yield;
    }
    const path = new Set<TurnNode>();
    for (let node = head; node; node = node.parent) {
      path.add(node);
      this.goStraight(node.parent?.index ?? NONE, node.index);
      if (isFull()) yield;
    }
    for (let at = 0; at < count; at++) {
      const node = nodes[at] as TurnNode;
      if ((node.parent?.children ?? roots).length > 1) {
        this.variants.take(node, path.has(node), (than) => this.isNewer(at, than.index));
      }
      this.seat(node);
      if (isFull()) yield;
    }
  }

  /**
   * Takes a node that was appended. O(1).
   * @returns whether a node that was hidden in a stack is a branch now
   */
  append(node: TurnNode): boolean {
    const { roots } = this.tree;
    const { parent, index } = node;
    const besides = parent?.children ?? roots;
    if (besides.length > 1) {
      // The first of them had nobody beside it until now.
      if (besides.length === 2) this.variants.take(besides[0] as TurnNode, true, null);
      this.variants.take(node, false, null);
    }
    this.steps++;
    const above = parent?.index ?? NONE;
    const isFirst = (above === NONE ? this.straightRoot : this.straight[above]) === NONE;
    this.straight[index] = NONE;
    this.first[index] = NONE;
    if (isFirst) this.goStraight(above, index);
    this.seat(node);
    return isFirst && parent !== null && !this.variants.isInFront(parent);
  }

  /** Takes a node that was settings alone and has its first content now, and returns it. O(1). */
  takeFilled(node: TurnNode): TurnNode {
    const first = this.first[node.index] as number;
    this.filled++;
    if (!isNoTurn(node)) this.turns[first] = (this.turns[first] ?? 0) + 1;
    return node;
  }

  private isBefore(at: number, best: number): boolean {
    const more = (this.size[at] as number) - (this.size[best] as number);
    return more > 0 || (more === 0 && this.isNewer(at, best));
  }

  private isNewer(at: number, than: number): boolean {
    const by = (this.activity[at] as number) - (this.activity[than] as number);
    return by > 0 || (by === 0 && at > than);
  }

  private goStraight(above: number, at: number): void {
    if (above === NONE) this.straightRoot = at;
    else this.straight[above] = at;
  }

  /** A node that goes straight on belongs to the run of its parent. */
  private seat(node: TurnNode): void {
    const { index, parent } = node;
    const goesOn = parent !== null && this.straight[parent.index] === index;
    const first = goesOn ? (this.first[parent.index] as number) : index;
    this.first[index] = first;
    this.tip[first] = index;
    this.turns[first] = (goesOn ? (this.turns[first] ?? 0) : 0) + (isNoTurn(node) ? 0 : 1);
  }

  private runAt(first: number): RunView {
    let run = this.runsByFirst.get(first);
    if (!run) this.runsByFirst.set(first, (run = new RunView(this, this.tree.nodes[first] as TurnNode)));
    return run;
  }

  /** @internal of `Run` */
  tipOf(first: number): TurnNode {
    return this.tree.nodes[this.tip[first] ?? first] as TurnNode;
  }
  /** @internal of `Run` */
  turnsOf(first: number): number {
    return this.turns[first] ?? 1;
  }
}

/** Grows with its branch. */
class RunView implements Run {
  private above: Run | null | undefined;

  constructor(
    private readonly order: GraphOrder,
    readonly first: TurnNode,
  ) {}

  get id(): string {
    return this.first.contentId;
  }
  get tip(): TurnNode {
    return this.order.tipOf(this.first.index);
  }
  get turns(): number {
    return this.order.turnsOf(this.first.index);
  }
  get parent(): Run | null {
    if (this.above === undefined) this.above = this.first.parent ? this.order.runOf(this.first.parent) : null;
    return this.above;
  }
  get depth(): number {
    let depth = 0;
    for (let run = this.parent; run; run = run.parent) depth++;
    return depth;
  }
}
