import { type GraphFilter, matches } from './filters';
import type { Marks } from './marks';
import type { TurnNode, TurnTree } from './turns';
import type { Variants } from './variants';

/** Where HEAD is: its turn and its path are never put away. */
interface HeadPath {
  readonly head: TurnNode | null;
  isActive(node: TurnNode): boolean;
}

/** Which turns are on the graph: what the filter and the branches that were put away leave. */
export class Visibility {
  filter: GraphFilter = 'all';
  /** For `files`: which file; null: any. */
  isOfFile: ((node: TurnNode) => boolean) | null = null;
  /** Branches that were put away are shown all the same. */
  showsHidden = false;
  private archived: ReadonlySet<string> = new Set();
  /** From which file position on the branches of a node are hidden. */
  private cuts = new Map<TurnNode, number>();
  private hidden: boolean[] = [];

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
    this.placeCuts();
  }

  hides(entryId: string): boolean {
    return this.archived.has(entryId);
  }

  /** Looks at every node again. */
  refresh(): void {
    this.placeCuts();
    this.hidden = [];
    for (const node of this.turns.nodes) this.take(node);
  }

  /** Looks at a node; what it hangs at was looked at before. */
  take(node: TurnNode): void {
    this.hidden[node.index] = this.isPutAway(node);
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

  /** A stack is there as long as one of its variants is. */
  isShown(node: TurnNode): boolean {
    if (this.showsItself(node)) return true;
    if ((node.parent?.children ?? this.turns.roots).length < 2) return false;
    const stack = this.variants.stackOf(node);
    return stack?.front === node && stack.members.some((member) => this.showsItself(member));
  }

  /** Turns that the filter hides (GR20). O(nodes). */
  countFiltered(): number {
    let count = 0;
    for (const node of this.turns.nodes) if (node.kind !== 'start' && !this.isWanted(node)) count++;
    return count;
  }

  private showsItself(node: TurnNode): boolean {
    if (this.hidden[node.index] && !this.showsHidden && !this.path.isActive(node)) return false;
    return this.isWanted(node);
  }

  private isWanted(node: TurnNode): boolean {
    return node === this.path.head || matches(node, this.filter, this.marks.labelOf(node) !== undefined, this.isOfFile);
  }

  private isPutAway(node: TurnNode): boolean {
    const { hangsAt } = node;
    if (hangsAt && this.hidden[hangsAt.index]) return true;
    const own = this.cuts.get(node);
    if (own !== undefined && own <= node.contentSeq) return true;
    const cut = hangsAt ? this.cuts.get(hangsAt) : undefined;
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
