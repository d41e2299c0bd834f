import { estimateText } from '../session/records/estimate';
import { type PlanItem, weighItem } from '../session/messages/plan-item';
import { elisionNotice, type PruneMode } from '../session/messages/view-edits';

/** Tokens and tool names of ST2. */
interface PruneSettings {
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

interface PrunePlan {
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

/** A message that is shown without its images, or a tool result that is cut short. */
interface ShortenedItem {
  targetId: string;
  mode: Extract<PruneMode, 'shorten' | 'images'>;
  /** Raw tokens that it has now. */
  tokens: number;
}

/**
 * What is left to make a context smaller when no summary can (TG16): the largest tool results keep their head and tail,
 * then images go. Calls keep their results, pinned and already pruned results stay as they are. O(items log items).
 * @param excess raw tokens to save
 * @returns as few items as reach it, or all there are; empty if nothing can be saved
 */
export function planLastResort(items: readonly PlanItem[], pins: ReadonlySet<string>, excess: number): ShortenedItem[] {
  const results = items.filter(
    ({ kind, node, edit, sourceId }) =>
      kind === 'message' && node.facts.answers !== undefined && !edit?.prune && !pins.has(sourceId),
  );
  const chosen = new Map<string, ShortenedItem>();
  let left = excess;
  for (const mode of ['shorten', 'images'] as const) {
    const gains = results
      .filter(({ sourceId }) => !chosen.has(sourceId))
      .map((item) => ({ item, ...gainOf(item, mode) }))
      .filter(({ gain }) => gain > 0)
      .sort((a, b) => b.gain - a.gain);
    for (const { item, tokens, gain } of gains) {
      if (left <= 0) return [...chosen.values()];
      chosen.set(item.sourceId, { targetId: item.sourceId, mode, tokens });
      left -= gain;
    }
  }
  return [...chosen.values()];
}

/** An output of more raw tokens is a large one, for who drops them (TG9): some 20 KB. */
const LARGE_TOKENS = 5000;

/**
 * What a person drops of a context whose request was too large in bytes (TG9): all images, whoever gave them, and of long tool results
 * all but head and tail. Pinned messages and results that are shown short already stay as they are. O(items).
 */
export function planDrop(items: readonly PlanItem[], pins: ReadonlySet<string>): ShortenedItem[] {
  return items.flatMap((item): ShortenedItem[] => {
    const { kind, node, edit, sourceId } = item;
    if (kind !== 'message' || pins.has(sourceId)) return [];
    const { raw, images } = weighItem(item);
    if (images > 0) return [{ targetId: sourceId, mode: 'images', tokens: raw }];
    const isLong = node.facts.answers !== undefined && !edit?.prune && raw > LARGE_TOKENS;
    return isLong ? [{ targetId: sourceId, mode: 'shorten', tokens: raw }] : [];
  });
}

function gainOf(item: PlanItem, mode: ShortenedItem['mode']): { tokens: number; gain: number } {
  const tokens = weighItem(item).raw;
  const edit = { ...item.edit, omitted: false, prune: { mode, tokens } };
  return { tokens, gain: tokens - weighItem({ ...item, edit }).raw };
}
