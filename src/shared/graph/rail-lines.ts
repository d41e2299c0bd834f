/**
 * What is drawn between the rows of the rail: which lane each branch has, where its line leaves another and how far it goes down, and
 * the violet edges from a branch to the summary that was brought over from it. Lanes are used again below a branch that ended (GR4).
 */
import type { GraphOrder, Run } from './order';
import { firstFrom } from './pieces';
import type { RailRow, RailRules } from './rail-rows';
import type { TurnNode, TurnTree } from './turns';

/** How a node stands to what the model sees: off the active path, covered by a summary, or in the context. */
export type ContextRegion = 'aside' | 'summarised' | 'seen';

/** A vertical line within a lane, from the middle of a row to that of another. Rows end in .5 in the gap below a row. */
export interface RailSegment {
  lane: number;
  from: number;
  to: number;
  region: ContextRegion | 'source';
}

/**
 * A line from one lane into another at a row. `leave`: in the gap above the row, then down to its middle. `join`: from the lane of a
 * violet edge into the middle of the summary's row. `out`: from the middle of the row into the lane of its violet edge.
 */
export interface RailBend {
  kind: 'leave' | 'join' | 'out';
  row: number;
  from: number;
  to: number;
  region: ContextRegion | 'source';
}

/** The line of one branch, or a violet edge, while rows are made. */
export interface RailLine {
  lane: number;
  from: number;
  to: number;
  /** The lane that it leaves; -1: it hangs at nothing. */
  leaves: number;
  /** It has a row, or something hangs at it. */
  isBegun: boolean;
  /** Its last own row. */
  last: number;
  kind: 'branch' | 'source';
  parent: RailLine | null;
}

interface Hold {
  line: RailLine;
  /** The lane of the row that it comes from. */
  lane: number;
  waits: Set<TurnNode>;
  joined: number[];
  isOuter: boolean;
}

/** Violet edges that keep a lane of their own; others share one to the right of everything. */
const MAX_HELD = 3;

export class RailLines {
  /** Lanes that are used. */
  count = 1;
  /** Per lane, `from` rising, none over another. */
  private readonly lanes: RailLine[][] = [];
  private trunk: RailLine | null = null;
  /** Rows of the trunk itself. */
  private readonly trunkRows: number[] = [];
  private readonly bends = new Map<number, RailBend[]>();
  /** Summaries that are rows, by the first node of the branch whose row is the source. */
  private readonly wanted = new Map<TurnNode, TurnNode[]>();
  private readonly holds: Hold[] = [];
  private readonly waiting = new Map<TurnNode, Hold>();
  private readonly held = new Set<number>();
  private readonly placed = new Map<TurnNode, number>();

  constructor(
    private readonly rows: readonly RailRow[],
    private readonly order: GraphOrder,
    private readonly tree: TurnTree,
  ) {}

  /**
   * What is drawn between two rows, both included: lines that reach into them, cut off a row outside, and bends. O(lanes × log + rows).
   */
  between(
    fromRow: number,
    toRow: number,
    regionOf: (node: TurnNode) => ContextRegion,
  ): { segments: RailSegment[]; bends: RailBend[] } {
    const segments: RailSegment[] = [];
    const bends: RailBend[] = [];
    const [low, high] = [fromRow - 1, toRow + 1];
    for (const lines of this.lanes) {
      for (let at = firstFrom(lines ?? [], ({ to }) => to < low); at < (lines?.length ?? 0); at++) {
        const line = lines[at] as RailLine;
        if (line.from > high) break;
        if (line === this.trunk) this.addTrunk(segments, low, high, regionOf);
        else {
          const [from, to] = [Math.max(line.from, low), Math.min(line.to, high)];
          const region = line.kind === 'source' ? 'source' : 'aside';
          if (from < to) segments.push({ lane: line.lane, from, to, region });
        }
      }
    }
    for (let row = Math.max(0, fromRow); row <= Math.min(toRow + 1, this.rows.length - 1); row++) {
      const { from, lane: to } = this.rows[row] ?? { from: -1, lane: 0 };
      if (from >= 0) bends.push({ kind: 'leave', row, from, to, region: 'aside' });
      bends.push(...(this.bends.get(row) ?? []));
    }
    return { segments, bends };
  }

