import {
  addWeight,
  type ContextTotals,
  noTotals,
  type PlanItem,
  type ProjectionKind,
  weighItem,
} from '../messages/plan-item';
import { isValidReply } from '../records/facts';
import type { ModelChoice, TreeNode } from '../records/tree-node';
import type { SessionTree } from '../tree/tree';
import type { ContextPlan } from './context-plan';
import {
  type Donor,
  figureFrom,
  type FigureOptions,
  type FigureSource,
  findDonor,
  lastReplyOf,
  type Overhead,
  type SessionFigure,
} from './figure';

/** Shares of D by kind, tokens. They add up to it exactly (TK9). */
interface Breakdown {
  system: number;
  skills: number;
  tools: number;
  summary: number;
  pins: number;
  messages: number;
  toolOutputs: number;
  images: number;
  thinking: number;
}

/** The raw shares of a context scaled so that they add up to D; what rounding leaves goes to the largest (TK9). */
export function breakdown(totals: ContextTotals, overhead: Overhead, tokens: number): Breakdown {
  const { summary, pins, messages, toolOutputs, images, thinking } = totals;
  const { system, tools, skills = 0 } = overhead;
  const raw: Breakdown = {
    system: Math.max(0, system - skills),
    skills,
    tools,
    summary,
    pins,
    messages,
    toolOutputs,
    images,
    thinking,
  };
  const keys = Object.keys(raw) as (keyof Breakdown)[];
  const sum = keys.reduce((total, key) => total + raw[key], 0);
  let left = tokens;
  let largest: keyof Breakdown = 'messages';
  const scaled = { ...raw };
  for (const key of keys) {
    scaled[key] = sum > 0 ? Math.floor((raw[key] * tokens) / sum) : 0;
    left -= scaled[key];
    if (raw[key] > raw[largest]) largest = key;
  }
  scaled[largest] += left;
  return scaled;
}

/** One of the largest messages of a context. */
export interface LargeItem {
  sourceId: string;
  kind: ProjectionKind;
  raw: number;
}

const LARGEST_SHOWN = 10;

/** True if the next item of a context, of so many raw tokens, is among the largest so far. */
function isLarge(largest: readonly LargeItem[], raw: number): boolean {
  return largest.length < LARGEST_SHOWN || raw > (largest[largest.length - 1] as LargeItem).raw;
}

/** Takes the next item of a context into its list of the largest, largest first, ties oldest first. O(10). */
function addLargest(largest: LargeItem[], { sourceId, kind }: PlanItem, raw: number): void {
  if (!isLarge(largest, raw)) return;
  let at = largest.length;
  while (at > 0 && (largest[at - 1] as LargeItem).raw < raw) at--;
  largest.splice(at, 0, { sourceId, kind, raw });
  if (largest.length > LARGEST_SHOWN) largest.pop();
}

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
