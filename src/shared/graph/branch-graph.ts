import { finds, type GraphFilter, isError } from './filters';
import { FoldBook, foldLongRuns, type FoldRules, runAround } from './folds';
import type { CanvasLayout } from './canvas';
import type { CanvasRules } from './canvas-cells';
import { Layouts } from './layouts';
import { HeadPath } from './head-path';
import { Marks } from './marks';
import { NestedBranches } from './nested';
import { OpenRuns } from './open-runs';
import { GraphOrder, type Run } from './order';
import { everyNth, GRAPH_PIECE } from './pieces';
import type { RailLayout } from './rail';
import type { ContextRegion, RailBend, RailSegment } from './rail-lines';
import { MANY } from './rail-rows';
import { TurnTree, type TurnNode } from './turns';
import type { Stack } from './variants';
import { Visibility } from './visibility';
import type { Row } from '../session-state/state';

/** What is known of a session whose graph is opened. */
export interface GraphOpening {
  leafId: string | null;
  /** By entry. */
  labels: ReadonlyMap<string, string>;
  pins: readonly string[];
  archived: ReadonlySet<string>;
  /** See `setKept`. */
  keptFrom: string | null;
  showsHidden: boolean;
  filter: GraphFilter;
  isOfFile?: Visibility['isOfFile'];
  /** Folds as they were kept; null: all long runs are folded. */
  folds: readonly (readonly [string, string])[] | null;
  /** Branches that were opened, by the entry of their first turn. */
  openRuns?: readonly string[];
}

/**
 * The branch graph of a session: turns, their order, what of them is shown, and where. What is appended to HEAD's path is O(1) and
 * moves nothing; moving HEAD, folding, filtering and hiding lay everything out again, O(nodes). The rail is made when it is asked for.
 */
export class BranchGraph {
  readonly turns = new TurnTree();
  /** Which child goes straight on, variants, branches (GR2, GR5, GR16). */
  readonly order = new GraphOrder(this.turns);
  readonly folds = new FoldBook();
  private readonly path = new HeadPath(this.turns, this.order);
  private readonly marks = new Marks(this.turns);
  private readonly opened = new OpenRuns(this.turns, this.order, this.marks);
  private readonly shown = new Visibility(this.turns, this.order.variants, this.marks, this);
  private readonly nested = new NestedBranches(this);
  /** Where all of it stands, chapters too. */
  readonly layouts = new Layouts(this.turns, this.order, this.layoutRules());
  private readonly rules: FoldRules = {
    isShown: (node) => this.shown.isShown(node),
    isMarked: (node) => node === this.head || this.marks.has(node) || this.order.variants.variantsOf(node).length > 1,
  };

  get head(): TurnNode | null {
    return this.path.head;
  }
  get leafId(): string | null {
    return this.path.leafId;
  }
  /** The latest compaction of the active path. */
  get compaction(): TurnNode | null {
    return this.path.compaction;
  }
  get filter(): GraphFilter {
    return this.shown.filter;
  }
  get hasHiddenShown(): boolean {
    return this.shown.showsHidden;
  }

  /** The rows of the rail (GR7). O(1), and O(rows) after something has moved. */
  get rail(): RailLayout {
    return this.layouts.rail;
  }

  /** Counts up whenever rows or cells may have moved. */
  get moves(): number {
    return this.layouts.moves;
  }

  /** The canvas of turns, for cards and titles (GR8). O(1), and O(nodes) after something has moved. */
  get layout(): CanvasLayout {
    return this.layouts.canvas;
  }

  /** Lines and bends between two rows of the rail, both included. O(what is seen). */
  railLines(fromRow: number, toRow: number): { segments: RailSegment[]; bends: RailBend[] } {
    return this.rail.lines.between(fromRow, toRow, (node) => this.regionOf(node));
  }

  /** Takes an entry that was appended. O(1) unless something has to make room. */
  append(entry: Row): void {
    const grows = this.shown.showsAll || entry.parentId === null ? null : this.turns.place(entry.parentId)?.node;
    const wasShown = grows ? this.isShown(grows) : false;
    for (const { node, isNew } of this.turns.add(entry)) this.take(entry, node, isNew);
    // It may not pass the filter any more, as where what had failed goes on.
    if (grows && wasShown && !this.isShown(grows)) this.layouts.forget();
  }

  private take(entry: Row, node: TurnNode, isNew: boolean): void {
    this.marks.takeEntry(entry.id, node);
    if (!isNew) {
      if (node.contentId === entry.id) this.layouts.recount(this.order.takeFilled(node));
      this.shown.changed();
      if (this.shown.isShown(node)) this.layouts.letIn(node);
      return;
    }
    this.shown.take(node);
    if (this.order.append(node)) this.layouts.forget();
    else this.layouts.append(node);
  }