  /** The trunk changes its color where the model's view begins, and at HEAD. */
  private addTrunk(
    segments: RailSegment[],
    low: number,
    high: number,
    regionOf: (node: TurnNode) => ContextRegion,
  ): void {
    const { trunk, trunkRows, rows } = this;
    if (!trunk) return;
    let at = firstFrom(trunkRows, (row) => row <= low) - 1;
    let from = Math.max(low, trunk.from);
    const end = Math.min(high, trunk.to);
    const mine: RailSegment[] = [];
    while (from < end) {
      const next = trunkRows[++at];
      const node = next === undefined ? undefined : rows[next]?.node;
      const region = node ? regionOf(node) : 'aside';
      const to = Math.min(next ?? trunk.to, end);
      if (to <= from) continue;
      const last = mine.at(-1);
      if (last?.region === region) last.to = to;
      else mine.push({ lane: 0, from, to, region });
      from = to;
    }
    segments.push(...mine);
  }

  /** @internal Looks for the summaries that will be rows, and for the branches that they come from. O(summaries × nested branches). */
  begin(rules: RailRules): void {
    for (const summary of this.tree.summaries) {
      if (!rules.isShown(summary) || !isOpened(this.order.runOf(summary), rules, this.order)) continue;
      const source = summary.broughtFrom === null ? undefined : this.tree.place(summary.broughtFrom)?.node;
      if (!source || this.isAbove(source, summary)) continue;
      let holder: Run = this.order.runOf(source);
      for (let run: Run | null = holder; run; run = run.parent) {
        if (!rules.isOpen(run.first) && run.first !== this.order.trunk?.first) holder = run;
      }
      const list = this.wanted.get(holder.first);
      if (list) list.push(summary);
      else this.wanted.set(holder.first, [summary]);
    }
  }

  /** @internal The first lane to the right of another that nothing runs through. */
  laneBeside(lane: number): number {
    let beside = Math.max(0, lane) + 1;
    while (this.held.has(beside)) beside++;
    if (beside >= this.count) this.count = beside + 1;
    return beside;
  }

  /** @internal The line of a branch whose rows follow. */
  open(lane: number, leaves: number, parent: RailLine | null): RailLine {
    return { lane, from: 0, to: 0, leaves, isBegun: false, last: -1, kind: 'branch', parent };
  }

  /** @internal A row of a branch. */
  goOn(line: RailLine, row: number, node: TurnNode): void {
    if (!line.isBegun) {
      this.start(line, row);
      if (line.leaves >= 0) this.leave(line.parent, row);
    }
    line.to = line.last = row;
    if (line === this.trunk) this.trunkRows.push(row);
    if (node.kind === 'summary') this.join(node, row, line.lane);
  }

  /** @internal Something hangs at a branch at a row that is not its own: its line goes down to the gap above. */
  leave(line: RailLine | null, row: number): void {
    if (!line) return;
    if (!line.isBegun) {
      // What is left out of it stands above; so its line begins where something hangs at it.
      this.start(line, row - 0.5);
      if (line.leaves >= 0) {
        this.leave(line.parent, row);
        this.bend({ kind: 'leave', row, from: line.leaves, to: line.lane, region: 'aside' });
      }
    }
    line.to = Math.max(line.to, row - 0.5);
  }

  /** @internal A branch has had its last row. */
  end(run: Run, line: RailLine): void {
    if (line.last >= 0) this.hold(run.first, line.last, line.lane);
  }

  /** @internal A row that stands for a whole branch, or its last one: from here its violet edges run. */
  hold(first: TurnNode, row: number, lane: number): void {
    const summaries = this.wanted.get(first);
    if (summaries) this.draw(summaries, row, lane);
  }

