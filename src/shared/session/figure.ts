import type { ContextPlan } from './context-plan';
import { isValidReply } from './facts';
import type { ReplyFacts } from './facts';
import { overheadInForce } from './overhead';
import type { Overhead } from './overhead';
import { isPlausible, ratioOf, rememberOwnContext } from './ratio';
import { weighItem } from './totals';
import type { ContextTotals } from './totals';
import type { SessionTree } from './tree';
import type { ModelChoice, TreeNode } from './tree-node';

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
