import { inputBudget, MIN_INPUT_TOKENS } from '@shared/compaction/fold';
import type { FileOps } from '@shared/compaction/file-activity';
import { mergeSummary, summaryBody } from '@shared/compaction/request-body';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import type { ModelRef } from '@shared/ipc/types';
import type { Usage } from '@shared/session/entry';
import { noUsage } from '../agent/stream/empty-reply';
import type { ModelRegistry } from '../ports';
import { SUMMARY_PROMPTS } from './prompts';
import type { ConversationJob } from './serializer';
import { callRemote, type RemoteSummarizer } from './remote';
import { callSummarizer, NoSummary, SummaryAborted, SummaryError } from './summary-call';
import type { CallPorts, Candidate, SummaryCall, SummaryReply } from './summary-call';

export interface SummaryTask {
  conversation: ConversationJob;
  previousSummary: string | undefined;
  isSplitTurn: boolean;
  /** What the person asked to look at in particular. */
  instructions?: string;
  /** Lines from extensions, for every call. */
  additionalContext?: readonly string[];
  /** An extension's prompt for the history, section tags escaped; absent: ours. */
  prompt?: string;
  /** No line about it is wanted, whatever the setting says. */
  noShort?: boolean;
  /** R, tokens. */
  reserve: number;
  /** Tokens that one raw token is for a model. */
  ratioOf: (ref: ModelRef) => number;
  signal: AbortSignal;
}

export interface SummaryPorts extends CallPorts {
  models: Pick<ModelRegistry, 'effectiveWindow'>;
  /** A call begins: its number and how many there will be. With `hooks` none: extensions are asked first. */
  onStep: (phase: 'hooks' | 'history' | 'prefix' | 'short', step: number, steps: number) => void;
}

/** Who may write a summary: a model, or the person's own endpoint. */
export type Summarizer = Candidate | RemoteSummarizer;

export interface Summary {
  text: string;
  /** A line about it, where the summariser wrote one. */
  short?: string;
  files: FileOps;
  model: ModelRef;
  /** Of all calls together. */
  usage: Usage;
  calls: number;
}

/**
 * Makes the summary of a compaction (SU28, SU39): history, folded where it is too long for one request, then the beginning of a
 * divided turn; one call after the other, by the first candidate that succeeds.
 * @throws SummaryError with the last candidate's error, SummaryAborted
 */
export function summarize(task: SummaryTask, candidates: readonly Summarizer[], ports: SummaryPorts): Promise<Summary> {
  return firstOf(candidates, (candidate, hasAlternative) => summarizeWith(candidate, task, ports, hasAlternative));
}

async function summarizeWith(
  candidate: Summarizer,
  task: SummaryTask,
  ports: SummaryPorts,
  hasAlternative: boolean,
): Promise<Summary> {
  const { ref } = candidate;
  const caps = { history: Math.floor(0.8 * task.reserve), prefix: Math.floor(0.5 * task.reserve) };
  const window = 'remote' in candidate ? 0 : ports.models.effectiveWindow(ref);
  let budget = inputBudget(window > 0 ? window : null, caps.history, task.reserve);
  for (;;) {
    const raw = Math.max(1, Math.floor(budget / task.ratioOf(ref)));
    const texts = await task.conversation.texts(raw);
    if (task.signal.aborted) throw new SummaryAborted();
    const asksShort = !task.noShort && ports.settings()['compaction.shortSummary'] === 'model';
    const steps = texts.windows.length + (texts.prefix ? 1 : 0) + (asksShort ? 1 : 0);
    const calls = new Calls(candidate, task, ports, hasAlternative, steps);
    try {
      const history = await calls.history(texts.windows, caps.history);
      const prefix = texts.prefix === '' ? undefined : await calls.prefix(texts.prefix, caps.prefix);
      const text = mergeSummary({ history, prefix, previousSummary: task.previousSummary });
      const short = calls.shortSummary ?? (asksShort ? await calls.short(text) : undefined);
      return { text, short, files: texts.files, model: ref, usage: calls.usage, calls: calls.count };
    } catch (error) {
      if (!(error instanceof SummaryError) || error.kind !== 'overflow') throw error;
      budget = Math.floor(budget / 2);
      if (budget < MIN_INPUT_TOKENS) throw new SummaryError('Summarization failed: input does not fit the model');
    }
  }
}

