/**
 * The rail (GR7): one row a turn. A branch's rows stand directly under the turn that it leaves, the most recently active branch
 * first, then what goes straight on. A branch is one row until it is opened; more than six at one fork are one row (GR6).
 *
 * Rows and lanes follow from the order, folds, filter and opened branches of `BranchGraph`; nothing here decides what is shown.
 * `rail-lines.ts` says what is drawn between the rows.
 */
import { leaderOf } from './folds';
import type { GraphOrder, Run } from './order';
import { RailLines, type RailLine } from './rail-lines';
import { countingShown, MANY, type RailRow, type RailRules } from './rail-rows';
import type { TurnNode, TurnTree } from './turns';

interface Task {
  kind: 'on' | 'run' | 'many';
  node: TurnNode;
  lane: number;
  line: RailLine | null;
  run: Run | null;
  rest: TurnNode[] | null;
}

export class RailLayout {
  readonly rows: RailRow[] = [];
  readonly lines: RailLines;
  /** Nodes looked at, for the tests of linear time. */
  steps = 0;
  /** By index of a node: the row that is its own. */
  private readonly rowOf: number[] = [];
  /** By index of the node at which they leave, -1 at the top: the row "N branches". */
  private readonly manyAt = new Map<number, number>();
  /** By index of the first turn of a branch: the row "N branches" that it is one of. */
  private readonly groupOf: number[] = [];
  /** By index of a node: how many that are shown stand below it, itself too. Only where some are left out. */
  private shownIn: number[] | null = null;
  private trunkLine: RailLine | null = null;
  private readonly tasks: Task[] = [];

  constructor(
    private readonly tree: TurnTree,
    private readonly order: GraphOrder,
    private readonly rules: RailRules,
  ) {
    this.lines = new RailLines(this.rows, order, tree);
  }

  get count(): number {
    return this.rows.length;
  }
  /** Lanes that are used, one at least. */
  get lanes(): number {
    return this.lines.count;
  }

  rowAt(index: number): RailRow | null {
    return this.rows[index] ?? null;
  }

  /**
   * The row that shows a node: its own, that of its fold, of the front of its stack, of its closed branch or of "N branches". -1: a
   * filter leaves it out, and no row is known by it. O(nested branches), at most log2(turns).
   */
  indexOf(node: TurnNode): number {
    const placed = this.order.variants.frontOf(node);
    const { folds, isShown } = this.rules;
    // Before what a filter says: a closed branch has its row by what is in it, whatever it begins with.
    const own = this.rowOf[leaderOf(placed, folds, isShown).index];
    if (own !== undefined) return own;
    const group = this.groupOf[placed.index];
    if (group !== undefined) return group;
    if (!isShown(placed)) return -1;
    for (let run: Run | null = this.order.runOf(placed); run; run = run.parent) {
      const row = this.rowOf[run.first.index];
      if (row !== undefined) return this.rows[row]?.kind === 'branch' ? row : -1;
      if (this.rules.isOpen(run.first)) continue;
      const many = this.manyAt.get(run.first.parent?.index ?? -1);
      if (many !== undefined && !this.rules.isKeptOut(run.first)) return many;
    }
    return -1;
  }

  /** The row of the nearest node that is shown: its own, else that of what is above it. -1: there is none. O(depth) where it is left out. */
  nearest(node: TurnNode): number {
    for (let at: TurnNode | null = node; at; at = at.parent) {
      const row = this.indexOf(at);
      if (row >= 0) return row;
    }
    return -1;
  }

  build(): this {
    for (const _ of this.building(Infinity));
    return this;
  }

