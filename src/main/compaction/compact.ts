import {
  type CompactionResult,
  entryOf,
  omissionOf,
  replaceCompaction,
  resultOfSummary,
  tokensAfterOf,
} from './compaction-entry';
import type { CompactionOutcome } from '../ports';
import { cutWindow, planIn } from '@shared/compaction/plan';
import type { CompactionPlan, PlanOptions } from '@shared/compaction/plan';
import { DEFAULT_RESERVE_TOKENS } from '@shared/compaction/limits';
import type { ModelRef } from '@shared/types';
import { type CompactionReason, leavesNoRoom, type SummaryInstructions } from '@shared/compaction/summary-job';
import type { CompactionEntry, EntryDraft } from '@shared/session/records/entry';
import { ratioFor } from '@shared/session/context/figure';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { Settings } from '@shared/settings';
import { keepTokens, keepWordsTokens } from '@shared/compaction/limits';
import { type ContextSize, modelKey } from '../agent/session-context';
import type { AppendedRecord, ModelRegistry, SessionLog } from '../ports';
import type { ExtensionBus } from '../extensions/bus';
import { CompactionHooks } from './compaction-hooks';
import { sinceTokens } from './compaction-size';
import type { PlannedCompaction } from './compaction-hooks';
import type { CallSource } from './end-finder';
import { eachToldBatch } from './read-lines';
import { withConversation, type ConversationJob, type Serializer } from './serializer';
import { summarizers, whyNone } from './summarizers';
import { doubtsOf, foldedTask, shortTokens, type Summary, summarize } from './summarize';
import { addUsage, NoSummary, SummaryAborted, SummaryError } from './summary-call';
import type { CallScope, JobReport } from './summary-call';

export interface CompactionRequest {
  reason: CompactionReason;
  /** What a person asked of the summary. */
  asked?: SummaryInstructions;
  /** The session's model. */
  model: ModelRef;
  signal: AbortSignal;
  /** The reply that a provider refused the context with: left out of the plan, and of the context from then on. */
  failedReplyId?: string;
  /** That reply leaves the context later, when another has taken its place. */
  keepsReply?: boolean;
  /** 1, 2 or 3: each further one in a row keeps half as much. */
  pass?: number;
  /** The latest compaction of the path, whose messages are summarised again: the new one takes its place (UN5). */
  again?: string;
}

/** A cut that was chosen on a session which has changed since. */
export const STALE_CUT =
  'The session has changed and can no longer be cut there. Nothing was compacted. Choose the cut again';

/** What a compaction takes of its session. */
interface CompactionScope extends CallScope, CallSource {
  models: ModelRegistry;
  serializer: Serializer;
  workspaceDir: string;
  extensions: ExtensionBus;
  /** What the context at the leaf comes to now (TK6). */
  size: () => ContextSize;
  now: () => number;
}

export interface CompactionReport extends JobReport {
  /** The plan is made: what will happen. @param since tokens that came after a compaction that is made again, and stay */
  planned(plan: CompactionPlan, since: number): void;
}

/**
 * Compacts a session at its leaf (JB8): plan, summary (an extension's or ours), one entry. Until that entry is appended
 * nothing is written, so that cancelling, a failure or a crash leaves the file as it was. Never rejects.
 */
export async function compact(
  request: CompactionRequest,
  scope: CompactionScope,
  job: CompactionReport,
): Promise<CompactionOutcome> {
  const hooks = new CompactionHooks(request, scope);
  const outcome = await carryOut(request, scope, job, hooks).catch((error: unknown): CompactionOutcome => {
    if (request.signal.aborted || error instanceof SummaryAborted) return { kind: 'aborted' };
    const tried = error instanceof NoSummary ? { tried: error.tried } : {};
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error), ...tried };
  });
  await hooks.ended(outcome);
  return outcome;
}

