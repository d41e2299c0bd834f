import { addLargest, isLarge } from './breakdown';
import type { LargeItem } from './breakdown';
import type { ContextPlan, PlanItem } from './context-plan';
import { isValidReply } from './facts';
import { figureFrom, findDonor } from './figure';
import type { Donor, FigureOptions, FigureSource, SessionFigure } from './figure';
import { lastReplyOf } from './ratio';
import { addWeight, noTotals } from './totals';
import type { ContextTotals } from './totals';
import type { SessionTree } from './tree';
import type { ModelChoice, TreeNode } from './tree-node';

/**
 * Figures of a context that grows at its end: sums, the largest messages, the donor of TK2. The meter is shown after
 * every entry, so each item costs O(1) here; whatever changes earlier items needs a new meter.
 */
export class ContextMeter {
  readonly totals: ContextTotals = noTotals();
  readonly largest: LargeItem[] = [];
  private donor: Donor | null;
  private readonly lastReplies = new Map<string, TreeNode | null>();

  /** O(items), more if something is pinned. */
  constructor(
    private readonly tree: SessionTree,
    plan: ContextPlan,
  ) {
    this.weigh(plan);
    this.donor = findDonor(tree, plan);
  }

  /** Over dense arrays where it can: the entries themselves lie scattered in memory. */
  private weigh({ items, places }: ContextPlan): void {
    const { totals, largest, tree } = this;
    for (let at = 0; at < items.length; at++) {
      const place = places[at] as number;
      const raw = place < 0 ? addWeight(totals, items[at] as PlanItem) : tree.spine.addWeight(totals, place);
      if (isLarge(largest, raw)) addLargest(largest, items[at] as PlanItem, raw);
    }
  }

  /** Takes an item that was appended at the leaf. O(1). */
  add(item: PlanItem): void {
    const raw = addWeight(this.totals, item);
    addLargest(this.largest, item, raw);
    const { node } = item;
    const { reply } = node.facts;
    if (isValidReply(reply) && !this.tree.isCopy(node.id)) {
      this.donor = { node, reply, trailingRaw: 0, isLast: true };
      this.lastReplies.set(keyOf({ provider: reply.provider, modelId: reply.model }), node);
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

  private lastReply(leafId: string | null, model: ModelChoice): TreeNode | null {
    const key = keyOf(model);
    let node = this.lastReplies.get(key);
    if (node === undefined) {
      node = lastReplyOf(this.tree, leafId, model);
      this.lastReplies.set(key, node);
    }
    return node;
  }
}

function keyOf({ provider, modelId }: ModelChoice): string {
  return JSON.stringify([provider, modelId]);
}
