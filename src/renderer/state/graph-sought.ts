/** What somebody looks for in a branch graph, and has to see as long as they do: what is read, the hit of a search, what they were led to. */
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';

interface Deps {
  graph: () => BranchGraph;
  /** The turn that was found; undefined: none is. */
  hit: () => TurnNode | undefined;
}

export class Sought {
  private read: string | null = null;
  /** In a hidden branch, while nothing is read or found instead. */
  private led: TurnNode | null = null;
  /** For which order of which graph what is read was put on top of its stack. */
  private raisedIn: { graph: BranchGraph; order: number } | null = null;

  constructor(private readonly deps: Deps) {}

  /** Another entry's path is read, or HEAD's again. True if a stack shows another variant. */
  setRead(entryId: string | null): boolean {
    this.read = entryId;
    this.led = null;
    return this.deps.graph().order.variants.bringAlone(this.readNode() ?? null);
  }

  /** Null: nowhere any more. */
  leadTo(node: TurnNode | null): void {
    this.led = node;
  }

  /** The hidden branch that it is in is shown, and no other (GR29). True if that moves anything. O(depth) where it is in one. */
  spare(): boolean {
    const graph = this.deps.graph();
    const { moves } = graph;
    graph.spare(this.readNode() ?? this.deps.hit() ?? this.led);
    return graph.moves !== moves;
  }

  /** What is read is on top as long as it is read (GR5): an order that is fixed anew has HEAD's there. O(1) where none was. */
  raise(): void {
    const graph = this.deps.graph();
    const order = graph.order.version;
    if (this.raisedIn?.graph === graph && this.raisedIn.order === order) return;
    this.raisedIn = { graph, order };
    const node = this.readNode();
    if (node) graph.bringToFront(node);
  }

  private readNode(): TurnNode | undefined {
    return this.read === null ? undefined : this.deps.graph().turns.place(this.read)?.node;
  }
}
