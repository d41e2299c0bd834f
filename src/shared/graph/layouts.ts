import { CanvasLayout } from './canvas';
import type { CanvasRules } from './canvas-cells';
import { isLandmark, landmarksOf } from './landmarks';
import type { GraphOrder } from './order';
import { GRAPH_PIECE } from './pieces';
import { RailLayout } from './rail';
import type { TurnNode, TurnTree } from './turns';

/** Nodes whose chapters are laid out several times within a frame. */
const FEW = 1_000;

/** Which of the two layouts of turns (GR7, GR8). */
export type LayoutKind = 'rail' | 'canvas';

/** The layouts of one graph, each made when it is asked for and kept while what is appended fits into it. */
export class Layouts {
  /** Counts up whenever something may have moved. */
  moves = 0;
  private railNow: RailLayout | null = null;
  private canvasNow: CanvasLayout | null = null;
  /** By how many landmarks there are chapters of. */
  private readonly chaptersNow = new Map<number, CanvasLayout>();
  private landmarksNow: TurnNode[] | null = null;
  /** How many landmarks fitted last. */
  private fitted = -1;
  /** Counts whatever a layout that is being made has not seen. */
  private changes = 0;

  constructor(
    private readonly turns: TurnTree,
    private readonly order: GraphOrder,
    private readonly rules: CanvasRules,
  ) {}

  get rail(): RailLayout {
    return (this.railNow ??= new RailLayout(this.turns, this.order, this.rules).build());
  }

  get canvas(): CanvasLayout {
    return (this.canvasNow ??= new CanvasLayout(this.turns, this.order, this.rules).build());
  }

  /** The chapters of so many landmarks, without any cell yet; of all of them with `Infinity`. */
  private begunChapters(count: number): CanvasLayout {
    const landmarks = count === Infinity ? null : new Set(this.landmarks.slice(0, count));
    return new CanvasLayout(this.turns, this.order, this.rules, { landmarks });
  }

  private get landmarks(): TurnNode[] {
    return (this.landmarksNow ??= landmarksOf(this.turns, this.order, this.rules));
  }

  /**
   * The canvas of chapters with most on it of those that fit into lanes and rows (GR8); what can't be read there is in its chapter. O(nodes),
   * twice where it is what fitted before, else a few times.
   */
  fitting(lanes: number, rows: number): CanvasLayout {
    const search = this.searching(lanes, rows);
    for (let step = search.next(); ;) {
      if (step.done) return step.value;
      const made = this.chaptersNow.get(step.value) ?? this.begunChapters(step.value).build();
      this.chaptersNow.set(step.value, made);
      step = search.next(made);
    }
  }

  /** The same where it costs next to nothing: it was made, or there is little to lay out. Else null, and `makingChapters` comes first. */
  fittingNow(lanes: number, rows: number): CanvasLayout | null {
    if (this.turns.nodes.length <= FEW) return this.fitting(lanes, rows);
    const search = this.searching(lanes, rows);
    for (let step = search.next(); ;) {
      if (step.done) return step.value;
      const made = this.chaptersNow.get(step.value);
      if (!made) return null;
      step = search.next(made);
    }
  }

  /** Makes what `fittingNow` is asked for; rests after every so many nodes. It ends where something changes meanwhile. */
  *makingChapters(lanes: number, rows: number, piece = GRAPH_PIECE): Generator<void, void> {
    const { changes } = this;
    const search = this.searching(lanes, rows);
    for (let step = search.next(); !step.done;) {
      let made = this.chaptersNow.get(step.value);
      if (!made) {
        made = this.begunChapters(step.value);
        for (const _ of made.building(piece)) {
          yield;
          if (this.changes !== changes) return;
        }
        this.chaptersNow.set(step.value, made);
      }
      step = search.next(made);
    }
  }