  /** @internal The same for "N branches". */
  holdMany(members: readonly TurnNode[], row: number, lane: number): void {
    if (this.wanted.size === 0) return;
    const summaries = members.flatMap((first) => this.wanted.get(first) ?? []);
    if (summaries.length > 0) this.draw(summaries, row, lane);
  }

  /** @internal All rows are made. */
  finish(): void {
    const outer = this.holds.filter((hold) => hold.isOuter && hold.joined.length > 0);
    if (outer.length === 0) return;
    const lane = this.count++;
    const lines: RailLine[] = [];
    for (const { line, lane: from, joined } of outer) {
      this.bend({ kind: 'out', row: line.last, from, to: lane, region: 'source' });
      for (const row of joined) {
        this.bend({ kind: 'join', row, from: lane, to: this.rows[row]?.lane ?? 0, region: 'source' });
      }
      line.from = Math.min(line.last, ...joined);
      line.to = Math.max(line.last, ...joined);
      lines.push(line);
    }
    lines.sort((a, b) => a.from - b.from);
    const merged: RailLine[] = (this.lanes[lane] = []);
    for (const line of lines) {
      const before = merged.at(-1);
      if (before && line.from <= before.to) before.to = Math.max(before.to, line.to);
      else merged.push(Object.assign(line, { lane }));
    }
  }

  /** @internal The line of the path to HEAD. */
  takeTrunk(line: RailLine): void {
    this.trunk = line;
  }

  private start(line: RailLine, from: number): void {
    line.isBegun = true;
    line.from = line.to = from;
    (this.lanes[line.lane] ??= []).push(line);
  }

  private draw(summaries: readonly TurnNode[], row: number, lane: number): void {
    const waits = new Set(summaries.filter((summary) => !this.placed.has(summary)));
    const joined = summaries.flatMap((summary) => this.placed.get(summary) ?? []);
    // One that goes upwards, or one of many, has no lane that is free all the way.
    const isOuter = joined.length > 0 || lane === 0 || this.held.size >= MAX_HELD;
    const line: RailLine = {
      ...{ lane, from: row, to: row, leaves: -1, isBegun: true, last: row },
      ...{ kind: 'source', parent: null },
    };
    const hold: Hold = { line, lane, waits, joined, isOuter };
    this.holds.push(hold);
    for (const summary of waits) this.waiting.set(summary, hold);
    if (isOuter) return;
    this.held.add(lane);
    (this.lanes[lane] ??= []).push(line);
  }

  private join(summary: TurnNode, row: number, lane: number): void {
    this.placed.set(summary, row);
    const hold = this.waiting.get(summary);
    if (!hold) return;
    hold.waits.delete(summary);
    hold.joined.push(row);
    if (hold.isOuter) return;
    hold.line.to = row;
    this.bend({ kind: 'join', row, from: hold.line.lane, to: lane, region: 'source' });
    if (hold.waits.size === 0) this.held.delete(hold.line.lane);
  }

  private bend(bend: RailBend): void {
    const known = this.bends.get(bend.row);
    if (known) known.push(bend);
    else this.bends.set(bend.row, [bend]);
  }

  /** True if a node is on the path of another: nothing was brought over from there. O(nested branches). */
  private isAbove(source: TurnNode, node: TurnNode): boolean {
    const target = this.order.runOf(source).first;
    let at: TurnNode | null = node;
    while (at) {
      const { first } = this.order.runOf(at);
      if (first === target) return source.depth <= at.depth;
      at = first.parent;
    }
    return false;
  }
}

/** Whether the rows of a branch are on the rail. */
function isOpened(run: Run, rules: RailRules, order: GraphOrder): boolean {
  for (let at: Run | null = run; at; at = at.parent) {
    if (at.first !== order.trunk?.first && !rules.isOpen(at.first)) return false;
  }
  return true;
}
