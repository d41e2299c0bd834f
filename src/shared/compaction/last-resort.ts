import type { PlanItem } from '../session/plan-item';
import { weighItem } from '../session/totals';
import type { PruneMode } from '../session/view-edits';

/** One tool result that is shown cut short, or without its images. */
export interface ShortenedItem {
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

function gainOf(item: PlanItem, mode: ShortenedItem['mode']): { tokens: number; gain: number } {
  const tokens = weighItem(item).raw;
  const edit = { ...item.edit, omitted: false, prune: { mode, tokens } };
  return { tokens, gain: tokens - weighItem({ ...item, edit }).raw };
}
