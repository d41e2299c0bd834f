import { skillsPartOf } from '../../skills';
import { type ContextTotals, totalsOf, weighItem } from '../messages/plan-item';
import { estimateText } from '../records/estimate';
import { isValidReply, type ReplyFacts } from '../records/facts';
import { textOf } from '../records/message-text';
import { dataOf, type ModelChoice, type TreeNode } from '../records/tree-node';
import type { SessionTree } from '../tree/tree';
import { type ContextPlan, planContext } from './context-plan';

/** Raw estimate of what precedes the messages of a request: system prompt and tool schemas, in tokens. */
export interface Overhead {
  system: number;
  tools: number;
  /** What of the system prompt tells of skills. */
  skills?: number;
}

/** Nothing precedes the messages. */
const NO_OVERHEAD: Overhead = { system: 0, tools: 0 };

/** Overhead of a system prompt and a list of tool schemas (raw tokens). */
export function estimateOverhead(systemPrompt: string, tools: unknown): Overhead {
  const hasTools = Array.isArray(tools) && tools.length > 0;
  const ofSkills = skillsPartOf(systemPrompt);
  return {
    system: estimateText(systemPrompt),
    tools: hasTools ? estimateText(JSON.stringify(tools)) : 0,
    ...(ofSkills === '' ? {} : { skills: estimateText(ofSkills) }),
  };
}

/** What records weigh; they never change, and each is asked for again with every reply. */
const sized = new WeakMap<object, Overhead>();

/** Overhead of the `espalier.request` in force at an entry, nothing if there is none (TK5). */
export function overheadInForce(tree: SessionTree, leafId: string | null, asOf?: number): Overhead {
  const request = tree.requestInForce(leafId, asOf);
  if (!request) return NO_OVERHEAD;
  const known = sized.get(request);
  if (known) return known;
  const { systemPrompt, tools } = dataOf(request);
  const overhead = estimateOverhead(textOf(systemPrompt), tools);
  sized.set(request, overhead);
  return overhead;
}

/**
 * What one raw token is for a model: prompt tokens of its last valid reply on the path ÷ raw estimate of that reply's own
 * context, between 1 and 4; 1 if it has none (TK5). O(distance to that reply), once O(its context).
 */
export function ratioFor(tree: SessionTree, leafId: string | null, model: ModelChoice | null): number {
  return model ? ratioOf(tree, lastReplyOf(tree, leafId, model)) : 1;
}

/** Above so many times the estimate usage is doubted: no text takes four tokens a raw one. */
const MAX_RATIO = 4;

/**
 * False for usage that no request can have had: above the window, and above four times what its context is estimated at
 * (docs/specs/safety.md A8). All in tokens; a window of 0 is not known, and then everything is believed.
 */
function isPlausible(usageTokens: number, estimate: number, window: number): boolean {
  return window <= 0 || usageTokens <= window || usageTokens <= MAX_RATIO * estimate;
}

/** The ratio that one reply measured; 1 for none and for one that is not believed. O(1), the first time O(its context). */
function ratioOf(tree: SessionTree, node: TreeNode | null, window = 0): number {
  const reply = node?.facts.reply;
  if (!node || !reply) return 1;
  const raw = ownContextOf(tree, node);
  if (raw <= 0 || !isPlausible(reply.usageTokens, raw, window)) return 1;
  return Math.min(MAX_RATIO, Math.max(1, reply.promptTokens / raw));
}

/** The last valid reply of a model on the path, copies aside. O(distance to it). */
export function lastReplyOf(tree: SessionTree, leafId: string | null, model: ModelChoice): TreeNode | null {
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
  if (node.ownContext !== null) return node.ownContext;
  const { raw } = totalsOf(planContext(tree, parentIdOf(node), node.seq).items);
  return remember(tree, node, raw + node.facts.raw);
}

/**
 * Notes the own context of a reply whose caller knows its raw sum, the reply included: the donor's is the plan up to it, since
 * nothing was rewritten after it, so no second walk is needed.
 */
function rememberOwnContext(tree: SessionTree, node: TreeNode, raw: number): void {
  if (node.ownContext === null) remember(tree, node, raw);
}

function remember(tree: SessionTree, node: TreeNode, raw: number): number {
  const { system, tools } = overheadInForce(tree, parentIdOf(node), node.seq);
  return (node.ownContext = system + tools + raw);
}

function parentIdOf(node: TreeNode): string | null {
  return node.parent ? node.parent.id : null;
}

/** The size of a context as everything decides by it (TK6). */
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
  /** Usage that the last reply reported and that can't be: it decides nothing. Null: there is none such. */
  implausible: number | null;
}

/** What a figure is asked for. */
export interface FigureOptions {
  /** Model of the next request; default: the context's. */
  model?: ModelChoice | null;
  /** Overhead of the next request; default: that of the request in force. */
  overhead?: Overhead;
  /** W, tokens; without it every usage is believed. */
  window?: number | null;
}

/** The reply whose usage stands for the context up to it. */
export interface Donor {
  node: TreeNode;
  reply: ReplyFacts;
  /** Raw tokens of the items after it. */
  trailingRaw: number;
  /** True if no item comes after it. */
  isLast: boolean;
}

/** What is known of a context before anybody asks for its figure. */
export interface FigureSource {
  donor: Donor | null;
  totals: Readonly<ContextTotals>;
  /** Last valid reply of a model on the path. */
  lastReply(model: ModelChoice): TreeNode | null;
}

/** The decision figure D of a context and how it came about (TK6), from what is known. O(1), once a reply O(its context). */
export function figureFrom(
  { donor: reported, totals, lastReply }: FigureSource,
  tree: SessionTree,
  plan: ContextPlan,
  options: FigureOptions,
): SessionFigure {
  const model = options.model === undefined ? plan.model : options.model;
  const overhead = options.overhead ?? overheadInForce(tree, plan.leaf ? plan.leaf.id : null);
  const { raw } = totals;
  const whole = overhead.system + overhead.tools + raw;
  if (reported) rememberOwnContext(tree, reported.node, raw - reported.trailingRaw);
  const window = options.window ?? 0;
  const isBelieved = reported === null || isPlausible(reported.reply.usageTokens, whole - reported.trailingRaw, window);
  const donor = isBelieved ? reported : null;
  const ratio = model ? ratioOf(tree, lastReply(model), window) : 1;
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
    implausible: isBelieved || !reported ? null : reported.reply.usageTokens,
  };
}

/** The last valid reply after the rewrite point, no copy, no pin change of a hidden entry after it (TK2). */
export function findDonor(tree: SessionTree, plan: ContextPlan): Donor | null {
  if (!plan.leaf) return null;
  const { compaction, edit } = tree.stateOf(plan.leaf);
  const rewriteDepth = Math.max(compaction ? compaction.depth : -1, edit ? edit.depth : -1);
  let trailingRaw = 0;
  for (let i = plan.length - 1; i >= 0; i--) {
    const item = plan.item(i);
    if (item.node.depth <= rewriteDepth) return null;
    const { reply } = item.node.facts;
    if (isValidReply(reply) && !tree.isCopy(item.node.id)) {
      if (hasPinChange(tree, plan, item.node.seq)) return null;
      return { node: item.node, reply, trailingRaw, isLast: i === plan.length - 1 };
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
  return tree.spine.isBelow(plan.leaf, node) || plan.items.some(({ kind }) => kind === 'branch' || kind === 'summary');
}