async function carryOut(
  request: CompactionRequest,
  scope: CompactionScope,
  job: CompactionReport,
  hooks: CompactionHooks,
  isSecond = false,
): Promise<CompactionOutcome> {
  const startedAt = scope.now();
  const { log } = scope;
  const { tree } = log;
  const startLeafId = tree.leafId;
  const old = request.again === undefined ? null : (tree.node(request.again) ?? null);
  const size = sizeAt(scope.size(), old);
  const leafId = old ? (old.parent?.id ?? null) : startLeafId;
  const options = planOptions(request, scope.settings(), size, old);
  const source = cutWindow(tree, leafId, options.exclude);
  const answer = planIn(source, options);
  if (!answer.ok && answer.reason === 'no-cut-point' && options.cutAt !== undefined) throw new SummaryError(STALE_CUT);
  if (!answer.ok) return { kind: 'nothing', reason: answer.reason, text: answer.text };
  const planned: PlannedCompaction = { plan: answer.plan, source, options, size, leafId };
  const since = old ? sinceTokens(log, old, size.ratio) : 0;
  job.planned(answer.plan, since);
  await hooks.started();
  if (scope.extensions.has('session_before_compact', log.sessionId)) job.step('hooks', 0, 0);
  const result =
    (await hooks.before(planned)) ?? (await summarizePlanned(request, scope, job, { ...planned, since }, hooks));
  if (request.signal.aborted) throw new SummaryAborted();
  if (!isStill(tree.leafId, startLeafId, log)) {
    if (isSecond) throw new SummaryError('The session changed while it was being summarised');
    // What came meanwhile belongs to what is kept or summarised: planned again, once (JB6).
    return carryOut(request, scope, job, hooks, true);
  }
  // Nobody asked for it, so it has to gain something (IN5); a person may have it, and is asked where nothing fits then (SU41).
  if (request.reason !== 'manual' && tokensAfterOf(result, options.ratio ?? 1) >= options.tokensBefore) {
    const message = 'The summary is longer than the messages it would replace';
    // Another model may write a shorter one.
    throw result.model ? new NoSummary(message, [result.model]) : new SummaryError(message);
  }
  return commit(
    request,
    scope,
    job,
    { result, size, old, durationMs: Math.max(0, scope.now() - startedAt - result.reviewMs) },
    hooks,
  );
}

/**
 * Where a compaction at the leaf would find something to summarize and make the context smaller (PL14, TG6): `{}` where it is planned, a
 * chosen cut where the keep budget leaves none and the context does not fit; null: nowhere. A failed reply at its end counts for nothing.
 * O(context).
 */
export function roomCut(
  scope: Pick<CompactionScope, 'log' | 'settings' | 'size'>,
  model: ModelRef,
): Pick<SummaryInstructions, 'cutAt'> | null {
  const { tree } = scope.log;
  const { leafId } = tree;
  const isFailed = leafId !== null && tree.node(leafId)?.facts.reply?.stopReason === 'error';
  const request = { model, reason: 'manual', ...(isFailed ? { failedReplyId: leafId } : {}) } as const;
  const size = scope.size();
  const options = planOptions(request, scope.settings(), size, null);
  const source = cutWindow(tree, leafId, options.exclude);
  const planned = planIn(source, { ...options, isManual: false });
  if (planned.ok) return {};
  const { window } = size.limits;
  if (planned.reason !== 'too-small' || window === null || size.tokens <= window) return null;
  // Whoever writes the next summary has to read this one.
  if (size.ratio * source.previousSummary > window) return null;
  const cuts = source.window.filter(({ isLegalCut }, index) => isLegalCut && index > 0);
  const cutAt = (cuts.findLast(({ isTurnStart }) => isTurnStart) ?? cuts.at(-1))?.item.sourceId;
  const answer = cutAt === undefined ? planned : planIn(source, { ...options, cutAt });
  return answer.ok && answer.plan.estimates.projected <= window ? { cutAt } : null;
}

/** What the context came to when the compaction that is made again was made. */
function sizeAt(size: ContextSize, old: TreeNode | null): ContextSize {
  const tokens = (old?.body as CompactionEntry | undefined)?.tokensBefore;
  return typeof tokens === 'number' ? { ...size, tokens } : size;
}

function planOptions(
  { model, reason, failedReplyId, pass, asked }: Omit<CompactionRequest, 'signal'>,
  settings: Settings,
  size: ContextSize,
  old: TreeNode | null,
): PlanOptions {
  const boundary = (old?.body as CompactionEntry | undefined)?.firstKeptEntryId ?? undefined;
  return {
    settings: {
      keepRecentTokens: keepTokens(settings, modelKey(model), size.limits.window),
      keepUserMessageTokens: keepWordsTokens(settings, size.limits.window),
    },
    ...calibrated(size, reason),
    overhead: size.overhead,
    limits: size.limits,
    isManual: reason === 'manual',
    pass,
    cutAt: old ? boundary : asked?.cutAt,
    exclude: failedReplyId === undefined ? undefined : new Set([failedReplyId]),
  };
}

