import { DEFAULT_RESERVE_TOKENS } from '@shared/compaction/limits';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import { planContext } from '@shared/session/context-plan';
import type { PlanItem } from '@shared/session/plan-item';
import { escapeInserted } from '@shared/session/escape-marks';
import { ratioFor } from '@shared/session/ratio';
import { SUMMARY_PROMPTS } from '../compaction/prompts';
import { eachToldBatch } from '../compaction/read-lines';
import { summarizers } from '../compaction/summarizers';
import { withConversation } from '../compaction/serializer';
import { foldedTask, summarize } from '../compaction/summarize';
import { NoSummary } from '../compaction/summary-call';
import type { ModelRef } from '@shared/types';
import { SessionRefusal } from './session-refusal';
import type { SessionScope } from './scope';

const GOAL_PLACE = '{{goal}}';

/**
 * Drafts the first message of a session that goes on from this one (HF1): all that the model sees at the leaf, folded where
 * it is too long for one request. The session stays as it is.
 * @throws SessionRefusal, SummaryError, SummaryAborted
 */
export async function draftHandoff(
  scope: SessionScope,
  goal: string,
  signal: AbortSignal,
  once?: ModelRef,
): Promise<string> {
  const { models, model, job } = scope;
  const { tree } = scope.log;
  const leafId = tree.leafId;
  const items = handedOver(planContext(tree, leafId).items);
  refuseHandoff(goal, items);
  job.start({ kind: 'handoff', targetId: null, fromId: leafId });
  const candidates = await summarizers(models, model, scope.settings(), undefined, once);
  if (candidates.length === 0) throw new NoSummary('No model available for summarization', []);
  const reserve = scope.size().limits.reserve ?? DEFAULT_RESERVE_TOKENS;
  const { text } = await withConversation(scope, async (conversation) => {
    await eachToldBatch(scope, items, signal, (lines) => conversation.add('history', lines));
    const task = {
      ...foldedTask(conversation, reserve, (ref) => ratioFor(tree, leafId, ref)),
      prompt: SUMMARY_PROMPTS.handoff.replace(GOAL_PLACE, () => escapeInserted(goal.trim())),
      signal,
    };
    return summarize(task, candidates, scope, job);
  });
  job.commit();
  return stripTagBlocks(text);
}

/** A block of pinned messages is handed over as the messages that it shows. */
function handedOver(items: readonly PlanItem[]): PlanItem[] {
  return items.flatMap((item) =>
    item.pinned ? item.pinned.map((node): PlanItem => ({ sourceId: node.id, kind: 'message', node })) : [item],
  );
}

function refuseHandoff(goal: string, items: readonly PlanItem[]): void {
  if (goal.trim() === '') throw new SessionRefusal('Handoff needs a goal');
  const hasSummary = items.some(({ kind }) => kind === 'summary');
  if (items.length < 2 && !hasSummary) throw new SessionRefusal('Nothing to hand off (no messages yet)');
}
