import { FoldBook, foldLongRuns, type FoldRules, GraphLayout, runAround, type Shown } from './layout';
import { TurnTree, type TurnNode } from './turns';
import type { Row } from '../session-state/state';

export const GRAPH_FILTERS = ['all', 'noTools', 'user', 'labelled', 'errors', 'compactions', 'files'] as const;
export type GraphFilter = (typeof GRAPH_FILTERS)[number];

/** How a node stands to what the model sees: off the active path, covered by a summary, or in the context. */
export type ContextRegion = 'aside' | 'summarised' | 'seen';

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
  /** For `files`: which file; null: any. */
  isOfFile?: ((node: TurnNode) => boolean) | null;
  /** Folds as they were kept; null: all long runs are folded. */
  folds: readonly (readonly [string, string])[] | null;
}

const NO_PINS: readonly string[] = [];

/** Entries or nodes that are looked at between two rests: a few milliseconds. */
export const GRAPH_PIECE = 3_000;

/**
 * The branch graph of a session: turns, what of them is shown, and where. Appends are O(1) and move nothing; folding,
 * filtering and hiding lay everything out again, O(nodes).
 */
export class BranchGraph {
  readonly turns = new TurnTree();
  readonly folds = new FoldBook();
  layout = new GraphLayout(this.turns.nodes);
  head: TurnNode | null = null;
  leafId: string | null = null;
  /** The latest compaction of the active path. */
  compaction: TurnNode | null = null;
  private filterNow: GraphFilter = 'all';
  private isOfFile: ((node: TurnNode) => boolean) | null = null;
  private showsHidden = false;
  private active = new Set<TurnNode>();
  private labels: ReadonlyMap<string, string> = new Map();
  private labelled = new Map<TurnNode, string>();
  private pins: readonly string[] = [];
  private pinned = new Map<TurnNode, string[]>();
  private archived: ReadonlySet<string> = new Set();
  /** From which file position on the branches of a node are hidden. */
  private cuts = new Map<TurnNode, number>();
  private hidden: boolean[] = [];
  /** First turn that the model sees whole; null: from the top, or after the compaction if that is unknown. */
  private keptFrom: TurnNode | null = null;

  private readonly rules: FoldRules = {
    isShown: (node) => this.isShown(node),
    isMarked: (node) => node === this.head || this.labelled.has(node) || this.pinned.has(node),
  };

  get filter(): GraphFilter {
    return this.filterNow;
  }
  get hasHiddenShown(): boolean {
    return this.showsHidden;
  }

  /** Takes an entry that was appended. O(1) unless a filter has to let an old turn in. */
  append(entry: Row): void {
    for (const { node, isNew } of this.turns.add(entry)) {
      const late = this.labels.get(entry.id);
      if (late !== undefined) this.labelled.set(node, late);
      if (this.pins.includes(entry.id)) this.setPins(this.pins);
      if (isNew) this.lay(node);
      else if (!this.layout.cellOf(node) && this.isShown(node)) {
        if (node.children.length === 0) this.lay(node);
        else this.rebuild();
      }
    }
  }

  /** Takes the entries of a session at once. Call `rebuild` afterwards. */
  load(entries: readonly Row[]): void {
    for (const entry of entries) this.turns.add(entry);
    this.turns.settle();
  }

  /**
   * Takes the entries of a session and all that is known of it, and lays it out once: what `load`, the setters and `foldAll` come
   * to. Whoever drives it may rest at each `yield`: between two of them stand a bounded number of entries, whatever tree they are.
   */
  *open(entries: Iterable<Row>, opening: GraphOpening, piece = GRAPH_PIECE): Generator<void, void> {
    yield* this.turns.load(entries, piece);
    this.archived = opening.archived;
    this.showsHidden = opening.showsHidden;
    this.takeLeaf(opening.leafId);
    this.setKept(opening.keptFrom);
    this.setLabels(opening.labels);
    this.setPins(opening.pins);
    this.placeCuts();
    const { nodes } = this.turns;
    // Nothing is made for a node here: many cost what few do elsewhere.
    const many = 8 * piece;
    yield* everyNth(many, nodes, (node) => void (this.hidden[node.index] = this.isPutAway(node)));
    if (opening.folds) this.takeFolds(opening.folds);
    else yield* everyNth(many, foldLongRuns(this.folds, nodes, this.head, this.rules));
    this.filterNow = opening.filter;
    this.isOfFile = opening.isOfFile ?? null;
    this.layout = new GraphLayout(nodes);
    yield* everyNth(piece, nodes, (node) => this.layout.place(node, this.shownAs(node)));
  }

