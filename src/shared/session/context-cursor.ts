import type { LargeItem } from './breakdown';
import { ContextMeter } from './context-meter';
import { itemOf, planContext } from './context-plan';
import type { ContextPlan, PlanItem } from './context-plan';
import { requireBodies } from './context';
import type { ProjectionItem } from './context';
import type { ProjectedMessage } from './entry';
import type { FigureOptions, SessionFigure } from './figure';
import { projectItem } from './project-item';
import type { ContextTotals } from './totals';
import type { SessionTree } from './tree';
import type { ModelChoice, TreeNode } from './tree-node';

/**
 * The context of a tree's leaf, kept up to date: an append at the leaf costs O(new), everything else that changes the context
 * (leaf move, compaction, view edit, reset, pin) one rebuild. Messages are made only when asked for.
 */
export class ContextCursor {
  private current: ContextPlan;
  private meter: ContextMeter;
  private pinChanges: number;
  private readonly built: ProjectionItem[] = [];
  private readonly list: ProjectedMessage[] = [];

  constructor(private readonly tree: SessionTree) {
    this.pinChanges = tree.pinChanges.length;
    this.current = planContext(tree, tree.leafId);
    this.meter = new ContextMeter(tree, this.current);
  }

  /** The context without bodies, as of the leaf. The items array grows in place: copy it to keep it. */
  get plan(): ContextPlan {
    this.sync();
    return this.current;
  }

  /** Raw tokens by kind of the context at the leaf. */
  get totals(): Readonly<ContextTotals> {
    this.sync();
    return this.meter.totals;
  }

  /** The largest messages of the context at the leaf, largest first. */
  get largest(): readonly LargeItem[] {
    this.sync();
    return this.meter.largest;
  }

  /** D of the context at the leaf (TK6): what `sessionFigure` gives, in O(1) after an append. */
  figure(options: FigureOptions = {}): SessionFigure {
    const { plan } = this;
    return this.meter.figure(plan, options);
  }

  get thinkingLevel(): string {
    return this.plan.thinkingLevel;
  }

  get model(): ModelChoice | null {
    return this.plan.model;
  }

  /** Messages with their sources. Grows in place. @throws MissingBodiesError, after which it may be called again */
  projection(): readonly ProjectionItem[] {
    this.materialise();
    return this.built;
  }

  /** Messages alone. Grows in place. @throws MissingBodiesError, after which it may be called again */
  messages(): readonly ProjectedMessage[] {
    this.materialise();
    return this.list;
  }

  /** Lets go of the made messages; the next `messages` makes them again. */
  drop(): void {
    this.built.length = 0;
    this.list.length = 0;
  }

  /** Follows the tree. O(entries appended at the leaf since the last call), else one rebuild. */
  sync(): void {
    const { leafId } = this.tree;
    const old = this.current.leaf;
    if (this.pinChanges !== this.tree.pinChanges.length) return this.rebuild();
    if (leafId === (old ? old.id : null)) return;
    const leaf = leafId === null ? undefined : this.tree.node(leafId);
    const added = leaf && old ? this.appendedSince(old, leaf) : null;
    if (!leaf || !added) return this.rebuild();
    for (const node of added) {
      const item = itemOf(node);
      if (item) this.push(item);
    }
    const state = this.tree.stateOf(leaf);
    this.current.leaf = leaf;
    this.current.thinkingLevel = state.thinkingLevel;
    this.current.model = state.model;
  }

  /** Entries after the old leaf, oldest first; null if the new one is not below it or one of them changes what is before it. */
  private appendedSince(old: TreeNode, leaf: TreeNode): TreeNode[] | null {
    const before = this.tree.stateOf(old);
    const after = this.tree.stateOf(leaf);
    if (leaf.depth <= old.depth) return null;
    if (before.compaction !== after.compaction || before.reset !== after.reset || before.edit !== after.edit)
      return null;
    const added: TreeNode[] = [];
    const pinned = this.tree.pinChanges.at(-1)?.seq ?? -1;
    for (let node: TreeNode | null = leaf; node !== old; node = node.parent) {
      if (!node || node.depth <= old.depth) return null;
      // Gone back to, not appended: a pin that changed since may keep it from being the donor (TK2).
      if (node.seq < pinned) return null;
      // Pins of its branch come into the context with it, and what was unpinned there now counts for the donor (TK2).
      if (node.facts.type === 'branch_summary' && this.tree.pinChanges.length > 0) return null;
      added.push(node);
    }
    return added.reverse();
  }

  private push(item: PlanItem): void {
    this.current.items.push(item);
    this.meter.add(item);
  }

  private rebuild(): void {
    this.pinChanges = this.tree.pinChanges.length;
    this.current = planContext(this.tree, this.tree.leafId);
    this.meter = new ContextMeter(this.tree, this.current);
    this.drop();
  }

  private materialise(): void {
    const { items } = this.plan;
    requireBodies(items, this.built.length);
    for (let i = this.built.length; i < items.length; i++) {
      const item = items[i] as PlanItem;
      const message = projectItem(item);
      this.built.push({ sourceId: item.sourceId, kind: item.kind, message });
      this.list.push(message);
    }
  }
}
