import { DEFAULT_RESERVE_TOKENS } from '@shared/compaction/limits';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import { planContext } from '@shared/session/context-plan';
import type { PlanItem } from '@shared/session/plan-item';
import { escapeSectionTags } from '@shared/session/escape-tags';
import { ratioFor } from '@shared/session/ratio';
import { SUMMARY_PROMPTS } from '../compaction/prompts';
import { eachBatch } from '../compaction/read-lines';
import { summarizers } from '../compaction/summarizers';
import { summarize } from '../compaction/summarize';
import { NoSummary, SummaryAborted } from '../compaction/summary-call';
import type { ModelRef } from '@shared/ipc/types';
import { SessionRefusal } from './session-refusal';
import type { ContextSize } from '../agent/session-context';
import type { TreeChangePorts } from './tree-change';

const GOAL_PLACE = '{{goal}}';

export interface HandoffPorts extends TreeChangePorts {
  /** What the context at the leaf comes to now. */
  size: () => ContextSize;
}

/**
 * Drafts the first message of a session that goes on from this one (HF1): all that the model sees at the leaf, folded where
 * it is too long for one request. The session stays as it is.
 * @throws SessionRefusal, SummaryError, SummaryAborted
 */
export async function draftHandoff(
  ports: HandoffPorts,
  goal: string,
  signal: AbortSignal,
  once?: ModelRef,
): Promise<string> {
  const { log, work, models, model, settings, serializer, size } = ports;
  const { tree } = log;
  const leafId = tree.leafId;
  const items = handedOver(planContext(tree, leafId).items);
  refuseHandoff(goal, items);
  work.start('handoff', null, leafId);
  const current = settings();
  const candidates = await summarizers(models, model(), current, undefined, once);
  if (candidates.length === 0) throw new NoSummary('No model available for summarization', []);
  const conversation = serializer.begin({
    includeThinking: current['compaction.includeThinking'],
    toolResultChars: current['compaction.toolResultChars'],
  });
  try {
    await eachBatch(log, items, signal, (lines) => conversation.add('history', lines));
    const task = {
      conversation,
      previousSummary: undefined,
      isSplitTurn: false,
      prompt: SUMMARY_PROMPTS.handoff.replace(GOAL_PLACE, () => escapeSectionTags(goal.trim())),
      noShort: true,
      reserve: size().limits.reserve ?? DEFAULT_RESERVE_TOKENS,
      ratioOf: (ref: { provider: string; modelId: string }) => ratioFor(tree, leafId, ref),
      signal,
    };
    const calls = { ...work.callPorts(), models, onStep: () => work.restart() };
    const { text } = await summarize(task, candidates, calls);
    if (signal.aborted) throw new SummaryAborted();
    work.commit();
    return stripTagBlocks(text);
  } finally {
    conversation.end();
  }
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
