import type { PlanItem } from '../session/plan-item';
import { estimateText } from '../session/estimate';
import { weighItem } from '../session/totals';
import { elisionNotice } from '../session/view-edits';

/** Tokens and tool names of ST2. */
export interface PruneSettings {
  protectTokens: number;
  minimumSavings: number;
  minimumTokens: number;
  protectedTools: readonly string[];
}

const DEFAULT_PRUNE_SETTINGS: PruneSettings = {
  protectTokens: 40_000,
  minimumSavings: 20_000,
  minimumTokens: 50,
  protectedTools: ['read', 'skill'],
};

/** Tools whose output always stays, whatever the settings say (PR2). */
const NEVER_PRUNED = new Set(['read', 'skill']);

/** One tool result that a prune elides. */
interface PrunedItem {
  targetId: string;
  mode: 'elide';
  /** Raw tokens that it has now: the notice says how many are missing. */
  tokens: number;
}

export interface PrunePlan {
  items: PrunedItem[];
  /** Raw tokens that the context loses by it. */
  savings: number;
}

/**
 * Old tool results that may be elided (PR2, PR3), or null if too little would be saved. The newest
 * `protectTokens` of tool output stay, as do small, failed and protected ones. Pinned results stay word for word. O(items).
 * @param items of the context, in order
 */
export function planPrune(
  items: readonly PlanItem[],
  pins: ReadonlySet<string>,
  settings: PruneSettings = DEFAULT_PRUNE_SETTINGS,
): PrunePlan | null {
  const pruned: PrunedItem[] = [];
  let seen = 0;
  let savings = 0;
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at] as PlanItem;
    const { facts } = item.node;
    if (item.kind !== 'message' || facts.answers === undefined) continue;
    const tokens = weighItem(item).raw;
    const isProtected = seen < settings.protectTokens;
    seen += tokens;
    if (isProtected || item.edit?.prune || tokens < settings.minimumTokens || facts.isError) continue;
    const tool = facts.toolName ?? '';
    if (NEVER_PRUNED.has(tool) || settings.protectedTools.includes(tool) || pins.has(item.sourceId)) continue;
    pruned.push({ targetId: item.sourceId, mode: 'elide', tokens });
    savings += Math.max(0, tokens - estimateText(elisionNotice(tokens)));
  }
  if (pruned.length === 0 || savings < settings.minimumSavings) return null;
  return { items: pruned.reverse(), savings };
}