  /**
   * Takes the entries of a session and all that is known of it: what `append`, the setters and
   * `foldAll` come to. Whoever drives it may rest at each `yield`: between two of them stand a bounded number of entries, whatever tree they are.
   */
  *open(entries: Iterable<Row>, opening: GraphOpening, piece = GRAPH_PIECE): Generator<void, void> {
    yield* this.turns.load(entries, piece);
    this.shown.showsHidden = opening.showsHidden;
    yield* everyNth(piece, this.path.goingTo(opening.leafId));
    // Nothing is made for a node here: many cost what few do elsewhere.
    const many = 8 * piece;
    yield* this.order.fixing(this.head, piece);
    this.setKept(opening.keptFrom);
    this.setLabels(opening.labels);
    this.setPins(opening.pins);
    this.shown.setArchived(opening.archived);
    yield;
    const { nodes } = this.turns;
    yield* everyNth(many, nodes, (node) => this.shown.take(node));
    const { folds } = opening;
    const folding = folds ? this.takingFolds(folds) : foldLongRuns(this.folds, nodes, this.head, this.rules);
    yield* everyNth(piece, folding);
    this.opened.restore(opening.openRuns ?? []);
    this.shown.filter = opening.filter;
    this.shown.isOfFile = opening.isOfFile ?? null;
    this.shown.changed();
    this.layouts.forget();
  }

  /** Takes entries whose events did not come. What has no parent even now stands at the top. Lays out again where one is hidden. */
  fill(entries: readonly Row[]): void {
    for (const entry of entries) this.append(entry);
    for (const { node, isNew } of this.turns.settle()) {
      if (!isNew) continue;
      this.shown.take(node);
      this.order.append(node);
      this.layouts.forget();
    }
    if (entries.some(({ id }) => this.shown.hides(id))) this.rebuild();
  }

  /** Where the next message goes. O(1) for the next turn of the path; elsewhere the order is fixed anew and all laid out again (GR3). */
  setLeaf(leafId: string | null): void {
    const before = this.head;
    this.shown.changed();
    if (this.path.goTo(leafId)) return this.sort();
    // Where HEAD was, a filter may leave it out from now on; where HEAD is, it may have done so until now.
    if (before && before !== this.head && !this.shown.isShown(before)) this.layouts.forget();
    if (this.head) this.layouts.letIn(this.head);
  }

  /** Fixes the order of now: what grew meanwhile stands where it belongs. Lays out again. */
  sort(): void {
    this.order.fix(this.head);
    this.folds.keepStraight((node) => this.order.isStraight(node));
    this.rebuild();
  }

  isActive(node: TurnNode): boolean {
    return this.path.has(node);
  }

  /** Where the model's view begins: the turn of the first kept entry of `compaction`. */
  setKept(firstKeptId: string | null): void {
    this.path.setKept(firstKeptId);
  }

  regionOf(node: TurnNode): ContextRegion {
    return this.path.regionOf(node);
  }

  /** Labels by entry. Call `rebuild` if the filter looks at them. */
  setLabels(labels: ReadonlyMap<string, string>): void {
    this.marks.setLabels(labels);
    this.opened.forget();
  }

  labelOf(node: TurnNode): string | undefined {
    return this.marks.labelOf(node);
  }

  /** The entry at which the label of a turn stands. O(1). */
  labelledEntry(node: TurnNode): string | undefined {
    return this.marks.labelledEntry(node);
  }

  /** Pinned entries. O(pins). */
  setPins(pins: readonly string[]): void {
    this.marks.setPins(pins);
  }

  /** The pinned entries of a turn; of one that stands for a fold, those of all its turns. O(pins) for a fold. */
  pinsOf(node: TurnNode): readonly string[] {
    const fold = this.folds.of(node);
    if (fold?.first !== node) return this.marks.pinsOf(node);
    return [...this.marks.pinnedNodes].flatMap(([other, ids]) => (this.folds.of(other) === fold ? ids : []));
  }

  /** The variants that are drawn as one node with this one (GR5), or null. */
  stackOf(node: TurnNode): Stack | null {
    return this.shown.stackOf(node);
  }

  /** The variant whose words a placed node shows. */
  shownOn(node: TurnNode): TurnNode {
    return this.shown.shownOn(node);
  }

  /**
   * The entry by which a turn is read: what it begins with. Where that is the prompt of other answers too, one behind that leads to this
   * one: the prompt is read with the answer that HEAD has, or that was left last (GR5).
   */
  readAt(node: TurnNode): string {
    const from = this.isActive(node) ? -1 : this.order.variants.ownFrom(node);
    if (from < 0) return node.contentId;
    return node.replies.find((id) => (this.turns.place(id)?.seq ?? -1) > from) ?? node.tailId;
  }

  /** Shows a hidden variant in its stack, for a hit or a citation: nothing moves. False if it is in none. */
  bringToFront(node: TurnNode): boolean {
    return this.order.variants.bringToFront(node);
  }

  /** What a stack tells of the members that it hides: that there is such a one among them. O(variants). */
  marksBehind({ members, shown }: Stack): Record<'head' | 'label' | 'pin' | 'failed' | 'files', boolean> {
    const behind = members.filter((member) => member !== shown);
    return {
      head: behind.some((node) => node === this.head),
      label: behind.some((node) => this.marks.labelOf(node) !== undefined),
      pin: behind.some((node) => this.marks.pinsOf(node).length > 0),
      failed: behind.some(isError),
      files: behind.some((node) => node.changes.length > 0),
    };
  }

