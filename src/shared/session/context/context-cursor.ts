import type { ContextTotals, PlanItem } from '../messages/plan-item';
import { projectItem, type SummaryFrames, toLlmMessage } from '../messages/projection';
import { Sanitizer } from '../messages/sanitizer';
import type { Spine } from '../messages/spine';
import { type LlmMessage, MissingBodiesError, type SessionEntry } from '../records/entry';
import type { ModelChoice, TreeNode } from '../records/tree-node';
import type { SessionTree } from '../tree/tree';
import { ContextMeter, type LargeItem } from './context-meter';
import { type ContextPlan, planContext } from './context-plan';
import type { FigureOptions, SessionFigure } from './figure';

/** What summaries are sent as. They never change, and each context of a compacted session begins with one. */
class SummaryWords {
  private readonly known = new WeakMap<SessionEntry, LlmMessage>();

  constructor(private readonly frames: SummaryFrames) {}

  /** The message of any item, null if it is not sent. @throws MissingBodiesError */
  of(item: PlanItem): LlmMessage | null {
    const { body } = item.node;
    const isPlain = item.kind === 'summary' && !item.edit;
    const known = isPlain && body ? this.known.get(body) : undefined;
    if (known) return known;
    const message = toLlmMessage(projectItem(item), this.frames);
    if (isPlain && body && message) this.known.set(body, message);
    return message;
  }
}

/**
 * What a provider is sent for a context that grows at its end: in its words, then sanitized (CX8 to CX11). Each item is taken
 * once; what changes earlier items needs a new one.
 */
class SentContext {
  private readonly pass = new Sanitizer();
  private taken = 0;

  constructor(
    private readonly spine: Spine,
    private readonly words: SummaryWords,
  ) {}

  /**
   * The messages for all items. Grows and changes in place. O(items not taken yet); O(items) after a result that came late.
   * @throws MissingBodiesError, after which it may be called again
   */
  messages(plan: ContextPlan): readonly LlmMessage[] {
    const { pass } = this;
    if (this.taken === plan.length) return pass.sent;
    pass.resume();
    this.feed(plan);
    if (pass.isStale) {
      this.restart();
      this.feed(plan);
    }
    pass.settle();
    return pass.sent;
  }

  private feed(plan: ContextPlan): void {
    const { pass, spine } = this;
    const missing: string[] = [];
    const { places } = plan;
    for (let at = this.taken; at < places.length; at++) {
      const place = places[at] as number;
      if (place < 0) this.feedMade(plan.item(at), missing);
      else if (!spine.sent.feed(place, pass)) missing.push(plan.item(at).sourceId);
    }
    this.taken = places.length;
    if (missing.length === 0) return;
    this.restart();
    throw new MissingBodiesError(missing);
  }

  private feedMade(item: PlanItem, missing: string[]): void {
    const { node, pinned } = item;
    const absent = (pinned ? [node, ...pinned] : [node]).filter((entry) => !entry.body);
    if (absent.length > 0) {
      for (const { id } of absent) missing.push(id);
      return;
    }
    const message = this.words.of(item);
    if (message) this.pass.take(message);
    else this.pass.skip();
  }

  /** Half of a context is none: it begins again. */
  private restart(): void {
    this.pass.restart();
    this.taken = 0;
  }
}

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
