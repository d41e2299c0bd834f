import { addLargest, isLarge } from './breakdown';
import type { LargeItem } from './breakdown';
import type { ContextPlan } from './context-plan';
import { isValidReply } from './facts';
import { figureFrom, findDonor } from './figure';
import type { Donor, FigureOptions, FigureSource, SessionFigure } from './figure';
import { lastReplyOf } from './ratio';
import { addWeight, noTotals, weighItem } from './totals';
import type { ContextTotals } from './totals';
import type { SessionTree } from './tree';
import type { ModelChoice, TreeNode } from './tree-node';

/**
 * Figures of a context that grows at its end: sums, the largest messages, the donor of TK2. The meter is shown after
 * every entry, so each item costs O(1) here; whatever changes earlier items needs a new meter.
 */
export class ContextMeter {
  readonly totals: ContextTotals = noTotals();
  private large: LargeItem[] | null = null;
  private donor: Donor | null;
  private readonly lastReplies: { model: ModelChoice; node: TreeNode | null }[] = [];

  /** O(items), more if something is pinned. */
  constructor(
    private readonly tree: SessionTree,
    plan: ContextPlan,
  ) {
    for (let at = 0; at < plan.length; at++) this.weigh(plan, at);
    this.donor = findDonor(tree, plan);
  }

  /** The largest messages, largest first. No request asks for them: O(items) the first time, then O(1). */
  largest(plan: ContextPlan): readonly LargeItem[] {
    if (this.large) return this.large;
    const large: LargeItem[] = [];
    for (let at = 0; at < plan.length; at++) {
      const place = plan.places[at] as number;
      const raw = place < 0 ? weighItem(plan.item(at)).raw : this.tree.spine.rawAt(place);
      if (isLarge(large, raw)) addLargest(large, plan.item(at), raw);
    }
    return (this.large = large);
  }

  /** Takes the last item, which was appended at the leaf. O(1). */
  add(plan: ContextPlan): void {
    const item = plan.item(plan.length - 1);
    const raw = this.weigh(plan, plan.length - 1);
    if (this.large) addLargest(this.large, item, raw);
    const { node } = item;
    const { reply } = node.facts;
    if (isValidReply(reply) && !this.tree.isCopy(node.id)) {
      this.donor = { node, reply, trailingRaw: 0, isLast: true };
      this.remember({ provider: reply.provider, modelId: reply.model }, node);
    } else if (this.donor) {
      this.donor.trailingRaw += raw;
      this.donor.isLast = false;
    }
  }

  /** D (TK6). O(1); O(path) the first time a model is asked for that never replied lately. */
  figure(plan: ContextPlan, options: FigureOptions): SessionFigure {
    const leafId = plan.leaf ? plan.leaf.id : null;
    const source: FigureSource = {
      donor: this.donor,
      totals: this.totals,
      lastReply: (model) => this.lastReply(leafId, model),
    };
    return figureFrom(source, this.tree, plan, options);
  }

  /** Over dense arrays where it can: the entries themselves lie scattered in memory. */
  private weigh(plan: ContextPlan, at: number): number {
    const place = plan.places[at] as number;
    return place < 0 ? addWeight(this.totals, plan.item(at)) : this.tree.spine.addWeight(this.totals, place);
  }

  private lastReply(leafId: string | null, model: ModelChoice): TreeNode | null {
    const known = this.lastReplies.find((last) => isSame(last.model, model));
    return known ? known.node : this.remember(model, lastReplyOf(this.tree, leafId, model));
  }

  private remember(model: ModelChoice, node: TreeNode | null): TreeNode | null {
    const known = this.lastReplies.find((last) => isSame(last.model, model));
    if (known) known.node = node;
    else this.lastReplies.push({ model, node });
    return node;
  }
}

function isSame(a: ModelChoice, b: ModelChoice): boolean {
  return a.modelId === b.modelId && a.provider === b.provider;
}
