import type { ModelRef } from '@shared/types';
import type { LiveJob, ReviewDraft } from '@shared/compaction/summary-job';
import type { Usage } from '@shared/session/records/entry';
import type { Settings } from '@shared/settings';
import { classifyReply, isTransient, retryAfterOf } from '../agent/classify-error';
import { explainFailure, SUMMARY_DROPPED } from '../agent/explain-failure';
import { isWaitable, retryDelayMs, waitForRetry } from '../agent/judge-reply';
import { defaultLimits, type ProviderOutcome, type StreamTransport } from '../agent/stream/types';
import { providerName } from '../models/unusable-model';
import { PASSWORD_REFUSED } from '../network/proxy-fetch';
import { noUsage } from '../pi/pi';
import type { ResolvedModel } from '../ports';

/** A wait longer than this is not worth it while another model could be asked (SU36). */
const LONG_WAIT_MS = 30_000;

/** Why a summary could not be made; the message is for the person. */
export class SummaryError extends Error {
  override readonly name = 'SummaryError';
  constructor(
    message: string,
    /** `overflow`: the input is too large for the model; a smaller part may fit. `password`: the proxy refuses its password. */
    readonly kind: 'overflow' | 'password' | 'other' = 'other',
  ) {
    super(message);
  }
}

/** Nobody of those who may be asked could write it; the message is the last one's. */
export class NoSummary extends SummaryError {
  constructor(
    message: string,
    /** Who was asked. Others can be offered. */
    readonly tried: readonly ModelRef[],
  ) {
    super(message);
  }
}

/** The person ended it. */
export class SummaryAborted extends Error {
  override readonly name = 'SummaryAborted';
}

/** A wait before the next attempt, for the person to see. Milliseconds. */
export interface RetryNotice {
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  errorMessage: string;
}

/** What the calls of a job take of its session. */
export interface CallScope {
  transport: StreamTransport;
  settings: () => Settings;
}

/** What a job tells of its calls, and asks the person (EV10). */
export interface JobReport {
  /** A call begins: its number and how many there will be. With `hooks` none: extensions are asked first. */
  step(part: NonNullable<LiveJob['part']>, step: number, steps: number): void;
  delta(text: string): void;
  /** A call came to so many US dollars, whatever came of it. */
  spent(model: ModelRef, cost: number): void;
  /** A wait begins (the notice) or ends (null). */
  retry(notice: RetryNotice | null): void;
  /**
   * Lets the person change the summary.
   * @returns the text that is stored; null: it is to be written anew, which is offered where it does not look like one (SU40)
   * @throws SummaryAborted
   */
  review(draft: ReviewDraft): Promise<string | null>;
  /** From here on it is written: too late to cancel. @throws SummaryAborted if it was cancelled before */
  commit(): void;
  /** It is written, and says of itself what it cost, US dollars, and who wrote it: what was paid beyond that is owed. */
  written(cost: number, writer: ModelRef | null): void;
}

export interface SummaryCall {
  /** How an error begins: `Summarization`, `Turn prefix summarization`. */
  label: string;
  systemPrompt: string;
  body: string;
  /** Tokens that the reply may have. */
  maxTokens: number;
}

export interface SummaryReply {
  text: string;
  /** Of all attempts: one that was cut off was paid too. */
  usage: Usage;
  /** A line about it, where the summariser sent one. */
  shortSummary?: string;
}

export type Candidate = { ref: ModelRef } & Extract<ResolvedModel, { ok: true }>;

/**
 * One summary request to one model, with retries of transient errors (SU33, SU36). A reply that was cut off by its length is
 * asked for once more with twice the room.
 * @throws SummaryError, SummaryAborted
 */
export async function callSummarizer(
  call: SummaryCall,
  candidate: Candidate,
  scope: CallScope,
  job: JobReport,
  { signal, hasAlternative }: { signal: AbortSignal; hasAlternative: boolean },
): Promise<SummaryReply> {
  let reasoning = reasoningFor(candidate, scope.settings());
  let maxTokens = capOf(candidate, call.maxTokens + budgetOf(reasoning));
  let isExtended = false;
  const usage: Usage = noUsage();
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask({ ...call, maxTokens }, candidate, reasoning, { scope, job }, signal);
    job.spent(candidate.ref, outcome.message.usage.cost.total);
    addUsage(usage, outcome.message.usage as Usage);
    if (signal.aborted || outcome.message.stopReason === 'aborted') throw new SummaryAborted();
    if (outcome.message.stopReason === 'length' && !isExtended) {
      isExtended = true;
      reasoning = leastReasoning(candidate);
      maxTokens = capOf(candidate, 2 * call.maxTokens + budgetOf(reasoning));
      continue;
    }
    const wait = waitAfter(outcome, candidate, attempt, { settings: scope.settings(), hasAlternative });
    if (wait === null) return { text: accept(call.label, outcome, candidate.ref), usage };
    job.retry(wait);
    const how = await waitForRetry(wait.delayMs, signal, NEVER.signal);
    job.retry(null);
    if (how === 'aborted') throw new SummaryAborted();
  }
}

