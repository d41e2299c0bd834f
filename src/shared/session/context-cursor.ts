import type { LargeItem } from './breakdown';
import { ContextMeter } from './context-meter';
import { planContext } from './context-plan';
import type { ContextPlan } from './context-plan';
import type { LlmMessage } from './entry';
import type { FigureOptions, SessionFigure } from './figure';
import type { SummaryFrames } from './project-message';
import { SentContext, SummaryWords } from './sent-context';
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
  private sent: SentContext;
  private readonly words: SummaryWords;

  /** @param frames words around summaries where they are sent */
  constructor(
    private readonly tree: SessionTree,
    frames: SummaryFrames,
  ) {
    this.words = new SummaryWords(frames);
    this.pinChanges = tree.pinChanges.length;
    this.current = planContext(tree, tree.leafId);
    this.meter = new ContextMeter(tree, this.current);
    this.sent = new SentContext(tree.spine, this.words);
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
    const { plan } = this;
    return this.meter.largest(plan);
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

  /**
   * The messages of a request at the leaf, sanitized (CX8 to CX11). Grows and changes in place: copy it to keep it.
   * @param without entry that is left out
   * @throws MissingBodiesError, after which it may be called again
   */
  messages(without?: string): readonly LlmMessage[] {
    const { plan } = this;
    // From scratch: it is asked for once after a reply was cut off (JB10).
    if (without !== undefined) return new SentContext(this.tree.spine, this.words).messages(plan.without(without));
    return this.sent.messages(plan);
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
    for (const node of added) this.push(node);
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

  private push(node: TreeNode): void {
    if (!node.facts.visible) return;
    this.current.append(node);
    this.meter.add(this.current);
  }

  private rebuild(): void {
    this.pinChanges = this.tree.pinChanges.length;
    this.current = planContext(this.tree, this.tree.leafId);
    this.meter = new ContextMeter(this.tree, this.current);
    this.sent = new SentContext(this.tree.spine, this.words);
  }
}
