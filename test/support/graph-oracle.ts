import type { BranchGraph } from '../../src/shared/graph/branch-graph';
import type { TurnNode } from '../../src/shared/graph/turns';

/** The rules of GR2, GR5 and GR7 as they are written, naive and recursive: for small trees, where nothing was appended since the order was fixed. */
export class GraphOracle {
  private readonly path = new Set<TurnNode>();

  constructor(
    private readonly graph: BranchGraph,
    head: TurnNode | null = graph.head,
  ) {
    for (let node = head; node; node = node.parent) this.path.add(node);
  }

  private children(node: TurnNode | null): readonly TurnNode[] {
    return node ? node.children : this.graph.turns.roots;
  }

  turnsBelow(node: TurnNode): number {
    return 1 + node.children.reduce((sum, child) => sum + this.turnsBelow(child), 0);
  }

  activity(node: TurnNode): number {
    return Math.max(node.lastSeq, ...node.children.map((child) => this.activity(child)));
  }

  straightChild(node: TurnNode | null): TurnNode | null {
    const [best] = [...this.children(node)].sort(
      (a, b) =>
        Number(this.path.has(b)) - Number(this.path.has(a)) ||
        this.turnsBelow(b) - this.turnsBelow(a) ||
        this.newestFirst(a, b),
    );
    return best ?? null;
  }

  newestFirst = (a: TurnNode, b: TurnNode): number => this.activity(b) - this.activity(a) || b.index - a.index;

  /** Turns that answer one prompt or edit it, with a node. */
  variantsOf(node: TurnNode): TurnNode[] {
    const prompt = (of: TurnNode): TurnNode => (of.against ? prompt(of.against) : of);
    const mine = prompt(node);
    return this.children(node.parent).filter((other) => {
      const its = prompt(other);
      return its === mine || (its.kind === 'turn' && mine.kind === 'turn' && isVersion(its, mine));
    });
  }

  frontOf(node: TurnNode): TurnNode {
    const variants = this.variantsOf(node);
    return variants.find((other) => this.path.has(other)) ?? (variants.sort(this.newestFirst)[0] as TurnNode);
  }

  isBehind(node: TurnNode): boolean {
    return node.children.length === 0 && this.frontOf(node) !== node;
  }

  siblings(node: TurnNode | null): TurnNode[] {
    const straight = this.straightChild(node);
    return this.children(node)
      .filter((child) => child !== straight && !this.isBehind(child))
      .sort(this.newestFirst);
  }

  /** Nodes of the run that begins with one. */
  run(first: TurnNode): TurnNode[] {
    const next = this.straightChild(first);
    return next ? [first, ...this.run(next)] : [first];
  }

  /** Rows from a node down where every branch is opened, nothing folded and nothing left out. */
  rows(node: TurnNode | null, lane = 0): { node: TurnNode; lane: number }[] {
    const straight = this.straightChild(node);
    return [
      ...(node ? [{ node, lane }] : []),
      ...this.siblings(node).flatMap((branch) => this.rows(branch, lane + 1)),
      ...(straight ? this.rows(straight, lane) : []),
    ];
  }
}

/** Edits of one prompt; what was begun as a branch has only its own. */
function isVersion(a: TurnNode, b: TurnNode): boolean {
  if (a.branchId !== null || b.branchId !== null) return a.branchId === b.branchId;
  return a.attachSeq === b.attachSeq;
}
