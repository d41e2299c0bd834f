import type { ContextSize, SessionContext } from '../../agent/session-context';
import type { SessionLog } from '../../ports';
import { SessionRefusal } from '../machine/slot';
import { isRecord } from '@shared/checks';
import { PROGRESS_SHARE } from '@shared/compaction/plan';
import { planDrop, planLastResort, planPrune } from '@shared/compaction/prune';
import { viewEditsAt } from '@shared/session/context/context-plan';
import type { EntryDraft } from '@shared/session/records/entry';
import { dataOf } from '@shared/session/records/tree-node';
import { omitDraft } from '@shared/session/tree/drafts';
import type { Settings } from '@shared/settings';

/** Outputs that the model no longer sees in full. */
export interface Pruned {
  entryId: string;
  count: number;
  /** Calibrated tokens. */
  tokensSaved: number;
}

/**
 * Hides old tool outputs from the model if that alone makes enough room (PR1, PR4): one entry, or nothing.
 * @param size of the context now
 */
export async function pruneOutputs(
  log: SessionLog,
  context: SessionContext,
  size: ContextSize,
  settings: Settings,
): Promise<Pruned | null> {
  const { threshold } = size.limits;
  if (!settings['pruning.enabled'] || threshold === null || context.endsInFailure) return null;
  const plan = planPrune(context.items, log.tree.pins, {
    protectTokens: settings['pruning.protectTokens'],
    minimumSavings: settings['pruning.minimumSavings'],
    minimumTokens: settings['pruning.minimumTokens'],
    protectedTools: settings['pruning.protectedTools'],
  });
  if (!plan) return null;
  // Estimated afresh: usage minus savings would count what a provider may have counted otherwise.
  const after = Math.ceil(size.ratio * (size.overhead + context.rawTokens - plan.savings));
  if (after > Math.floor(PROGRESS_SHARE * threshold)) return null;
  return appendPrune(log, plan.items, size.tokens - after);
}

/**
 * Shortens the largest tool results, then drops images, until a refused context fits (TG16).
 * @param factor by which the provider counts more than we do
 * @param failedReplyId leaves the context in the same write
 */
export async function shortenOutputs(
  log: SessionLog,
  context: SessionContext,
  { limits, ratio, overhead }: ContextSize,
  factor: number,
  failedReplyId: string | null,
): Promise<Pruned | null> {
  const room = limits.hardLine === null ? 0 : Math.floor(limits.hardLine / (ratio * factor)) - overhead;
  const items = planLastResort(context.items, log.tree.pins, context.rawTokens - room);
  if (items.length === 0) return null;
  const before = context.rawTokens;
  const pruned = await appendPrune(log, items, 0, failedReplyId === null ? [] : [omitDraft(failedReplyId)]);
  return { ...pruned, tokensSaved: Math.ceil(ratio * (before - context.rawTokens)) };
}

/** Takes images and long outputs out of the view of a context (TG9): one entry, or nothing. */
export async function dropLarge(
  log: SessionLog,
  context: SessionContext,
  { ratio }: Pick<ContextSize, 'ratio'>,
): Promise<Pruned | null> {
  const items = planDrop(context.items, log.tree.pins);
  if (items.length === 0) return null;
  const before = context.rawTokens;
  const pruned = await appendPrune(log, items, 0);
  return { ...pruned, tokensSaved: Math.ceil(ratio * (before - context.rawTokens)) };
}

async function appendPrune(
  log: SessionLog,
  items: readonly unknown[],
  tokensSaved: number,
  before: readonly EntryDraft[] = [],
): Promise<Pruned> {
  const data = { v: 1, action: 'prune', items };
  const records = await log.append([...before, { type: 'custom', customType: 'espalier.prune', data }]);
  return { entryId: records.at(-1)?.entry.id ?? '', count: items.length, tokensSaved };
}

/**
 * Takes a prune of the active path back (PR5): one entry that shows the model its outputs again, those that it still
 * hides. The prune itself stays in the file.
 */
export async function restorePruned(log: SessionLog, entryId: string): Promise<void> {
  const { tree } = log;
  const prune = tree.pathTo(tree.leafId).find(({ id }) => id === entryId);
  const leaf = tree.leafId === null ? undefined : tree.node(tree.leafId);
  if (prune?.facts.customType !== 'espalier.prune' || !leaf) {
    throw new SessionRefusal('These outputs are not hidden on the current branch.');
  }
  const edits = viewEditsAt(tree, leaf);
  const { items } = dataOf(prune.body);
  const hidden = (Array.isArray(items) ? items : []).filter(
    (item) => isRecord(item) && typeof item.targetId === 'string' && edits.get(item.targetId)?.prune !== undefined,
  );
  if (hidden.length === 0) return;
  const data = { v: 1, action: 'restore', items: hidden };
  await log.append([{ type: 'custom', customType: 'espalier.prune', data }]);
}
