import { planContext } from './context-plan';
import { isValidReply } from './facts';
import { overheadInForce } from './overhead';
import { totalsOf } from './totals';
import type { SessionTree } from './tree';
import type { ModelChoice, TreeNode } from './tree-node';

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
export function isPlausible(usageTokens: number, estimate: number, window: number): boolean {
  return window <= 0 || usageTokens <= window || usageTokens <= MAX_RATIO * estimate;
}

/** The ratio that one reply measured; 1 for none and for one that is not believed. O(1), the first time O(its context). */
export function ratioOf(tree: SessionTree, node: TreeNode | null, window = 0): number {
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
export function rememberOwnContext(tree: SessionTree, node: TreeNode, raw: number): void {
  if (node.ownContext === null) remember(tree, node, raw);
}

function remember(tree: SessionTree, node: TreeNode, raw: number): number {
  const { system, tools } = overheadInForce(tree, parentIdOf(node), node.seq);
  return (node.ownContext = system + tools + raw);
}

function parentIdOf(node: TreeNode): string | null {
  return node.parent ? node.parent.id : null;
}