/** Our own summary: model and key, what extensions add, the calls, the person's review (JB8). */
async function summarizePlanned(
  { model, signal, reason, asked = {} }: CompactionRequest,
  scope: CompactionScope,
  job: CompactionReport,
  planned: PlannedCompaction & { since: number },
  hooks: CompactionHooks,
): Promise<CompactionResult> {
  const { log, models } = scope;
  const { plan, size, leafId, since } = planned;
  const settings = scope.settings();
  const candidates = await summarizers(models, model, settings, undefined, asked.model);
  if (signal.aborted) throw new SummaryAborted();
  if (candidates.length === 0) throw new NoSummary(await whyNone(models, model), []);
  const { additionalContext, prompt, preserveData } = await hooks.compacting(planned);
  const reserve = size.limits.reserve ?? DEFAULT_RESERVE_TOKENS;
  const write = (): Promise<Summary> =>
    withConversation(scope, async (conversation) => {
      await gather(conversation, plan, scope, signal);
      const task = {
        ...foldedTask(conversation, reserve, (ref) => ratioFor(log.tree, leafId, ref)),
        previousSummary: plan.previousSummary,
        instructions: asked.instructions,
        short: shortTokens(settings, reserve),
        takesDoubtful: reason === 'manual',
        ...{ additionalContext, prompt, signal },
      };
      return summarize(task, candidates, scope, job);
    });
  const isWanted = asked.review ?? (reason === 'manual' && settings['compaction.reviewBeforeCommit']);
  const context = {
    rest: restOf(plan, size) + since,
    ...{ ratio: size.ratio, window: size.limits.window },
  };
  const before = scope.size().tokens;
  const isLarger = (text: string): boolean => reason === 'manual' && leavesNoRoom({ context }, text, before);
  let reviewMs = 0;
  let summary = await write();
  while (isWanted || summary.doubtful || isLarger(summary.text)) {
    if (signal.aborted) throw new SummaryAborted();
    const madeAt = scope.now();
    const text = await job.review({
      text: summary.text,
      previousSummary: plan.previousSummary ?? null,
      context,
      ...doubtsOf(summary),
      ...(isLarger(summary.text) ? { isLarger: true } : {}),
    });
    reviewMs += scope.now() - madeAt;
    if (text !== null) {
      summary.text = text;
      break;
    }
    summary = withEarlier(await write(), summary);
  }
  if (signal.aborted) throw new SummaryAborted();
  return resultOfSummary(plan, summary, { tokensBefore: size.tokens, preserveData, settings, reviewMs });
}

/** A summary that was written anew, with what the one before it took: it was paid for as well. */
function withEarlier(summary: Summary, { usage, calls }: Summary): Summary {
  addUsage(summary.usage, usage);
  return { ...summary, calls: summary.calls + calls };
}

/** What the context comes to without the summary, calibrated tokens. */
function restOf({ estimates: { kept, pins, overhead } }: CompactionPlan, { ratio }: ContextSize): number {
  return Math.ceil(ratio * (overhead + pins + kept));
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
  { log }: CompactionScope,
  job: JobReport,
  { result, size, old, durationMs }: Finished,
  hooks: CompactionHooks,
): Promise<CompactionOutcome> {
  job.commit();
  const { reason, asked } = request;
  const { instructions } = asked ?? {};
  const tokensAfter = tokensAfterOf(result, size.ratio);
  const entry = entryOf(result, { reason, instructions, tokensAfter, durationMs, replaces: old?.id });
  const record = old ? await replaceCompaction(log, old, entry) : await append(log, request, entry);
  const cost = result.usage?.cost.total ?? 0;
  job.written(cost, result.model);
  if (record) await hooks.committed(record, tokensAfter);
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
  source: CallSource,
  signal: AbortSignal,
): Promise<void> {
  for (const [section, items] of [
    ['history', plan.messagesToSummarize],
    ['prefix', plan.turnPrefixMessages],
  ] as const) {
    await eachToldBatch(source, items, signal, (lines) => conversation.add(section, lines));
  }
}

/** What no model is told of changes nothing of what was summarised: a choice made meanwhile, a name, what an extension keeps (JB7). */
function isStill(nowId: string | null, plannedId: string | null, { tree }: SessionLog): boolean {
  let node = nowId === null ? undefined : tree.node(nowId);
  while (node && node.id !== plannedId) {
    if (node.facts.visible || !isHarmless(node.facts)) return false;
    node = node.parent ?? undefined;
  }
  return (node?.id ?? null) === plannedId;
}
const HARMLESS = new Set(['model_change', 'thinking_level_change', 'label', 'session_info']);

function isHarmless({ type, customType }: TreeNode['facts']): boolean {
  return HARMLESS.has(type) || (type === 'custom' && customType?.startsWith('espalier.') === false);
}

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
