import { CanvasLayout, type CanvasRules } from './canvas';
import type { GraphOrder } from './order';
import { RailLayout } from './rail';
import type { TurnNode, TurnTree } from './turns';

/** Turns of the branches that chapters may take in, from none to every one. */
const FOLDS_UP_TO = [0, 2, 4, 8, 16, 32, 64, 256, 1024, 4096, Infinity] as const;

/** Which of the two layouts of turns (GR7, GR8). */
export type LayoutKind = 'rail' | 'canvas';

/** The layouts of one graph, each made when it is asked for and kept while what is appended fits into it. */
export class Layouts {
  /** Counts up whenever something may have moved. */
  moves = 0;
  private railNow: RailLayout | null = null;
  private canvasNow: CanvasLayout | null = null;
  /** By the branches that they take in. */
  private readonly chaptersNow = new Map<number, CanvasLayout>();
  /** Which of `FOLDS_UP_TO` fitted last. */
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

  chapters(foldsUpTo: number): CanvasLayout {
    let made = this.chaptersNow.get(foldsUpTo);
    if (!made) {
      made = new CanvasLayout(this.turns, this.order, this.rules, { foldsUpTo }).build();
      this.chaptersNow.set(foldsUpTo, made);
    }
    return made;
  }

  /** The chapters with most on them of those that fit into lanes and rows. O(nodes), twice where it is what fitted before, else a few times. */
  fitting(lanes: number, rows: number): { foldsUpTo: number; layout: CanvasLayout } {
    let [low, high] = [0, FOLDS_UP_TO.length - 1];
    const likely = [this.fitted, this.fitted - 1];
    while (low < high) {
      const first = likely.shift() ?? -1;
      const at = first >= low && first < high ? first : (low + high) >> 1;
      const layout = this.chapters(FOLDS_UP_TO[at] as number);
      if (layout.lanes.length <= lanes && layout.rows <= rows) high = at;
      else low = at + 1;
    }
    this.fitted = low;
    const foldsUpTo = FOLDS_UP_TO[low] as number;
    return { foldsUpTo, layout: this.chapters(foldsUpTo) };
  }

  /** Makes one of them before it is asked for; rests after every so many nodes. It ends where something changes meanwhile. */
  *making(kind: LayoutKind, piece: number): Generator<void, void> {
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
    if (hasRailMoved || hasCanvasMoved) this.moves++;
    for (const [foldsUpTo, layout] of this.chaptersNow) {
      if (!layout.append(node)) this.chaptersNow.delete(foldsUpTo);
    }
  }

  /** A node that is shown has grown: a filter may let it in by now. */
  letIn(node: TurnNode): void {
    this.changes++;
    if (this.railNow && this.railNow.indexOf(node) < 0) this.forgetRail();
    if (this.canvasNow && !this.canvasNow.cellOf(node)) this.forgetCanvas();
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
  }
}
