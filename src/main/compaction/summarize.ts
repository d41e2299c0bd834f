import { inputBudget, MIN_INPUT_TOKENS } from '@shared/compaction/fold';
import type { FileOps } from '@shared/compaction/file-activity';
import { mergeSummary, summaryBody } from '@shared/compaction/request-body';
import type { ModelRef } from '@shared/ipc/types';
import type { Usage } from '@shared/session/entry';
import { noUsage } from '../agent/stream/empty-reply';
import type { ModelRegistry } from '../ports';
import { SUMMARY_PROMPTS } from './prompts';
import type { ConversationJob } from './serializer';
import { callSummarizer, SummaryAborted, SummaryError } from './summary-call';
import type { CallPorts, Candidate, SummaryReply } from './summary-call';

export interface SummaryTask {
  conversation: ConversationJob;
  previousSummary: string | undefined;
  isSplitTurn: boolean;
  /** What the person asked to look at in particular. */
  instructions?: string;
  /** R, tokens. */
  reserve: number;
  /** Tokens that one raw token is for a model. */
  ratioOf: (ref: ModelRef) => number;
  signal: AbortSignal;
}

export interface SummaryPorts extends CallPorts {
  models: Pick<ModelRegistry, 'effectiveWindow'>;
  /** A call begins: its number and how many there will be. */
  onStep: (phase: 'history' | 'prefix', step: number, steps: number) => void;
}

export interface Summary {
  text: string;
  files: FileOps;
  model: ModelRef;
  /** Of all calls together. */
  usage: Usage;
  calls: number;
}

/**
 * Makes the summary of a compaction (engine.md 8): history, folded where it is too long for one request, then the beginning of a
 * divided turn; one call after the other, by the first candidate that succeeds.
 * @throws SummaryError with the last candidate's error, SummaryAborted
 */
export async function summarize(
  task: SummaryTask,
  candidates: readonly Candidate[],
  ports: SummaryPorts,
): Promise<Summary> {
  let failure = new SummaryError('No model selected');
  for (const [index, candidate] of candidates.entries()) {
    try {
      return await summarizeWith(candidate, task, ports, index < candidates.length - 1);
    } catch (error) {
      if (!(error instanceof SummaryError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function summarizeWith(
  candidate: Candidate,
  task: SummaryTask,
  ports: SummaryPorts,
  hasAlternative: boolean,
): Promise<Summary> {
  const { ref } = candidate;
  const caps = { history: Math.floor(0.8 * task.reserve), prefix: Math.floor(0.5 * task.reserve) };
  const window = ports.models.effectiveWindow(ref);
  let budget = inputBudget(window > 0 ? window : null, caps.history, task.reserve);
  for (;;) {
    const raw = Math.max(1, Math.floor(budget / task.ratioOf(ref)));
    const texts = await task.conversation.texts(raw);
    if (task.signal.aborted) throw new SummaryAborted();
    const calls = new Calls(candidate, task, ports, hasAlternative, texts.windows.length + (texts.prefix ? 1 : 0));
    try {
      const history = await calls.history(texts.windows, caps.history);
      const prefix = texts.prefix === '' ? undefined : await calls.prefix(texts.prefix, caps.prefix);
      const text = mergeSummary({ history, prefix, previousSummary: task.previousSummary });
      return { text, files: texts.files, model: ref, usage: calls.usage, calls: calls.count };
    } catch (error) {
      if (!(error instanceof SummaryError) || error.kind !== 'overflow') throw error;
      budget = Math.floor(budget / 2);
      if (budget < MIN_INPUT_TOKENS) throw new SummaryError('Summarization failed: input does not fit the model');
    }
  }
}

/** The calls of one attempt, and what they used. */
class Calls {
  count = 0;
  readonly usage: Usage = noUsage();

  constructor(
    private readonly candidate: Candidate,
    private readonly task: SummaryTask,
    private readonly ports: SummaryPorts,
    private readonly hasAlternative: boolean,
    private readonly steps: number,
  ) {}

  /** Each part of the history updates the summary of the one before (engine.md 8.4). Undefined without a history. */
  async history(windows: readonly string[], maxTokens: number): Promise<string | undefined> {
    let summary = this.task.previousSummary;
    for (const conversation of windows) {
      const prompt = summary ? SUMMARY_PROMPTS.update : SUMMARY_PROMPTS.first;
      const body = summaryBody({
        conversation,
        previousSummary: summary,
        prompt,
        instructions: this.task.instructions,
      });
      summary = await this.call('history', 'Summarization', body, maxTokens);
    }
    return windows.length > 0 ? summary : undefined;
  }

  prefix(conversation: string, maxTokens: number): Promise<string> {
    const { instructions } = this.task;
    const body = summaryBody({ conversation, prompt: SUMMARY_PROMPTS.prefix, instructions });
    return this.call('prefix', 'Turn prefix summarization', body, maxTokens);
  }

  private async call(phase: 'history' | 'prefix', label: string, body: string, maxTokens: number): Promise<string> {
    this.count++;
    this.ports.onStep(phase, this.count, this.steps);
    const call = { label, systemPrompt: SUMMARY_PROMPTS.system, body, maxTokens };
    const { signal } = this.task;
    const reply = await callSummarizer(call, this.candidate, this.ports, {
      signal,
      hasAlternative: this.hasAlternative,
    });
    this.add(reply);
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
