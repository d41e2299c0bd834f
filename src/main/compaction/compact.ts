import { addBranchFiles, addStoredFiles, fileListsOf, fileTags } from '@shared/compaction/file-activity';
import type { FileLists } from '@shared/compaction/file-activity';
import { planCompaction } from '@shared/compaction/plan';
import type { CompactionPlan, NothingReason, PlanOptions } from '@shared/compaction/plan';
import { shortSummaryOf } from '@shared/compaction/request-body';
import type { CompactionReason, ModelRef } from '@shared/ipc/types';
import type { EntryDraft } from '@shared/session/entry';
import { estimateText } from '@shared/session/estimate';
import { ratioFor } from '@shared/session/tokens';
import type { ContextSize } from '../agent/session-context';
import type { ModelRegistry, SessionLog } from '../ports';
import { summaryCandidates } from './candidates';
import type { ConversationJob, Serializer } from './serializer';
import { summarize } from './summarize';
import type { Summary, SummaryPorts } from './summarize';
import { SummaryAborted, SummaryError } from './summary-call';

/** Paths that the tags behind a summary name (engine.md 9). */
const FILE_LIST_LIMIT = 20;
/** Lines that are read and handed to the worker at once. */
const BATCH = 200;

export interface CompactionRequest {
  reason: CompactionReason;
  instructions?: string;
  model: ModelRef;
  signal: AbortSignal;
  /** The reply that a provider refused the context with: left out of the plan, and of the context from then on. */
  failedReplyId?: string;
}

export interface CompactionPorts extends Omit<SummaryPorts, 'models'> {
  log: SessionLog;
  models: ModelRegistry;
  serializer: Serializer;
  /** What the context at the leaf comes to now (engine.md 4.3). */
  size: () => ContextSize;
  /** The plan is made: what will happen. */
  onPlan: (plan: CompactionPlan) => void;
  /** From here on the entry is written: too late to cancel. */
  onCommit: () => void;
  now: () => number;
}

export type CompactionOutcome =
  | { kind: 'done'; entryId: string; tokensBefore: number; tokensAfter: number; cost: number; durationMs: number }
  | { kind: 'nothing'; reason: NothingReason; text: string }
  | { kind: 'aborted' }
  | { kind: 'failed'; message: string };

/**
 * Compacts a session at its leaf (engine.md 10.3): plan, summary, one entry. Until that entry is appended nothing is written, so
 * that cancelling, a failure or a crash leaves the file as it was. Never rejects.
 */