  /** Takes entries whose events did not come. What has no parent even now stands at the top. Lays out again where one is hidden. */
  fill(entries: readonly Row[]): void {
    for (const entry of entries) this.append(entry);
    for (const { node, isNew } of this.turns.settle()) if (isNew) this.lay(node);
    if (entries.some(({ id }) => this.archived.has(id))) this.rebuild();
  }

  /** Where the next message goes. O(1) for the next turn of the path, O(path) for a jump. */
  setLeaf(leafId: string | null): void {
    this.takeLeaf(leafId);
    const { head } = this;
    if (!head || this.layout.cellOf(head)) return;
    // A filter left it out. The newest turn simply joins; an old one may have others below it.
    if (head.children.length === 0) this.lay(head);
    else this.rebuild();
  }

  private takeLeaf(leafId: string | null): void {
    this.leafId = leafId;
    const head = this.turns.nodeAt(leafId);
    if (head && head !== this.head && this.head && head.parent === this.head) {
      this.active.add(head);
      if (head.kind === 'compaction') this.takeCompaction(head);
    } else if (head !== this.head) {
      this.active = new Set();
      let compaction: TurnNode | null = null;
      for (let node = head; node; node = node.parent) {
        this.active.add(node);
        if (!compaction && node.kind === 'compaction') compaction = node;
      }
      this.takeCompaction(compaction);
    }
    this.head = head;
  }

  isActive(node: TurnNode): boolean {
    return this.active.has(node);
  }

  /** Where the model's view begins: the turn of the first kept entry of `compaction`. */
  setKept(firstKeptId: string | null): void {
    const place = firstKeptId === null ? undefined : this.turns.place(firstKeptId);
    this.keptFrom = place?.node ?? null;
  }

  regionOf(node: TurnNode): ContextRegion {
    if (!this.active.has(node)) return 'aside';
    const from = this.keptFrom ?? this.compaction;
    return from && node.depth < from.depth ? 'summarised' : 'seen';
  }

  /** Labels by entry. Call `rebuild` if the filter looks at them. */
  setLabels(labels: ReadonlyMap<string, string>): void {
    this.labels = labels;
    this.labelled = new Map();
    for (const [entryId, label] of labels) {
      const place = this.turns.place(entryId);
      if (place) this.labelled.set(place.node, label);
    }
  }

  labelOf(node: TurnNode): string | undefined {
    return this.labelled.get(node);
  }

  /** Pinned entries. O(pins). */
  setPins(pins: readonly string[]): void {
    this.pins = pins;
    this.pinned = new Map();
    for (const id of pins) {
      const node = this.turns.place(id)?.node;
      const known = node && this.pinned.get(node);
      if (known) known.push(id);
      else if (node) this.pinned.set(node, [id]);
    }
  }

  /** The pinned entries of a turn; of one that stands for a fold, those of all its turns. O(pins) for a fold. */
  pinsOf(node: TurnNode): readonly string[] {
    const fold = this.folds.of(node);
    if (fold?.first !== node) return this.pinned.get(node) ?? NO_PINS;
    return [...this.pinned].flatMap(([other, ids]) => (this.folds.of(other) === fold ? ids : []));
  }

  /** Entries whose branches are hidden. Lays out again. */
  setArchived(archived: ReadonlySet<string>): void {
    this.archived = archived;
    this.rebuild();
  }

  /** True for a turn in a branch that the person has put away. */
  isHidden(node: TurnNode): boolean {
    return this.hidden[node.index] === true;
  }

  /** The entry of a turn at which a branch was put away, or null. */
  cutAt(node: TurnNode): string | null {
    for (const entryId of this.archived) if (this.turns.place(entryId)?.node === node) return entryId;
    return null;
  }

  get hiddenCount(): number {
    return this.archived.size;
  }

  /** `isOfFile`: for `files` which file; null: any. */
  setFilter(filter: GraphFilter, isOfFile: ((node: TurnNode) => boolean) | null = null): void {
    this.filterNow = filter;
    this.isOfFile = isOfFile;
    this.rebuild();
  }

