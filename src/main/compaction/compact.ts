import type { CompactionResult } from './compaction-entry';
import type { CompactionOutcome } from '../ports';
import { cutWindow, planIn } from '@shared/compaction/plan';
import type { CompactionPlan, PlanOptions } from '@shared/compaction/plan';
import { DEFAULT_RESERVE_TOKENS } from '@shared/compaction/limits';
import type { CompactionReason, ModelRef, ReviewDraft } from '@shared/ipc/types';
import type { CompactionEntry, EntryDraft } from '@shared/session/entry';
import { ratioFor } from '@shared/session/ratio';
import type { TreeNode } from '@shared/session/tree-node';
import type { Settings } from '@shared/settings';
import { keepRecentTokens } from '../agent/threshold';
import type { ContextSize } from '../agent/session-context';
import type { ExtensionBus } from '../extensions/bus';
import type { AppendedRecord, ModelRegistry, SessionLog } from '../ports';
import { entryOf, omissionOf, resultOfSummary, tokensAfterOf } from './compaction-entry';
import { CompactionHooks } from './compaction-hooks';
import type { PlannedCompaction } from './compaction-hooks';
import { eachBatch } from './read-lines';
import { replaceCompaction } from './replace';
import type { ConversationJob, Serializer } from './serializer';
import { summarizers, whyNone } from './summarizers';
import { summarize } from './summarize';
import type { SummaryPorts } from './summarize';
import { NoSummary, SummaryAborted, SummaryError } from './summary-call';

export interface CompactionRequest {
  reason: CompactionReason;
  instructions?: string;
  model: ModelRef;
  signal: AbortSignal;
  /** The reply that a provider refused the context with: left out of the plan, and of the context from then on. */
  failedReplyId?: string;
  /** That reply leaves the context later, when another has taken its place. */
  keepsReply?: boolean;
  /** 1, 2 or 3: each further one in a row keeps half as much. */
  pass?: number;
  /** The first kept entry, where the person chose it (PL13). */
  cutAt?: string;
  /** The model that the person chose to write this summary: asked first of all. */
  summariser?: ModelRef;
  /** The person reads and accepts the summary before it is stored; absent: the setting says so. */
  review?: boolean;
  /** The latest compaction of the path, whose messages are summarised again: the new one takes its place (UN5). */
  again?: string;
}

/** A cut that was chosen on a session which has changed since. */
export const STALE_CUT =
  'The session has changed: it can no longer be cut there. Nothing was compacted. Choose the cut again';

export interface CompactionPorts extends Omit<SummaryPorts, 'models'> {
  log: SessionLog;
  models: ModelRegistry;
  serializer: Serializer;
  extensions: ExtensionBus;
  /** What the context at the leaf comes to now (TK6). */
  size: () => ContextSize;
  /** The plan is made: what will happen. */
  onPlan: (plan: CompactionPlan) => void;
  /** Lets the person change the summary; resolves with the text that is stored, rejects when they cancel or the signal ends it. */
  review: (draft: ReviewDraft, signal: AbortSignal) => Promise<string>;
  /** From here on the entry is written: too late to cancel. */
  onCommit: () => void;
  now: () => number;
}

/**
 * Compacts a session at its leaf (JB8): plan, summary (an extension's or ours), one entry. Until that entry is appended
 * nothing is written, so that cancelling, a failure or a crash leaves the file as it was. Never rejects.
 */
export async function compact(request: CompactionRequest, ports: CompactionPorts): Promise<CompactionOutcome> {
  const hooks = new CompactionHooks(request, ports);
  const outcome = await carryOut(request, ports, hooks).catch((error: unknown): CompactionOutcome => {
    if (request.signal.aborted || error instanceof SummaryAborted) return { kind: 'aborted' };
    const tried = error instanceof NoSummary ? { tried: error.tried } : {};
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error), ...tried };
  });
  await hooks.ended(outcome);
  return outcome;
}

async function carryOut(
  request: CompactionRequest,
  ports: CompactionPorts,
  hooks: CompactionHooks,
  isSecond = false,
): Promise<CompactionOutcome> {
  const startedAt = ports.now();
  const { log } = ports;
  const { tree } = log;
  const startLeafId = tree.leafId;
  const old = request.again === undefined ? null : (tree.node(request.again) ?? null);
  const size = sizeAt(ports.size(), old);
  const leafId = old ? (old.parent?.id ?? null) : startLeafId;
  const options = planOptions(request, ports.settings(), size, old);
  const source = cutWindow(tree, leafId, options.exclude);
  const answer = planIn(source, options);
  if (!answer.ok && answer.reason === 'no-cut-point' && options.cutAt !== undefined) throw new SummaryError(STALE_CUT);
  if (!answer.ok) return { kind: 'nothing', reason: answer.reason, text: answer.text };
  const planned: PlannedCompaction = { plan: answer.plan, source, options, size, leafId };
  ports.onPlan(answer.plan);
  await hooks.started();
  if (ports.extensions.has('session_before_compact')) ports.onStep('hooks', 0, 0);
  const result = (await hooks.before(planned)) ?? (await summarizePlanned(request, ports, planned, hooks));
  if (request.signal.aborted) throw new SummaryAborted();
  if (!isStill(tree.leafId, startLeafId, log)) {
    if (isSecond) throw new SummaryError('The session changed while it was summarised');
    // What came meanwhile belongs to what is kept or summarised: planned again, once (JB6).
    return carryOut(request, ports, hooks, true);
  }
  // Nobody asked for it, so it has to gain something (IN5); a person may have it and sees the figures.
  if (request.reason !== 'manual' && tokensAfterOf(result, options.ratio ?? 1) >= options.tokensBefore) {
    throw new SummaryError('The summary is longer than what it would replace');
  }
  return commit(request, ports, { result, size, old, durationMs: ports.now() - startedAt - result.reviewMs }, hooks);
}

