import type { Marks } from './marks';
import type { GraphOrder, Run } from './order';
import type { TurnNode, TurnTree } from './turns';

/** The branches whose rows the person has opened on the rail (GR7), and those that stay out of "N branches" (GR6). */
export class OpenRuns {
  private opened = new Set<TurnNode>();
  /** Null: not looked up. */
  private labelled: Set<TurnNode> | null = null;

  constructor(
    private readonly turns: TurnTree,
    private readonly order: GraphOrder,
    private readonly marks: Marks,
  ) {}

  has(first: TurnNode): boolean {
    return this.opened.has(first);
  }

  /** False if it was so. */
  set(first: TurnNode, isOpen: boolean): boolean {
    if (this.opened.has(first) === isOpen) return false;
    if (isOpen) this.opened.add(first);
    else this.opened.delete(first);
    return true;
  }

  /** By the entry of their first turn, to be kept. */
  kept(): string[] {
    return [...this.opened].map(({ contentId }) => contentId);
  }

  /** What was kept; what is no longer there is left out. */
  restore(ids: readonly string[]): void {
    this.opened = new Set();
    for (const id of ids) {
      const node = this.turns.place(id)?.node;
      if (node) this.opened.add(node);
    }
  }

  /** Labels, or the order, have changed. */
  forget(): void {
    this.labelled = null;
  }

  /** Whether a branch has a label, itself or one that leaves it. O(1), and O(labels × nested branches) at first. */
  isKeptOut(first: TurnNode): boolean {
    this.labelled ??= this.withLabels();
    return this.labelled.has(first);
  }

  private withLabels(): Set<TurnNode> {
    const firsts = new Set<TurnNode>();
    for (const node of this.marks.labelledNodes) {
      for (let run: Run | null = this.order.runOf(node); run && !firsts.has(run.first); run = run.parent) {
        firsts.add(run.first);
      }
    }
    return firsts;
  }
}