  /** Turns that the filter leaves out, hidden branches aside. O(nodes). */
  get filteredCount(): number {
    return this.turns.nodes.reduce((count, node) => count + (node.kind !== 'start' && !this.isWanted(node) ? 1 : 0), 0);
  }

  showHidden(shows: boolean): void {
    this.showsHidden = shows;
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

  /** Opens the fold that hides a node, if one does. */
  reveal(node: TurnNode): void {
    const fold = this.folds.of(node);
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

  /** Folds as they were kept; those that no longer fit are left out. Lays out again. */
  restoreFolds(pairs: readonly (readonly [string, string])[]): void {
    this.takeFolds(pairs);
    this.rebuild();
  }

  private takeFolds(pairs: readonly (readonly [string, string])[]): void {
    this.folds.clear();
    for (const [firstId, lastId] of pairs) {
      const first = this.turns.place(firstId)?.node;
      const last = this.turns.place(lastId)?.node;
      if (first && last) this.folds.add(first, last);
    }
  }

  /** Lays everything out again, as if it had grown turn by turn under the rules of now. O(nodes). */
  rebuild(): void {
    this.setLabels(this.labels);
    this.setPins(this.pins);
    this.placeCuts();
    this.layout = new GraphLayout(this.turns.nodes);
    this.hidden = [];
    for (const node of this.turns.nodes) this.lay(node);
  }

  private takeCompaction(compaction: TurnNode | null): void {
    if (compaction === this.compaction) return;
    this.compaction = compaction;
    this.keptFrom = null;
  }

  private lay(node: TurnNode): void {
    this.hidden[node.index] = this.isPutAway(node);
    this.layout.place(node, this.shownAs(node));
  }

  private shownAs(node: TurnNode): Shown {
    if (!this.isShown(node)) return 'nothing';
    const fold = this.folds.of(node);
    // The head of a fold speaks for all; a filter that leaves it out leaves its members as they are.
    return fold && this.isShown(fold.first) ? { foldedInto: fold.first } : 'self';
  }

  private isShown(node: TurnNode): boolean {
    if (this.hidden[node.index] && !this.showsHidden && !this.active.has(node)) return false;
    return this.isWanted(node);
  }

  private isWanted(node: TurnNode): boolean {
    const { isOfFile } = this;
    if (node === this.head) return true;
    if (this.filterNow === 'files' && isOfFile) return isOfFile(node);
    return matches(node, this.filterNow, this.labelled.has(node));
  }

  private isPutAway(node: TurnNode): boolean {
    const { parent } = node;
    if (parent && this.hidden[parent.index]) return true;
    const own = this.cuts.get(node);
    if (own !== undefined && own <= node.contentSeq) return true;
    const cut = parent ? this.cuts.get(parent) : undefined;
    return cut !== undefined && cut <= node.attachSeq;
  }

  private placeCuts(): void {
    this.cuts = new Map();
    for (const entryId of this.archived) {
      const place = this.turns.place(entryId);
      if (place) this.cuts.set(place.node, Math.min(place.seq, this.cuts.get(place.node) ?? Infinity));
    }
  }
}

/** Goes through all of it and rests after every `piece` of them. */
function* everyNth<T>(piece: number, items: Iterable<T>, each?: (item: T) => void): Generator<void, void> {
  let left = piece;
  for (const item of items) {
    each?.(item);
    if (--left > 0) continue;
    left = piece;
    yield;
  }
}

/** Whether a filter leaves a turn on the graph and in the outline. */
function matches(node: TurnNode, filter: GraphFilter, isLabelled: boolean): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'noTools':
      return node.kind !== 'start' && !isToolsOnly(node);
    case 'user':
      return node.kind === 'turn';
    case 'labelled':
      return isLabelled;
    case 'errors':
      return node.failed || node.errors.size > 0;
    case 'compactions':
      return node.kind === 'compaction' || node.kind === 'summary';
    case 'files':
      return node.changes.length > 0;
  }
}

/** A command of the person, or a turn in which the model called tools and said nothing (GR20). */
function isToolsOnly({ kind, toolResults, hasWords }: TurnNode): boolean {
  return kind === 'bash' || (toolResults > 0 && !hasWords);
}