const NEVER = new AbortController();

function capOf({ model }: Candidate, wanted: number): number {
  return model.maxTokens > 0 ? Math.min(wanted, model.maxTokens) : wanted;
}

/** Tokens that thinking may take beside the summary (SU32). */
const LOW_BUDGET = 4096;

/** How much the summariser may think: off by default, little where it cannot be switched off (SU32). */
function reasoningFor(candidate: Candidate, settings: Settings): 'low' | undefined {
  if (!candidate.model.reasoning) return undefined;
  return settings['compaction.reasoning'] === 'low' ? 'low' : leastReasoning(candidate);
}

function leastReasoning({ model }: Candidate): 'low' | undefined {
  return model.reasoning && model.thinkingLevelMap?.off === null ? 'low' : undefined;
}

function budgetOf(reasoning: 'low' | undefined): number {
  return reasoning ? LOW_BUDGET : 0;
}

async function ask(
  { systemPrompt, body, maxTokens }: SummaryCall,
  { model, apiKey, headers, proxies }: Candidate,
  reasoning: 'low' | undefined,
  { scope, job }: { scope: CallScope; job: JobReport },
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const messages = [{ role: 'user' as const, content: body, timestamp: 0 }];
  const stream = scope.transport.stream(
    {
      model,
      context: { systemPrompt, messages },
      options: { maxTokens, apiKey, headers, reasoning, cacheRetention: 'none' },
      limits: defaultLimits(maxTokens),
      proxies,
    },
    signal,
  );
  for await (const event of stream) if (event.type === 'text_delta') job.delta(event.delta);
  return stream.result();
}

/** The wait before another attempt, or null if there is none. */
function waitAfter(
  { message, wire }: ProviderOutcome,
  { model }: Candidate,
  attempt: number,
  { settings, hasAlternative }: { settings: Settings; hasAlternative: boolean },
): RetryNotice | null {
  const maxAttempts = settings['retry.maxRetries'];
  if (!settings['retry.enabled'] || attempt > maxAttempts || !isTransient(message, wire)) return null;
  const retryAfterMs = retryAfterOf(message, wire);
  if (!isWaitable(retryAfterMs)) return null;
  const delayMs = retryDelayMs(attempt, settings, retryAfterMs ?? 0);
  if (hasAlternative && delayMs > LONG_WAIT_MS) return null;
  const provider = { name: providerName(model.provider), baseUrl: model.baseUrl };
  const { detail } = explainFailure(message, wire, provider, SUMMARY_DROPPED);
  return { attempt, maxAttempts, delayMs, errorMessage: detail };
}

/** Only a finished text counts; anything else would replace the session by less than it was (SU33). */
function accept(label: string, { message, wire }: ProviderOutcome, ref: ModelRef): string {
  if (message.stopReason === 'length') {
    throw new SummaryError(`${label} failed: generation hit the token cap and the summary is incomplete`);
  }
  if (message.stopReason === 'error') {
    const isOverflow = classifyReply({ message, wire, sessionFigure: 0 }) === 'overflow';
    const text = message.errorMessage?.trim() || `${ref.provider}/${ref.modelId} gave no reason`;
    const isRefused = wire.failure?.code === PASSWORD_REFUSED;
    throw new SummaryError(`${label} failed: ${text}`, isOverflow ? 'overflow' : isRefused ? 'password' : 'other');
  }
  if (message.stopReason !== 'stop' || message.content.some(({ type }) => type === 'toolCall')) {
    throw new SummaryError(`${label} attempted to call a tool`);
  }
  const text = message.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
    .trim();
  if (text === '') throw new SummaryError(`${label} failed: empty summary`);
  return text;
}

/** Adds what more calls used to what some did. */
export function addUsage(sum: Usage, usage: Usage): void {
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
    sum[key] += usage[key];
    sum.cost[key] += usage.cost[key];
  }
  sum.totalTokens = (sum.totalTokens ?? 0) + (usage.totalTokens ?? 0);
  sum.cost.total += usage.cost.total;
}
