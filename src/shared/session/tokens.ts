import type { ContextPlan } from './context-plan';
import { planContext } from './context-plan';
import type { ProjectedMessage } from './entry';
import { estimateRaw, estimateText } from './estimate';
import { isValidReply, replyFacts } from './facts';
import type { ReplyFacts } from './facts';
import { textOf } from './message-text';
import { dataOf } from './path-state';
import { totalsOf, weighItem } from './totals';
import type { ContextTotals } from './totals';
import type { SessionTree } from './tree';
import type { ModelChoice, TreeNode } from './tree-node';

/** Raw estimate of what precedes the messages of a request: system prompt and tool schemas, in tokens. */
export interface Overhead {
  system: number;
  tools: number;
}

/** Nothing precedes the messages. */
export const NO_OVERHEAD: Overhead = { system: 0, tools: 0 };

/** Overhead of a system prompt and a list of tool schemas (raw tokens). */
export function estimateOverhead(systemPrompt: string, tools: unknown): Overhead {
  const hasTools = Array.isArray(tools) && tools.length > 0;
  return { system: estimateText(systemPrompt), tools: hasTools ? estimateText(JSON.stringify(tools)) : 0 };
}

/** Overhead of the `espalier.request` in force at an entry, nothing if there is none (engine.md 4.3). */
export function overheadInForce(tree: SessionTree, leafId: string | null, asOf?: number): Overhead {
  const request = tree.requestInForce(leafId, asOf);
  if (!request) return NO_OVERHEAD;
  const { systemPrompt, tools } = dataOf(request);
  return estimateOverhead(textOf(systemPrompt), tools);
}

/** What `estimateContext` answers: tokens. */
export interface ContextEstimate {
  tokens: number;
  usageTokens: number;
  trailingTokens: number;
  lastUsageIndex: number | null;
}

/** Usage of the last valid reply plus raw estimates after it, else the raw sum; no ratio, no overhead (engine.md 4.3). */
export function estimateContext(messages: readonly ProjectedMessage[]): ContextEstimate {
  let trailingTokens = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i] as ProjectedMessage;
    const reply = message.role === 'assistant' ? replyFacts({ ...message }) : undefined;
    if (isValidReply(reply)) {
      const { usageTokens } = reply;
      return { tokens: usageTokens + trailingTokens, usageTokens, trailingTokens, lastUsageIndex: i };
    }
    trailingTokens += estimateRaw(message);
  }
  return { tokens: trailingTokens, usageTokens: 0, trailingTokens, lastUsageIndex: null };
}

/** A reply's own context never changes, so neither does what it weighed. */
const ownContexts = new WeakMap<TreeNode, number>();

/**
 * What one raw token is for a model: prompt tokens of its last valid reply on the path ÷ raw estimate of that reply's own
 * context, between 1 and 4; 1 if it has none (engine.md 4.3). O(distance to that reply), once O(its context).
 */
export function ratioFor(tree: SessionTree, leafId: string | null, model: ModelChoice | null): number {
  const node = model ? lastReplyOf(tree, leafId, model) : null;
  const reply = node?.facts.reply;
  if (!node || !reply) return 1;
  const raw = ownContextOf(tree, node);
  return raw > 0 ? Math.min(4, Math.max(1, reply.promptTokens / raw)) : 1;
}

function lastReplyOf(tree: SessionTree, leafId: string | null, model: ModelChoice): TreeNode | null {
  let node = leafId === null ? null : (tree.node(leafId) ?? null);
  for (; node; node = node.parent) {
    const { reply, id } = node.facts;
    const isOfModel = reply?.provider === model.provider && reply.model === model.modelId;
    if (isOfModel && isValidReply(reply) && !tree.isCopy(id)) return node;
  }
  return null;
}

/** Overhead and raw sum of the context that a reply saw, the reply included. */
function ownContextOf(tree: SessionTree, node: TreeNode): number {
  const known = ownContexts.get(node);
  if (known !== undefined) return known;
  const parentId = node.parent ? node.parent.id : null;
  const { raw } = totalsOf(planContext(tree, parentId, node.seq).items);
  const overhead = overheadInForce(tree, parentId, node.seq);
  const sum = overhead.system + overhead.tools + raw + node.facts.raw;
  ownContexts.set(node, sum);
  return sum;
}

/** The size of a context as everything decides by it (engine.md 4.3). */
export interface SessionFigure {
  /** D, tokens. */
  tokens: number;
  /** True: a provider reported it and nothing came after. Else shown with `~`. */
  exact: boolean;
  /** The reply whose usage counts, or null. */
  donorId: string | null;
  usageTokens: number;
  /** Raw tokens after the donor; without donor overhead and all messages. */
  trailingRaw: number;
  ratio: number;
  /** Raw tokens of the messages. */
  raw: number;
  /** True if the floor of 0.8 × raw was higher than what was reported. */
  isFloor: boolean;
}