  /** Makes all rows, once; rests after every so many nodes. */
  *building(piece: number): Generator<void, void> {
    let left = piece;
    const { tasks, order } = this;
    if (!this.rules.showsAll()) {
      this.shownIn = yield* countingShown(this.tree, this.order, this.rules, piece);
    }
    this.lines.begin(this.rules);
    yield* this.fork(null, -1, null, null, piece);
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      if (task.kind === 'many') {
        this.placeMany(task);
        continue;
      }
      if (task.kind === 'run') {
        if (!this.rules.isOpen(task.node) && task.node !== order.trunk?.first) {
          this.placeBranch(task);
          continue;
        }
        this.openRun(task);
      }
      const { lane, line, run } = task as Task & { line: RailLine; run: Run };
      for (let node: TurnNode | null = task.node; node;) {
        this.steps++;
        this.placeTurn(node, lane, line, run);
        const next: TurnNode | null = order.straightChild(node);
        if (--left <= 0) {
          left = piece;
          yield;
        }
        if (node.children.length > 1) {
          left -= node.children.length;
          yield* this.fork(node, lane, line, run, piece);
          break;
        }
        if (!next) this.lines.end(run, line);
        node = next;
      }
    }
    this.lines.finish();
  }

  /** A turn of a closed branch counts as one by now. O(1). */
  recount(node: TurnNode): void {
    const row = this.rows[this.indexOf(node)];
    if (row?.kind === 'branch') row.count = row.run.turns;
  }

  /**
   * Takes a node that was appended, if it is the next row of the trunk, or within a row that is there. False: the rows have to be made
   * anew. O(1).
   */
  append(node: TurnNode): boolean {
    const { order, rules } = this;
    const run = order.runOf(node);
    if (order.variants.isBehind(node)) return this.indexOf(node) >= 0;
    if (node.broughtFrom !== null) return false;
    const { parent } = node;
    const row = parent ? this.indexOf(parent) : -1;
    const above = this.rows[row];
    if (!above || !order.isStraight(node)) return above?.kind === 'branch';
    if (above.kind === 'branch') above.count = above.run.turns;
    if (above.kind === 'branch' || above.kind === 'many') return rules.showsAll();
    if (run.first !== order.trunk?.first || row !== this.rows.length - 1 || !this.trunkLine) return false;
    if (!rules.isShown(node)) return true;
    this.placeTurn(node, 0, this.trunkLine, run);
    return true;
  }

  /** Puts what hangs at a node onto the pile, the straight child at the bottom. */
  private *fork(
    at: TurnNode | null,
    lane: number,
    line: RailLine | null,
    run: Run | null,
    piece: number,
  ): Generator<void, void> {
    const { order, tasks, rules } = this;
    const straight = order.straightChild(at);
    const hang = (kind: Task['kind'], node: TurnNode, rest: TurnNode[] | null = null): void =>
      void tasks.push({ kind, node, lane, line, run, rest });
    if (straight) hang(at ? 'on' : 'run', straight);
    const kept: TurnNode[] = [];
    const rest: TurnNode[] = [];
    let left = piece;
    for (const child of at?.children ?? this.tree.roots) {
      this.steps++;
      if (child !== straight && !order.variants.isBehind(child) && this.hasShown(child)) {
        (rules.isOpen(child) || rules.isKeptOut(child) ? kept : rest).push(child);
      }
      if (--left > 0) continue;
      left = piece;
      yield;
    }
    if (kept.length + rest.length > MANY && rest.length > 1) hang('many', rest[0] as TurnNode, rest);
    else kept.push(...rest);
    order.sorted(kept);
    for (let i = kept.length - 1; i >= 0; i--) hang('run', kept[i] as TurnNode);
  }

  private hasShown(first: TurnNode): boolean {
    return this.shownIn === null || (this.shownIn[first.index] as number) > 0;
  }

  private placeTurn(node: TurnNode, lane: number, line: RailLine, run: Run): void {
    const { folds, isShown } = this.rules;
    if (!isShown(node)) return;
    if (leaderOf(node, folds, isShown) !== node) return;
    const fold = folds.of(node);
    const isFolded = fold?.first === node;
    const at = this.rows.length;
    const from = line.isBegun ? -1 : line.leaves;
    const kind = isFolded ? 'fold' : 'turn';
    this.add({ kind, node, lane, run, count: isFolded ? fold.count : 1, from, leaves: null });
    this.lines.goOn(line, at, node);
  }

  private openRun(task: Task): void {
    const { lines, order } = this;
    const isTrunk = task.node === order.trunk?.first;
    const leaves = isTrunk ? -1 : task.lane;
    task.run = order.runOf(task.node);
    task.lane = isTrunk ? 0 : lines.laneBeside(task.lane);
    task.line = lines.open(task.lane, leaves, task.line);
    if (!isTrunk) return;
    this.trunkLine = task.line;
    lines.takeTrunk(task.line);
  }

  private placeBranch({ node, lane: from, line }: Task): void {
    const run = this.order.runOf(node);
    const lane = this.lines.laneBeside(from);
    const at = this.rows.length;
    this.add({ kind: 'branch', node, lane, run, count: run.turns, from, leaves: node.parent });
    this.lines.leave(line, at);
    this.lines.hold(node, at, lane);
  }

  private placeMany({ node, lane: from, line, run, rest }: Task): void {
    const members = rest as TurnNode[];
    const at = this.rows.length;
    const lane = this.lines.laneBeside(from);
    const count = members.length;
    const of = run ?? this.order.runOf(node);
    this.add({ kind: 'many', node, lane, run: of, count, from, leaves: node.parent, members });
    this.manyAt.set(node.parent?.index ?? -1, at);
    for (const member of members) this.groupOf[member.index] = at;
    this.lines.leave(line, at);
    this.lines.holdMany(members, at, lane);
  }

  private add(row: RailRow): void {
    if (row.kind !== 'many') this.rowOf[row.node.index] = this.rows.length;
    this.rows.push(row);
  }
}
