import { type PlanItem, weighItem } from '../session/messages/plan-item';
import { isFailedReply } from '../session/records/facts';
import type { SessionTree } from '../session/tree/tree';
import type { TreeNode } from '../session/records/tree-node';
import { viewEditsAt } from '../session/context/context-plan';
import { removes } from '../session/messages/view-edits';

/** What is left behind on the way from one leaf to another (BR1). */
export interface BranchRegion {
  /** Deepest entry on both paths; null: they share nothing. */
  ancestorId: string | null;
  /** Path entries from there to the old leaf, oldest first. */
  entries: TreeNode[];
  /** What they emit, oldest first: messages with view edits applied, a compaction as its summary. */
  items: PlanItem[];
}

/** One message of the selection. */
export interface SelectedItem {
  item: PlanItem;
  /** Raw tokens that it may take; it is longer by itself. */
  limit?: number;
  /** Messages left out right before it. */
  gap: number;
}

export interface BranchSelection {
  /** Oldest first. */
  selected: SelectedItem[];
  /** Raw tokens of all of them. */
  tokens: number;
}

/** W where it is unknown (BR7). */
const UNKNOWN_WINDOW = 128_000;
/** A share below this is of no use (BR9). */
const MIN_TOKENS = 256;

/**
 * The entries that the model no longer sees after going from one leaf to another; compactions do not stop the walk. O(path).
 * @param newLeafId null: all of the old path
 */
export function branchRegion(tree: SessionTree, oldLeafId: string | null, newLeafId: string | null): BranchRegion {
  const ancestorId = tree.commonAncestor(oldLeafId, newLeafId);
  const path = tree.pathTo(oldLeafId);
  const from = ancestorId === null ? 0 : (tree.node(ancestorId)?.depth ?? -1) + 1;
  const entries = path.slice(from).filter(({ facts }) => !facts.side);
  const leaf = path.at(-1);
  const edits = leaf ? viewEditsAt(tree, leaf) : null;
  const items = entries.flatMap((node): PlanItem[] => {
    const { type, visible } = node.facts;
    const edit = edits?.get(node.id);
    if ((!visible && type !== 'compaction') || removes(edit)) return [];
    const kind = type === 'compaction' ? 'summary' : type === 'branch_summary' ? 'branch' : 'message';
    return [{ sourceId: node.id, kind, node, edit }];
  });
  return { ancestorId, entries, items };
}

/**
 * Raw tokens of messages that one summary request may hold: (W − reserve) ÷ ratio (BR7).
 * @param window of the summarising model, tokens; null if unknown
 * @param reserve `branchSummary.reserveTokens`; one that is not below the window counts as 15 % of it, as in 5.1
 */
export function branchBudget(window: number | null, reserve: number, ratio: number): number {
  const size = window ?? UNKNOWN_WINDOW;
  return Math.max(1, Math.floor((size - branchReserve(window, reserve)) / ratio));
}

/** The reserve that holds for a window. */
export function branchReserve(window: number | null, reserve: number): number {
  const size = window ?? UNKNOWN_WINDOW;
  return reserve < size ? reserve : Math.max(1, Math.floor(0.15 * size));
}

/**
 * The messages of a branch that go into its summary, newest first until the budget is full (BR9): no tool results but those in which
 * the person says why they declined, no failed replies that say nothing. A long message is cut to a quarter of the budget; what is left at the end takes a part of the
 * next older summary. Pure; needs no bodies but summaries. O(items).
 * @param budget raw tokens
 * @param mute failed replies that say nothing, as their bodies have it; absent: told from figures, which can't tell blanks from words
 */
export function selectBranch(items: readonly PlanItem[], budget: number, mute?: ReadonlySet<string>): BranchSelection {
  const told = items.filter((item) => isTold(item, mute));
  const longest = Math.min(budget, Math.max(MIN_TOKENS, Math.floor(budget / 4)));
  const newestFirst: SelectedItem[] = [];
  let left = budget;
  let at = told.length - 1;
  for (; at >= 0; at--) {
    const item = told[at] as PlanItem;
    const { raw } = weighItem(item);
    const tokens = Math.min(raw, longest);
    if (tokens > left) break;
    left -= tokens;
    newestFirst.push({ item, gap: 0, ...(raw > longest ? { limit: longest } : {}) });
  }
  const oldest = newestFirst.at(-1);
  const summary = left >= MIN_TOKENS ? lastSummary(told, at) : -1;
  if (oldest) oldest.gap = at - summary;
  if (summary >= 0) {
    const item = told[summary] as PlanItem;
    const { raw } = weighItem(item);
    newestFirst.push({ item, gap: summary, ...(raw > left ? { limit: left } : {}) });
    left -= Math.min(raw, left);
  }
  return { selected: newestFirst.reverse(), tokens: budget - left };
}

function lastSummary(items: readonly PlanItem[], from: number): number {
  for (let at = from; at >= 0; at--) if (items[at]?.kind !== 'message') return at;
  return -1;
}

/** A failed reply without a call: whether it says anything is in its body (BR9). */
export function isDoubtful({ kind, node: { facts } }: PlanItem): boolean {
  return kind === 'message' && facts.reply !== undefined && isFailedReply(facts.reply) && facts.calls === undefined;
}

function isTold(item: PlanItem, mute: ReadonlySet<string> | undefined): boolean {
  const { facts, body } = item.node;
  if (facts.role === 'toolResult') return facts.said;
  if (item.kind === 'summary') return ((body as { summary?: unknown } | undefined)?.summary ?? '') !== '';
  if (!isDoubtful(item)) return true;
  const { raw, thinking } = facts;
  // Both figures are rounded: thinking alone may leave one token between them.
  return mute ? !mute.has(item.sourceId) : raw - thinking > (thinking > 0 ? 1 : 0);
}
