import type { ContextPlan } from '@shared/session/context/context-plan';
import {
  figureFrom,
  type FigureOptions,
  findDonor,
  lastReplyOf,
  type SessionFigure,
} from '@shared/session/context/figure';
import { totalsOf, weighItem } from '@shared/session/messages/plan-item';
import type { SessionTree } from '@shared/session/tree/tree';

/** D of a context (TK6) worked out from scratch. */
export function sessionFigure(tree: SessionTree, plan: ContextPlan, options: FigureOptions = {}): SessionFigure {
  const leafId = plan.leaf ? plan.leaf.id : null;
  const source = {
    donor: findDonor(tree, plan),
    totals: totalsOf(plan.items),
    lastReply: (model: { provider: string; modelId: string }) => lastReplyOf(tree, leafId, model),
  };
  return figureFrom(source, tree, plan, options);
}

/** The ten largest messages of a context by raw tokens, largest first, ties oldest first. */
export function largestItems({ items }: ContextPlan): { sourceId: string; kind: string; raw: number }[] {
  const weighed = items.map((item) => ({ sourceId: item.sourceId, kind: item.kind, raw: weighItem(item).raw }));
  return weighed.sort((a, b) => b.raw - a.raw).slice(0, 10);
}