  /** Asks for the chapters of so many landmarks until it knows those with most on them that fit. */
  private *searching(lanes: number, rows: number): Generator<number, CanvasLayout, CanvasLayout> {
    const fits = (layout: CanvasLayout): boolean => layout.lanes.length <= lanes && layout.rows <= rows;
    const all = yield Infinity;
    if (fits(all)) return all;
    let [low, high] = [0, this.mostLandmarks(lanes, rows)];
    const likely = [this.fitted, this.fitted + 1];
    while (low < high) {
      const first = likely.shift() ?? -1;
      const at = first > low && first <= high ? first : (low + high + 1) >> 1;
      if (fits(yield at)) low = at;
      else high = at - 1;
    }
    this.fitted = low;
    return yield low;
  }

  /** More of the landmarks have no room: each is a cell, and where one is on the trunk or leaves it, the trunk goes on a row below. */
  private mostLandmarks(lanes: number, rows: number): number {
    const most = this.landmarks.slice(0, lanes * rows);
    const breaks = new Set<TurnNode>();
    const last = most.findIndex(({ parent }) => {
      if (parent && this.order.runOf(parent).parent === null) breaks.add(parent);
      return breaks.size >= rows;
    });
    return last < 0 ? most.length : last;
  }

  /** Makes one of them before it is asked for; rests after every so many nodes. It ends where something changes meanwhile. */
  *making(kind: LayoutKind, piece = GRAPH_PIECE): Generator<void, void> {
    const { turns, order, rules, changes } = this;
    if (kind === 'rail' ? this.railNow : this.canvasNow) return;
    const made = kind === 'rail' ? new RailLayout(turns, order, rules) : new CanvasLayout(turns, order, rules);
    for (const _ of made.building(piece)) {
      yield;
      if (this.changes !== changes) return;
    }
    if (made instanceof RailLayout) this.railNow = made;
    else this.canvasNow = made;
  }

  /** Takes a node that was appended. O(1); a layout in which it has no place without moving others is made anew when it is asked for. */
  append(node: TurnNode): void {
    this.changes++;
    const hasRailMoved = this.railNow?.append(node) === false;
    const hasCanvasMoved = this.canvasNow?.append(node) === false;
    if (hasRailMoved) this.railNow = null;
    if (hasCanvasMoved) this.canvasNow = null;
    const haveChaptersMoved = this.appendToChapters(node);
    if (hasRailMoved || hasCanvasMoved || haveChaptersMoved) this.moves++;
  }

  /** True where chapters are made anew. Those of all landmarks know a new one by themselves; those of some have to choose again. */
  private appendToChapters(node: TurnNode): boolean {
    const isNew = isLandmark(node, this.order, this.rules);
    if (isNew) this.landmarksNow = null;
    let hasMoved = false;
    for (const [count, layout] of this.chaptersNow) {
      if (layout.append(node) && (count === Infinity || !isNew)) continue;
      this.chaptersNow.delete(count);
      hasMoved = true;
    }
    return hasMoved;
  }

  /** A node that is shown has grown: a filter may let it in by now. */
  letIn(node: TurnNode): void {
    this.changes++;
    if (this.railNow && this.railNow.indexOf(node) < 0) this.forgetRail();
    const canvases = [this.canvasNow, ...this.chaptersNow.values()];
    if (canvases.some((made) => made && !made.cellOf(node))) this.forgetCanvas();
  }

  /** A turn that is there counts as one by now. */
  recount(node: TurnNode): void {
    this.railNow?.recount(node);
  }

  /** Branches were opened or closed on the rail. */
  forgetRail(): void {
    this.changes++;
    this.moves++;
    this.railNow = null;
  }

  /** All is laid out again when it is asked for. */
  forget(): void {
    this.railNow = null;
    this.forgetCanvas();
  }

  private forgetCanvas(): void {
    this.changes++;
    this.moves++;
    this.canvasNow = null;
    this.chaptersNow.clear();
    this.landmarksNow = null;
  }
}
