import type { ContextRegion } from './rail-lines';
import type { GraphOrder } from './order';
import type { TurnNode, TurnTree } from './turns';

/** Where HEAD is, the path to it, and what of that the model sees (GR5, GR7). */
export class HeadPath {
  head: TurnNode | null = null;
  leafId: string | null = null;
  /** The latest compaction of the path. */
  compaction: TurnNode | null = null;
  private nodes = new Set<TurnNode>();
  /** First turn that the model sees whole; null: from the top, or after the compaction if that is unknown. */
  private keptFrom: TurnNode | null = null;

  constructor(
    private readonly turns: TurnTree,
    private readonly order: GraphOrder,
  ) {}

  has(node: TurnNode): boolean {
    return this.nodes.has(node);
  }

  regionOf(node: TurnNode): ContextRegion {
    if (!this.nodes.has(node)) return 'aside';
    const from = this.keptFrom ?? this.compaction;
    return from && node.depth < from.depth ? 'summarised' : 'seen';
  }

  /** Where the model's view begins: the turn of the first kept entry of `compaction`. */
  setKept(firstKeptId: string | null): void {
    this.keptFrom = (firstKeptId === null ? undefined : this.turns.place(firstKeptId)?.node) ?? null;
  }

  /** True if HEAD went elsewhere than straight on; to an entry that is not known it does not go yet. O(1) for the next turn of the path. */
  goTo(leafId: string | null): boolean {
    const going = this.goingTo(leafId);
    for (;;) {
      const { done, value } = going.next();
      if (done) return value;
    }
  }

  /** The same; rests after each turn of a path that is another one. */
  *goingTo(leafId: string | null): Generator<void, boolean> {
    this.leafId = leafId;
    const before = this.head;
    // Its entry is on its way, as after lost events: until it is here HEAD is where it was.
    if (leafId !== null && !this.turns.place(leafId)) return false;
    const head = this.turns.nodeAt(leafId);
    if (head === before) return false;
    this.head = head;
    const goesOn = head !== null && head.parent === before && this.order.isOnward(head);
    if (head && goesOn) {
      this.nodes.add(head);
      if (head.kind === 'compaction') this.takeCompaction(head);
      return false;
    }
    this.nodes = new Set();
    let compaction: TurnNode | null = null;
    for (let node = head; node; node = node.parent) {
      this.nodes.add(node);
      if (!compaction && node.kind === 'compaction') compaction = node;
      yield;
    }
    this.takeCompaction(compaction);
    return true;
  }

  private takeCompaction(compaction: TurnNode | null): void {
    if (compaction === this.compaction) return;
    this.compaction = compaction;
    this.keptFrom = null;
  }
}
