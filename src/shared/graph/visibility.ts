import { type GraphFilter, matches } from './filters';
import type { Marks } from './marks';
import type { TurnNode, TurnTree } from './turns';
import type { Stack, Variants } from './variants';

/** Where HEAD is: its turn and its path are never put away. */
interface HeadPath {
  readonly head: TurnNode | null;
  isActive(node: TurnNode): boolean;
}

interface Cut {
  seq: number;
  entryId: string;
}

/** Which turns are on the graph: what the filter and the branches that were put away leave. */
export class Visibility {
  filter: GraphFilter = 'all';
  /** For `files`: which file; null: any. */
  isOfFile: ((node: TurnNode) => boolean) | null = null;
  /** Branches that were put away are shown all the same. */
  showsHidden = false;
  private archived: ReadonlySet<string> = new Set();
  /** From which file position on the branches of a node are hidden, and by which entry. */
  private cuts = new Map<TurnNode, Cut>();
  private hidden: boolean[] = [];
  /** Hidden ones that are not shown for now either: not below what `spare` was told. */
  private away: boolean[] = [];
  /** Entries at which branches were put away that are shown for now. */
  private spared: ReadonlySet<string> = new Set();
  /** By the front of a stack: whether one of its members is shown. Holds until anything changes. */
  private readonly stacks = new Map<TurnNode, boolean>();

  constructor(
    private readonly turns: TurnTree,
    private readonly variants: Variants,
    private readonly marks: Marks,
    private readonly path: HeadPath,
  ) {}

  /** Nothing is left out. */
  get showsAll(): boolean {
    return this.filter === 'all' && (this.archived.size === 0 || this.showsHidden);
  }

  get hiddenCount(): number {
    return this.archived.size;
  }

  /** Entries whose branches are hidden. Call `refresh`, or `take` for every node. */
  setArchived(archived: ReadonlySet<string>): void {
    this.archived = archived;
    this.changed();
    this.placeCuts();
  }

  hides(entryId: string): boolean {
    return this.archived.has(entryId);
  }

  /** Looks at every node again. */
  refresh(): void {
    this.changed();
    this.placeCuts();
    this.hidden = [];
    this.away = [];
    for (const node of this.turns.nodes) this.take(node);
  }

  /** A turn has grown, HEAD has moved, or the rules are others: of stacks nothing is known. */
  changed(): void {
    this.stacks.clear();
  }

  /** Looks at a node; what it hangs at was looked at before. */
  take(node: TurnNode): void {
    if (this.stacks.size > 0) this.changed();
    const { hangsAt, index } = node;
    const cut = this.cutOver(node);
    this.hidden[index] = (hangsAt !== null && this.isHidden(hangsAt)) || cut !== null;
    this.away[index] =
      (hangsAt !== null && this.away[hangsAt.index] === true) || (cut !== null && !this.spared.has(cut.entryId));
  }

  /** Shows the hidden branches that a turn is in, and no others, until another one is told; null: none. Call `refresh` if true: something else is to be seen. */
  spare(node: TurnNode | null): boolean {
    const spared = new Set<string>();
    for (let at = node && this.isHidden(node) ? node : null; at; at = at.hangsAt) {
      const cut = this.cutOver(at);
      if (cut) spared.add(cut.entryId);
    }
    if (spared.size === this.spared.size && [...spared].every((id) => this.spared.has(id))) return false;
    this.spared = spared;
    return !this.showsHidden;
  }

  /** True for a turn in a branch that the person has put away. */
  isHidden(node: TurnNode): boolean {
    return this.hidden[node.index] === true;
  }

  /** The entry at which the branch of a hidden turn was put away, the nearest one; null: it is not hidden. O(depth). */
  hiddenAt(node: TurnNode): string | null {
    for (let at: TurnNode | null = node; at; at = at.hangsAt) {
      const cut = this.cutOver(at);
      if (cut) return cut.entryId;
    }
    return null;
  }

  /** A stack is there as long as one of its variants is. O(1), and O(variants) for the front of a stack after a change. */
  isShown(node: TurnNode): boolean {
    if (this.showsItself(node)) return true;
    if ((node.parent?.children ?? this.turns.roots).length < 2 || !this.variants.isInFront(node)) return false;
    let isShown = this.stacks.get(node);
    if (isShown === undefined) {
      isShown = this.variants.stackOf(node)?.members.some((member) => this.showsItself(member)) ?? false;
      this.stacks.set(node, isShown);
    }
    return isShown;
  }

  /** The stack of a node without the variants that were put away, unless one of them is what is read; null: nothing is left behind it. */
  stackOf(node: TurnNode): Stack | null {
    const stack = this.variants.stackOf(node);
    if (!stack || this.showsHidden || this.archived.size === 0) return stack;
    const shown = this.shownOn(stack.front);
    const members = stack.members.filter((member) => member === shown || !this.isPutAwayNow(member));
    return members.length < 2 ? null : { ...stack, members, shown };
  }

  /** Whose words a placed node shows: not those of a variant that was put away, if others are left. O(1), else O(variants). */
  shownOn(front: TurnNode): TurnNode {
    const shown = this.variants.shownOn(front);
    if (shown !== front || !this.isPutAwayNow(front)) return shown;
    return (
      this.variants
        .stackOf(front)
        ?.members.filter((member) => !this.isPutAwayNow(member))
        .at(-1) ?? front
    );
  }

  /** Turns that the filter hides (GR20); those that were put away are not on the graph anyway. O(nodes). */
  countFiltered(): number {
    let count = 0;
    for (const node of this.turns.nodes) {
      if (node.kind !== 'start' && !this.isPutAwayNow(node) && !this.isWanted(node)) count++;
    }
    return count;
  }

  /** Turns that pass the filter, HEAD's too if it does; those that were put away do not count. O(nodes). */
  countFound(): number {
    let count = 0;
    for (const node of this.turns.nodes) if (!this.isPutAwayNow(node) && this.passes(node)) count++;
    return count;
  }

  private showsItself(node: TurnNode): boolean {
    return !this.isPutAwayNow(node) && this.isWanted(node);
  }

  private isPutAwayNow(node: TurnNode): boolean {
    return this.away[node.index] === true && !this.showsHidden && !this.path.isActive(node);
  }

  private isWanted(node: TurnNode): boolean {
    return node === this.path.head || this.passes(node);
  }

  private passes(node: TurnNode): boolean {
    return matches(node, this.filter, this.marks.labelOf(node) !== undefined, this.isOfFile);
  }

  /** Where a node itself was put away, not what it hangs at. */
  private cutOver(node: TurnNode): Cut | null {
    const { hangsAt } = node;
    const own = this.cuts.get(node);
    if (own && own.seq <= node.contentSeq) return own;
    const cut = hangsAt ? this.cuts.get(hangsAt) : undefined;
    return cut && cut.seq <= node.attachSeq ? cut : null;
  }

  private placeCuts(): void {
    this.cuts = new Map();
    for (const entryId of this.archived) {
      const place = this.turns.place(entryId);
      if (!place) continue;
      const { node, seq } = place;
      if (seq < (this.cuts.get(node)?.seq ?? Infinity)) this.cuts.set(node, { seq, entryId });
    }
  }
}