export async function compact(request: CompactionRequest, ports: CompactionPorts): Promise<CompactionOutcome> {
  const startedAt = ports.now();
  try {
    return await carryOut(request, ports, startedAt);
  } catch (error) {
    if (request.signal.aborted || error instanceof SummaryAborted) return { kind: 'aborted' };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

async function carryOut(
  request: CompactionRequest,
  ports: CompactionPorts,
  startedAt: number,
): Promise<CompactionOutcome> {
  const { log, now } = ports;
  const { tree } = log;
  const { model, signal, reason } = request;
  const size = ports.size();
  const leafId = tree.leafId;
  const answer = planCompaction(tree, leafId, {
    settings: { keepRecentTokens: ports.settings()['compaction.keepRecentTokens'] },
    ...calibrated(size, reason),
    overhead: size.overhead,
    limits: size.limits,
    isManual: reason === 'manual',
    exclude: request.failedReplyId === undefined ? undefined : new Set([request.failedReplyId]),
  });
  if (!answer.ok) return { kind: 'nothing', reason: answer.reason, text: answer.text };
  const { plan } = answer;
  ports.onPlan(plan);
  const candidates = await summaryCandidates(ports.models, model);
  if (candidates.length === 0) throw new SummaryError(await whyNone(ports.models, model));

  const conversation = ports.serializer.begin({});
  try {
    await gather(conversation, plan, log, signal);
    const summary = await summarize(
      {
        conversation,
        previousSummary: plan.previousSummary,
        isSplitTurn: plan.isSplitTurn,
        instructions: request.instructions,
        reserve: size.limits.reserve ?? DEFAULT_RESERVE,
        ratioOf: (ref) => ratioFor(tree, leafId, ref),
        signal,
      },
      candidates,
      ports,
    );
    if (signal.aborted) throw new SummaryAborted();
    if (!isStill(tree.leafId, leafId, log)) throw new SummaryError('The session changed while it was summarised');
    ports.onCommit();
    const files = filesOf(plan, summary);
    const text = summary.text + fileTags(files, FILE_LIST_LIMIT);
    const durationMs = now() - startedAt;
    const tokensAfter = tokensAfterOf(plan, text, size.ratio);
    const entry = entryOf({ request, plan, size, summary, files, text, durationMs, tokensAfter });
    // One write: a crash between the two would leave a context that ends in a failed reply.
    const records = await log.append([...omission(request), entry]);
    const entryId = records.at(-1)?.entry.id ?? '';
    const cost = summary.usage.cost.total;
    return { kind: 'done', entryId, tokensBefore: size.tokens, tokensAfter, cost, durationMs };
  } finally {
    conversation.end();
  }
}

/** R where the window is unknown. */
const DEFAULT_RESERVE = 16_384;

async function whyNone(models: ModelRegistry, ref: ModelRef): Promise<string> {
  const resolved = await models.resolve(ref);
  return resolved.ok ? 'No model selected' : resolved.failure.title;
}

/** Hands the lines of the region to the worker, in order; main parses none of them. */
async function gather(
  conversation: ConversationJob,
  plan: CompactionPlan,
  log: SessionLog,
  signal: AbortSignal,
): Promise<void> {
  for (const [section, items] of [
    ['history', plan.messagesToSummarize],
    ['prefix', plan.turnPrefixMessages],
  ] as const) {
    for (let at = 0; at < items.length; at += BATCH) {
      if (signal.aborted) throw new SummaryAborted();
      const batch = items.slice(at, at + BATCH);
      const lines = new Map((await log.linesOf(batch.map(({ sourceId }) => sourceId))).map((line) => [line.id, line]));
      const found = batch.flatMap(({ node, edit }) => {
        const stored = lines.get(node.id);
        return stored ? [{ line: stored.line, timeMs: node.timeMs, ...(edit ? { edit } : {}) }] : [];
      });
      // A summary that passes over what could not be read would lose it in silence.
      if (found.length < batch.length) throw new SummaryError('Part of the session could not be read from its file');
      await conversation.add(section, found);
    }
  }
}

/** A model or thinking level chosen meanwhile changes nothing of what was summarised; anything that is seen does. */
function isStill(nowId: string | null, plannedId: string | null, { tree }: SessionLog): boolean {
  let node = nowId === null ? undefined : tree.node(nowId);
  while (node && node.id !== plannedId) {
    if (node.facts.visible || !HARMLESS.has(node.facts.type)) return false;
    node = node.parent ?? undefined;
  }
  return (node?.id ?? null) === plannedId;
}
const HARMLESS = new Set(['model_change', 'thinking_level_change']);

/** Files of the region's calls, of the compaction that this one builds on and of branch summaries in the region. */
function filesOf(plan: CompactionPlan, { files }: Summary): FileLists {
  addStoredFiles(files, plan.previous?.body);
  addBranchFiles(files, [...plan.messagesToSummarize, ...plan.turnPrefixMessages]);
  return fileListsOf(files);
}

function tokensAfterOf({ estimates: { kept, pins, overhead } }: CompactionPlan, text: string, ratio: number): number {
  return Math.ceil(ratio * (overhead + estimateText(text) + pins + kept));
}

/** A provider that refuses a context counts it as longer than its window, whatever our estimate says (engine.md 10.5). */
function calibrated(
  { ratio, tokens, limits: { window } }: ContextSize,
  reason: CompactionReason,
): Pick<PlanOptions, 'ratio' | 'tokensBefore' | 'isOverflow'> {
  const isOverflow = reason === 'overflow';
  if (!isOverflow || window === null || tokens >= window || tokens <= 0)
    return { ratio, tokensBefore: tokens, isOverflow };
  return { ratio: (ratio * window) / tokens, tokensBefore: window, isOverflow };
}

function omission({ failedReplyId }: CompactionRequest): EntryDraft[] {
  if (failedReplyId === undefined) return [];
  const data = { v: 1, targets: [failedReplyId], reason: 'context overflow' };
  return [{ type: 'custom', customType: 'espalier.omit', data }];
}

interface EntryParts {
  request: CompactionRequest;
  plan: CompactionPlan;
  size: ContextSize;
  summary: Summary;
  files: FileLists;
  text: string;
  durationMs: number;
  tokensAfter: number;
}

function entryOf({ request, plan, size, summary, files, text, durationMs, tokensAfter }: EntryParts): EntryDraft {
  const { instructions } = request;
  const entriesSummarized = plan.messagesToSummarize.length + plan.turnPrefixMessages.length;
  return {
    type: 'compaction',
    summary: text,
    firstKeptEntryId: plan.firstKeptEntryId,
    tokensBefore: size.tokens,
    details: {
      ...files,
      espalier: {
        v: 1,
        reason: request.reason,
        ...(instructions ? { instructions } : {}),
        model: `${summary.model.provider}/${summary.model.modelId}`,
        isSplitTurn: plan.isSplitTurn,
        entriesSummarized,
        tokensAfter,
        durationMs,
        calls: summary.calls,
        cost: summary.usage.cost.total,
        keep: plan.estimates.kept,
      },
    },
    usage: summary.usage,
    fromHook: false,
    shortSummary: shortSummaryOf(text),
    ...(plan.previousPreserveData ? { preserveData: plan.previousPreserveData } : {}),
  };
}