/** One call to whoever writes the summary. @throws SummaryError, SummaryAborted */
export async function askSummarizer(
  call: SummaryCall,
  summarizer: Summarizer,
  ports: CallPorts,
  how: { signal: AbortSignal; hasAlternative: boolean },
): Promise<SummaryReply> {
  if (!('remote' in summarizer)) return callSummarizer(call, summarizer, ports, how);
  const reply = await callRemote(call, summarizer, how.signal);
  ports.onDelta(reply.text);
  return reply;
}

/** Asks one candidate after the other until one succeeds. @throws NoSummary with the last one's error, SummaryAborted */
export async function firstOf<T>(
  candidates: readonly Summarizer[],
  ask: (candidate: Summarizer, hasAlternative: boolean) => Promise<T>,
): Promise<T> {
  let failure = new SummaryError('No model selected');
  for (const [index, candidate] of candidates.entries()) {
    try {
      return await ask(candidate, index < candidates.length - 1);
    } catch (error) {
      if (!(error instanceof SummaryError)) throw error;
      failure = error;
    }
  }
  throw new NoSummary(
    failure.message,
    candidates.map(({ ref }) => ref),
  );
}

const MAX_SHORT_TOKENS = 512;

/** The calls of one attempt, and what they used. */
class Calls {
  count = 0;
  /** Of the last call about the history. */
  shortSummary: string | undefined;
  readonly usage: Usage = noUsage();

  constructor(
    private readonly candidate: Summarizer,
    private readonly task: SummaryTask,
    private readonly ports: SummaryPorts,
    private readonly hasAlternative: boolean,
    private readonly steps: number,
  ) {}

  /** Each part of the history updates the summary of the one before (SU26). Undefined without a history. */
  async history(windows: readonly string[], maxTokens: number): Promise<string | undefined> {
    let summary = this.task.previousSummary;
    const { instructions, additionalContext } = this.task;
    for (const conversation of windows) {
      const prompt = this.task.prompt ?? (summary ? SUMMARY_PROMPTS.update : SUMMARY_PROMPTS.first);
      const body = summaryBody({ conversation, previousSummary: summary, additionalContext, prompt, instructions });
      summary = await this.call('history', 'Summarization', body, maxTokens);
    }
    return windows.length > 0 ? summary : undefined;
  }

  prefix(conversation: string, maxTokens: number): Promise<string> {
    const { instructions, additionalContext } = this.task;
    const body = summaryBody({ conversation, additionalContext, prompt: SUMMARY_PROMPTS.prefix, instructions });
    return this.call('prefix', 'Turn prefix summarization', body, maxTokens);
  }

  /** One line about a summary, for lists. Undefined if it can't be had: the summary itself is what counts (SU38). */
  async short(summary: string): Promise<string | undefined> {
    const body = summaryBody({ conversation: summary, prompt: SUMMARY_PROMPTS.short });
    const maxTokens = Math.max(1, Math.min(MAX_SHORT_TOKENS, Math.floor(0.2 * this.task.reserve)));
    try {
      return await this.call('short', 'Short summary', body, maxTokens);
    } catch (error) {
      if (error instanceof SummaryError) return undefined;
      throw error;
    }
  }

  private async call(
    phase: 'history' | 'prefix' | 'short',
    label: string,
    body: string,
    maxTokens: number,
  ): Promise<string> {
    this.count++;
    this.ports.onStep(phase, this.count, this.steps);
    const call = { label, systemPrompt: SUMMARY_PROMPTS.system, body, maxTokens };
    const { candidate, task, ports, hasAlternative } = this;
    const reply = await askSummarizer(call, candidate, ports, { signal: task.signal, hasAlternative });
    this.add(reply);
    // Our tags are taken out of what is stored: a reply of nothing else says nothing.
    if (stripTagBlocks(reply.text).trim() === '') throw new SummaryError(`${label} failed: empty summary`);
    if (phase === 'history') this.shortSummary = reply.shortSummary;
    return reply.text;
  }

  private add({ usage }: SummaryReply): void {
    const { usage: sum } = this;
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      sum[key] += usage[key];
      sum.cost[key] += usage.cost[key];
    }
    sum.totalTokens = (sum.totalTokens ?? 0) + (usage.totalTokens ?? 0);
    sum.cost.total += usage.cost.total;
  }
}
