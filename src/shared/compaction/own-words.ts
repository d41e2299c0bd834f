import type { ContextOutline } from '../session/context-plan';
import type { TreeNode } from '../session/tree-node';
import type { WindowItem } from './cut';

/** A message above this is no rule or request that can stand beside every summary: skipped, not cut (PN4). Raw tokens. */
const MAX_MESSAGE_TOKENS = 1000;
/** Of the person's messages before a window so many are looked at, newest first: the budget is spent long before. */
const MAX_EARLIER = 500;

/** One of the person's messages that a summary may leave word for word. */
export interface OwnMessage {
  node: TreeNode;
  raw: number;
  /** Its place in the window; −1: an earlier compaction hides it already. */
  at: number;
}

/**
 * The person's messages of a path that may stand beside a summary, newest first (PN4): no skills, none of more than 1,000 tokens, none
 * that an edit of the view changed. O(path).
 */
export function ownMessages(outline: ContextOutline | null, window: readonly WindowItem[]): OwnMessage[] {
  const found: OwnMessage[] = [];
  for (let at = window.length - 1; at >= 0; at--) {
    const { item, raw } = window[at] as WindowItem;
    if (item.kind === 'message' && item.edit === undefined && mayStand(item.node))
      found.push({ node: item.node, raw, at });
  }
  const { tree, compaction, boundary, state, edits } = outline ?? {};
  if (!compaction) return found;
  const hidden = tree?.spine.userMessages((boundary ?? compaction).parent, state?.reset ?? null) ?? [];
  const earlier = hidden.filter((node) => mayStand(node) && !edits?.has(node.id)).slice(0, MAX_EARLIER);
  return [...found, ...earlier.map((node) => ({ node, raw: node.facts.raw, at: -1 }))];
}

function mayStand({ facts: { role, type, raw, skill } }: TreeNode): boolean {
  return type === 'message' && role === 'user' && !skill && raw <= MAX_MESSAGE_TOKENS;
}

/** Those before a cut that fit into a budget of raw tokens, newest first. One that does not fit ends nothing: older ones may. */
export function keptWords(own: readonly OwnMessage[], firstKept: number, budget: number): OwnMessage[] {
  const kept: OwnMessage[] = [];
  let left = budget;
  for (const message of own) {
    if (left <= 0) break;
    if (message.at >= firstKept || message.raw > left) continue;
    left -= message.raw;
    kept.push(message);
  }
  return kept;
}