/** What the context came to when the compaction that is made again was made. */
function sizeAt(size: ContextSize, old: TreeNode | null): ContextSize {
  const tokens = (old?.body as CompactionEntry | undefined)?.tokensBefore;
  return typeof tokens === 'number' ? { ...size, tokens } : size;
}

function planOptions(
  { model, reason, failedReplyId, pass, cutAt }: CompactionRequest,
  settings: Settings,
  size: ContextSize,
  old: TreeNode | null,
): PlanOptions {
  const boundary = (old?.body as CompactionEntry | undefined)?.firstKeptEntryId ?? undefined;
  return {
    settings: {
      keepRecentTokens: keepRecentTokens(model, settings),
      keepUserMessageTokens: settings['compaction.keepUserMessageTokens'],
    },
    ...calibrated(size, reason),
    overhead: size.overhead,
    limits: size.limits,
    isManual: reason === 'manual',
    pass,
    cutAt: old ? boundary : cutAt,
    exclude: failedReplyId === undefined ? undefined : new Set([failedReplyId]),
  };
}

/** Our own summary: model and key, what extensions add, the calls (JB8). */
async function summarizePlanned(
  request: CompactionRequest,
  ports: CompactionPorts,
  planned: PlannedCompaction,
  hooks: CompactionHooks,
): Promise<CompactionResult> {
  const { log, models } = ports;
  const { model, signal, instructions } = request;
  const { plan, size, leafId } = planned;
  const settings = ports.settings();
  const candidates = await summarizers(models, model, settings, undefined, request.summariser);
  if (signal.aborted) throw new SummaryAborted();
  if (candidates.length === 0) throw new NoSummary(await whyNone(models, model), []);
  const { additionalContext, prompt, preserveData } = await hooks.compacting(planned);
  const conversation = ports.serializer.begin({
    includeThinking: settings['compaction.includeThinking'],
    toolResultChars: settings['compaction.toolResultChars'],
  });
  try {
    await gather(conversation, plan, log, signal);
    const summary = await summarize(
      {
        conversation,
        previousSummary: plan.previousSummary,
        isSplitTurn: plan.isSplitTurn,
        instructions,
        additionalContext,
        prompt,
        reserve: size.limits.reserve ?? DEFAULT_RESERVE_TOKENS,
        ratioOf: (ref) => ratioFor(log.tree, leafId, ref),
        signal,
      },
      candidates,
      ports,
    );
    if (signal.aborted) throw new SummaryAborted();
    const madeAt = ports.now();
    if (isReviewed(request, settings)) {
      summary.text = await ports.review(draftOf(plan, summary.text, size.ratio), signal);
    }
    const reviewMs = ports.now() - madeAt;
    return resultOfSummary(plan, summary, { tokensBefore: size.tokens, preserveData, settings, reviewMs });
  } finally {
    conversation.end();
  }
}

function isReviewed({ review, reason }: CompactionRequest, settings: Settings): boolean {
  return review ?? (reason === 'manual' && settings['compaction.reviewBeforeCommit']);
}

function draftOf({ estimates, previousSummary }: CompactionPlan, text: string, ratio: number): ReviewDraft {
  const { kept, pins, overhead } = estimates;
  return { text, previousSummary: previousSummary ?? null, rest: Math.ceil(ratio * (overhead + pins + kept)), ratio };
}

interface Finished {
  result: CompactionResult;
  size: ContextSize;
  /** The compaction whose place it takes. */
  old: TreeNode | null;
  durationMs: number;
}

async function commit(
  request: CompactionRequest,
  { log, onCommit }: CompactionPorts,
  { result, size, old, durationMs }: Finished,
  hooks: CompactionHooks,
): Promise<CompactionOutcome> {
  onCommit();
  const { reason, instructions } = request;
  const tokensAfter = tokensAfterOf(result, size.ratio);
  const entry = entryOf(result, { reason, instructions, tokensAfter, durationMs, replaces: old?.id });
  const record = old ? await replaceCompaction(log, old, entry) : await append(log, request, entry);
  if (record) await hooks.committed(record, tokensAfter);
  const cost = result.usage?.cost.total ?? 0;
  return { kind: 'done', entryId: record?.entry.id ?? '', tokensBefore: size.tokens, tokensAfter, cost, durationMs };
}

/** One write: a crash between omission and entry would leave a context that ends in a failed reply. */
async function append(
  log: SessionLog,
  { failedReplyId, keepsReply }: CompactionRequest,
  entry: EntryDraft,
): Promise<AppendedRecord | undefined> {
  const records = await log.append([...omissionOf(keepsReply ? undefined : failedReplyId), entry]);
  return records.at(-1);
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
    await eachBatch(log, items, signal, (lines) => conversation.add(section, lines));
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

/** A provider that refuses a context counts it as longer than its window, whatever our estimate says (JB10). */
function calibrated(
  { ratio, tokens, limits: { window } }: ContextSize,
  reason: CompactionReason,
): Pick<PlanOptions, 'ratio' | 'tokensBefore' | 'isOverflow'> {
  const isOverflow = reason === 'overflow';
  if (!isOverflow || window === null || tokens >= window || tokens <= 0)
    return { ratio, tokensBefore: tokens, isOverflow };
  return { ratio: (ratio * window) / tokens, tokensBefore: window, isOverflow };
}