/** What a figure is asked for. */
export interface FigureOptions {
  /** Model of the next request; default: the context's. */
  model?: ModelChoice | null;
  /** Overhead of the next request; default: that of the request in force. */
  overhead?: Overhead;
  /** Totals of the plan, if known (a cursor has them). */
  totals?: ContextTotals;
}

/** The decision figure D of a context and how it came about (engine.md 4.3). O(items after the donor), with `totals` given. */
export function sessionFigure(tree: SessionTree, plan: ContextPlan, options: FigureOptions = {}): SessionFigure {
  const leafId = plan.leaf ? plan.leaf.id : null;
  const model = options.model === undefined ? plan.model : options.model;
  const overhead = options.overhead ?? overheadInForce(tree, leafId);
  const { raw } = options.totals ?? totalsOf(plan.items);
  const whole = overhead.system + overhead.tools + raw;
  const donor = findDonor(tree, plan);
  if (donor) rememberOwnContext(tree, plan, donor, raw);
  const ratio = ratioFor(tree, leafId, model);
  const trailingRaw = donor ? donor.trailingRaw : whole;
  const usageTokens = donor ? donor.reply.usageTokens : 0;
  const figure = usageTokens + Math.ceil(ratio * trailingRaw);
  const floor = Math.floor(0.8 * whole);
  const isSameModel = donor?.reply.provider === model?.provider && donor?.reply.model === model?.modelId;
  return {
    tokens: Math.max(figure, floor),
    exact: donor !== null && donor.isLast && isSameModel && floor <= figure,
    donorId: donor ? donor.node.id : null,
    usageTokens,
    trailingRaw,
    ratio,
    raw,
    isFloor: floor > figure,
  };
}

interface Donor {
  node: TreeNode;
  reply: ReplyFacts;
  trailingRaw: number;
  isLast: boolean;
}

/** The last valid reply after the rewrite point, no copy, no pin change of a hidden entry after it (engine.md 4.1). */
function findDonor(tree: SessionTree, plan: ContextPlan): Donor | null {
  if (!plan.leaf) return null;
  const { compaction, edit } = tree.stateOf(plan.leaf);
  const rewriteDepth = Math.max(compaction ? compaction.depth : -1, edit ? edit.depth : -1);
  let trailingRaw = 0;
  for (let i = plan.items.length - 1; i >= 0; i--) {
    const item = plan.items[i];
    if (!item || item.node.depth <= rewriteDepth) return null;
    const { reply } = item.node.facts;
    if (isValidReply(reply) && !tree.isCopy(item.node.id)) {
      if (hasPinChange(tree, plan, item.node.seq)) return null;
      return { node: item.node, reply, trailingRaw, isLast: i === plan.items.length - 1 };
    }
    trailingRaw += weighItem(item).raw;
  }
  return null;
}

/** True if a pin changed what the context shows after a file position: a hidden entry, or one that was pruned. */
function hasPinChange(tree: SessionTree, plan: ContextPlan, seq: number): boolean {
  const targets = new Set<string>();
  for (let i = tree.pinChanges.length - 1; i >= 0; i--) {
    const change = tree.pinChanges[i];
    if (!change || change.seq < seq) break;
    targets.add(change.targetId);
  }
  if (targets.size === 0) return false;
  for (const item of plan.items) if (item.kind !== 'pins' && !item.edit) targets.delete(item.sourceId);
  return [...targets].some((id) => isReachable(tree, plan, id));
}

/** A hidden entry counts only where the context could show it: on the path, or on a branch that a summary stands for. */
function isReachable(tree: SessionTree, plan: ContextPlan, id: string): boolean {
  const node = tree.node(id);
  if (!node?.facts.visible || !plan.leaf) return false;
  return (
    tree.commonAncestor(id, plan.leaf.id) === id ||
    plan.items.some(({ kind }) => kind === 'branch' || kind === 'summary')
  );
}

/** The donor's own context is the plan up to it, since nothing was rewritten after it: no second walk is needed. */
function rememberOwnContext(tree: SessionTree, plan: ContextPlan, donor: Donor, raw: number): void {
  if (ownContexts.has(donor.node) || !plan.leaf) return;
  const parentId = donor.node.parent ? donor.node.parent.id : null;
  const overhead = overheadInForce(tree, parentId, donor.node.seq);
  ownContexts.set(donor.node, overhead.system + overhead.tools + raw - donor.trailingRaw);
}

export { estimateRaw } from './estimate';
export { breakdown, largestItems } from './breakdown';
export type { Breakdown, LargeItem } from './breakdown';