  /** Whether the rows of a branch are shown one by one on the rail. */
  isOpenRun({ first }: Run): boolean {
    return this.opened.has(first) || finds(this.filter);
  }

  /** Opens or closes a branch on the rail; opened it stays out of "N branches", on the canvas too (GR6). False if it was so. */
  openRun({ first }: Run, isOpen: boolean): boolean {
    if (!this.opened.set(first, isOpen)) return false;
    if ((first.parent?.children ?? this.turns.roots).length > MANY) this.layouts.forget();
    else this.layouts.forgetRail();
    return true;
  }

  /** How many branches a closed branch has in it (GR7). */
  branchesIn(run: Run): number {
    return this.nested.in(run);
  }

  /** Branches that were opened, by the entry of their first turn: to be kept. */
  keptRuns(): string[] {
    return this.opened.kept();
  }

  private layoutRules(): CanvasRules {
    return {
      showsAll: () => this.shown.showsAll,
      isShown: (node) => this.shown.isShown(node),
      isOpen: (first) => this.opened.has(first) || finds(this.filter),
      isKeptOut: (first) => this.opened.isKeptOut(first),
      isLabelled: (node) => this.marks.labelOf(node) !== undefined,
      findsFew: () => finds(this.filter),
      folds: this.folds,
    };
  }

  /** Shows the hidden branches that a turn is in for now, and no others; null: none. Lays out again where that changes anything. */
  spare(node: TurnNode | null): void {
    if (this.shown.spare(node)) this.rebuild();
  }

  /** Entries whose branches are hidden. Lays out again. */
  setArchived(archived: ReadonlySet<string>): void {
    this.shown.setArchived(archived);
    this.rebuild();
  }

  /** Whether filter and put away branches leave a turn, or a variant that stands for it, on the graph. */
  isShown(node: TurnNode): boolean {
    return this.shown.isShown(this.order.variants.frontOf(node));
  }

  /** True for a turn in a branch that the person has put away. */
  isHidden(node: TurnNode): boolean {
    return this.shown.isHidden(node);
  }

  /** The entry at which the branch of a hidden turn was put away, the nearest one; null: it is not hidden. O(depth). */
  hiddenAt(node: TurnNode): string | null {
    return this.shown.hiddenAt(node);
  }

  get hiddenCount(): number {
    return this.shown.hiddenCount;
  }

  /** `isOfFile`: for `files` which file; null: any. */
  setFilter(filter: GraphFilter, isOfFile: Visibility['isOfFile'] = null): void {
    this.shown.filter = filter;
    this.shown.isOfFile = isOfFile;
    this.rebuild();
  }

  /** Turns that the filter hides. O(nodes). */
  countFiltered(): number {
    return this.shown.countFiltered();
  }

  /** Turns that pass the filter. O(nodes). */
  countFound(): number {
    return this.shown.countFound();
  }

  showHidden(shows: boolean): void {
    this.shown.showsHidden = shows;
    this.rebuild();
  }

  /** Folds the run around a node or opens its fold. False if there is nothing to fold. Lays out again. */
  toggleFold(node: TurnNode): boolean {
    const fold = this.folds.of(node);
    if (fold) this.folds.remove(fold);
    else {
      const run = runAround(node, this.rules);
      if (!run || !this.folds.add(run.first, run.last)) return false;
    }
    this.rebuild();
    return true;
  }

  /** Opens the fold, the branches and the stack that hide a node. */
  reveal(node: TurnNode): void {
    this.bringToFront(node);
    const placed = this.order.variants.frontOf(node);
    for (let run: Run | null = this.order.runOf(placed); run; run = run.parent) {
      if (run.first !== this.order.trunk?.first) this.openRun(run, true);
    }
    const fold = this.folds.of(placed);
    if (fold) this.toggleFold(fold.first);
  }

  /** Folds all long runs, or opens all folds. Lays out again. */
  foldAll(folded: boolean): void {
    this.folds.clear();
    if (folded) for (const _ of foldLongRuns(this.folds, this.turns.nodes, this.head, this.rules));
    this.rebuild();
  }

  /** The folds as pairs of entry ids, to be kept. */
  keptFolds(): [string, string][] {
    return this.folds.all().map(({ first, last }) => [first.contentId, last.contentId]);
  }

  /** Folds as they were kept; those that no longer fit are left out. Rests after each turn. */
  private *takingFolds(pairs: readonly (readonly [string, string])[]): Generator<void, void> {
    for (const [firstId, lastId] of pairs) {
      yield;
      const first = this.turns.place(firstId)?.node;
      const last = this.turns.place(lastId)?.node;
      if (first && last) yield* this.folds.adding(first, last);
    }
    yield* this.folds.keepingStraight((node) => this.order.isStraight(node));
  }

  /** Lays everything out again, under the rules of now. O(nodes). */
  rebuild(): void {
    this.marks.refresh();
    this.opened.forget();
    this.shown.refresh();
    this.layouts.forget();
  }
}
