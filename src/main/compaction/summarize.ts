import branchPreamble from '../../../prompts/compaction/branch-summary-preamble.md?raw';
import branch from '../../../prompts/compaction/branch-summary.md?raw';
import short from '../../../prompts/compaction/compaction-short-summary.md?raw';
import first from '../../../prompts/compaction/compaction-summary.md?raw';
import prefix from '../../../prompts/compaction/compaction-turn-prefix.md?raw';
import update from '../../../prompts/compaction/compaction-update-summary.md?raw';
import handoff from '../../../prompts/compaction/handoff.md?raw';
import system from '../../../prompts/compaction/summarization-system.md?raw';
import again from '../../../prompts/compaction/summary-again.md?raw';
import length from '../../../prompts/compaction/summary-length.md?raw';
import { noUsage } from '../pi/pi';
import type { ModelRegistry } from '../ports';
import type { ConversationTexts } from './conversation';
import { callRemote, type RemoteSummarizer } from './remote';
import type { ConversationJob } from './serializer';
import {
  addUsage,
  type CallScope,
  callSummarizer,
  type Candidate,
  type JobReport,
  NoSummary,
  SummaryAborted,
  type SummaryCall,
  SummaryError,
  type SummaryReply,
} from './summary-call';
import type { FileOps } from '@shared/compaction/file-activity';
import { inputBudget, mergeSummary, MIN_INPUT_TOKENS, summaryBody } from '@shared/compaction/request-body';
import { isNoSummary, partsOfPrompt } from '@shared/compaction/summary-shape';
import { escapeMarks, stripTagBlocks } from '@shared/session/records/own-marks';
import type { Usage } from '@shared/session/records/entry';
import type { Settings } from '@shared/settings';
import type { ReviewDraft } from '@shared/compaction/summary-job';
import type { ModelRef } from '@shared/types';

/** The texts of summary requests (SU1 to SU9). */
export const SUMMARY_PROMPTS = {
  system: system.trim(),
  first: first.trim(),
  update: update.trim(),
  prefix: prefix.trim(),
  short: short.trim(),
  branch: branch.trim(),
  /** Stands before the text of a branch summary that is stored. */
  branchPreamble: branchPreamble.trim(),
  /** `{{goal}}` marks the place of the goal. */
  handoff: handoff.trim(),
};

/** Words that a cap of tokens holds: 80 % of it, 0.55 words to a token, as summaries full of paths and names have them (SU10). */
const WORDS_PER_TOKEN = 0.8 * 0.55;

const wordsOf = (maxTokens: number): number => Math.max(1, Math.floor(maxTokens * WORDS_PER_TOKEN));

/** A line about a summary, of which nothing is to be shortened. @param maxTokens the cap of its call */
export function shortPrompt(maxTokens: number): string {
  return `${SUMMARY_PROMPTS.short} At most ${wordsOf(maxTokens)} words.`;
}

/** A prompt, and before it how long the answer may be, in words, and what to shorten first (SU10). @param maxTokens the cap of its call */
export function withLength(prompt: string, maxTokens: number): string {
  return `${length.trim().replace('{{words}}', String(wordsOf(maxTokens)))}\n\n${prompt}`;
}

/** What follows the prompt where the answer before had none of the parts (SU40). */
function againPrompt(parts: readonly string[]): string {
  return again.trim().replace('{{parts}}', () => parts.map((part) => `"${part}"`).join(', '));
}

const NO_PARTS = 'the answer does not look like a summary: none of the asked parts is in it';

/** What is to be told, in texts that each fit one request. */
interface SummaryTexts extends ConversationTexts {
  /** Messages that they hold, where not all fit. */
  messages?: number;
}

/** One summary, whatever it is for. */
export interface SummaryTask {
  /** Tokens of input that a candidate has room for; its window is 0 if unknown. */
  room: (ref: ModelRef, window: number) => number;
  /** The texts for so much room. */
  texts: (room: number, ref: ModelRef) => Promise<SummaryTexts>;
  /** Tokens that the answers about history and prefix may have. */
  caps: (window: number) => { history: number; prefix: number };
  previousSummary?: string;
  /** What the person asked to look at in particular. */
  instructions?: string;
  /** Lines from extensions, for every call. */
  additionalContext?: readonly string[];
  /** In place of our prompts for the history; section tags escaped. */
  prompt?: string;
  /** The parts that such a prompt of ours asks for; absent: of another's it is not known (SU40). */
  parts?: readonly string[];
  /** What does not look like a summary is given back as it is, for the person to judge (SU40). */
  takesDoubtful?: boolean;
  /** Tokens of a line about it, for lists; absent: none is wanted. */
  short?: number;
  signal: AbortSignal;
}

/** What is summarized in parts where it is too long for one request (SU26). `reserve` is R, tokens. */
export function foldedTask(
  conversation: ConversationJob,
  reserve: number,
  ratioOf: (ref: ModelRef) => number,
): Pick<SummaryTask, 'room' | 'texts' | 'caps'> {
  const caps = { history: Math.floor(0.8 * reserve), prefix: Math.floor(0.5 * reserve) };
  return {
    caps: () => caps,
    room: (_ref, window) => inputBudget(window > 0 ? window : null, caps.history, reserve),
    texts: (room, ref) => conversation.texts(Math.max(1, Math.floor(room / ratioOf(ref)))),
  };
}

export type SummaryScope = CallScope & { models: Pick<ModelRegistry, 'effectiveWindow'> };

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
  /** Messages that it was made of, where not all fit. */
  messages?: number;
  /** It does not look like one, or one of its parts does not: only where the task takes that. */
  doubtful: 'all' | 'history' | 'prefix' | null;
}

/** What a review says of it (SU40). */
export function doubtsOf({ doubtful }: Pick<Summary, 'doubtful'>): Pick<ReviewDraft, 'isDoubtful' | 'doubtfulPart'> {
  if (doubtful === null) return {};
  return { isDoubtful: true, ...(doubtful === 'all' ? {} : { doubtfulPart: doubtful }) };
}

/**
 * Makes a summary (SU28, SU39): history, folded where it is too long for one request, then the beginning of a
 * divided turn; one call after the other, by the first candidate that succeeds. A proxy that refused its password is not asked
 * again for another candidate (WN25).
 * @throws SummaryError with the last candidate's error, SummaryAborted
 */
export async function summarize(
  task: SummaryTask,
  candidates: readonly Summarizer[],
  scope: SummaryScope,
  job: JobReport,
): Promise<Summary> {
  let failure = new SummaryError('No model selected');
  let left = candidates.slice();
  const tried: ModelRef[] = [];
  for (let candidate = left.shift(); candidate; candidate = left.shift()) {
    tried.push(candidate.ref);
    try {
      return await summarizeWith(candidate, task, scope, job, left.length > 0);
    } catch (error) {
      if (!(error instanceof SummaryError)) throw error;
      failure = error;
      const refused = error.kind === 'password' ? proxyOf(candidate) : undefined;
      if (refused !== undefined) left = left.filter((other) => proxyOf(other) !== refused);
    }
  }
  throw new NoSummary(failure.message, tried);
}

/** The address of the proxy that it is asked through. */
function proxyOf(summarizer: Summarizer): string | undefined {
  if (!('remote' in summarizer)) return summarizer.proxies.model?.href;
  const { route } = summarizer.remote;
  return route.kind === 'proxy' ? route.proxy.href : undefined;
}

async function summarizeWith(
  candidate: Summarizer,
  task: SummaryTask,
  scope: SummaryScope,
  job: JobReport,
  hasAlternative: boolean,
): Promise<Summary> {
  const { ref } = candidate;
  const window = 'remote' in candidate ? 0 : scope.models.effectiveWindow(ref);
  const caps = task.caps(window);
  let room = task.room(ref, window);
  // What did not fit was paid as well.
  const usage: Usage = noUsage();
  for (;;) {
    const { windows, prefix: start, files, messages } = await task.texts(room, ref);
    if (task.signal.aborted) throw new SummaryAborted();
    const steps = windows.length + (start ? 1 : 0) + (task.short ? 1 : 0);
    const calls = new Calls(candidate, task, scope, job, { hasAlternative, steps, usage });
    try {
      const history = await calls.history(windows, caps.history);
      const prefix = start === '' ? undefined : await calls.prefix(start, caps.prefix);
      const text = mergeSummary({ history, prefix, previousSummary: task.previousSummary });
      const wantsShort = task.short !== undefined && calls.doubtful.size === 0;
      const short = calls.shortSummary ?? (wantsShort ? await calls.short(text, task.short as number) : undefined);
      const { count } = calls;
      const isWhole = calls.doubtful.size === (history === undefined ? 0 : 1) + (prefix === undefined ? 0 : 1);
      const [part = null] = calls.doubtful;
      const doubtful = part && isWhole ? 'all' : part;
      return { text, short, files, model: ref, usage, calls: count, messages, doubtful };
    } catch (error) {
      if (!(error instanceof SummaryError) || error.kind !== 'overflow') throw error;
      room = Math.floor(room / 2);
      if (room < MIN_INPUT_TOKENS) throw new SummaryError('Summarization failed: input does not fit the model');
    }
  }
}

/** One call to whoever writes the summary. @throws SummaryError, SummaryAborted */
async function askSummarizer(
  call: SummaryCall,
  summarizer: Summarizer,
  scope: CallScope,
  job: JobReport,
  how: { signal: AbortSignal; hasAlternative: boolean },
): Promise<SummaryReply> {
  if (!('remote' in summarizer)) return callSummarizer(call, summarizer, scope, job, how);
  const reply = await callRemote(call, summarizer, how.signal, scope.transport.noteFailure);
  job.delta(reply.text);
  return reply;
}

/** Tokens of a line about a summary, where the settings want one by a model (SU38). */
export function shortTokens(settings: Pick<Settings, 'compaction.shortSummary'>, reserve: number): number | undefined {
  if (settings['compaction.shortSummary'] !== 'model') return undefined;
  return Math.max(1, Math.min(MAX_SHORT_TOKENS, Math.floor(0.2 * reserve)));
}

const MAX_SHORT_TOKENS = 512;

type Part = 'history' | 'prefix' | 'short';

/** What our prompts ask for (SU40). */
export const PARTS = {
  first: partsOfPrompt(SUMMARY_PROMPTS.first),
  prefix: partsOfPrompt(SUMMARY_PROMPTS.prefix),
  branch: partsOfPrompt(SUMMARY_PROMPTS.branch),
  handoff: partsOfPrompt(SUMMARY_PROMPTS.handoff),
};

/** The calls of one attempt, and what they used. */
class Calls {
  count = 0;
  /** Parts that do not look like what was asked for. */
  readonly doubtful = new Set<'history' | 'prefix'>();
  private step = 0;
  /** Of the last call about the history. */
  shortSummary: string | undefined;

  constructor(
    private readonly candidate: Summarizer,
    private readonly task: SummaryTask,
    private readonly scope: SummaryScope,
    private readonly job: JobReport,
    private readonly how: { hasAlternative: boolean; steps: number; usage: Usage },
  ) {}

  /** Each part of the history updates the summary of the one before (SU26). Undefined without a history. */
  async history(windows: readonly string[], maxTokens: number): Promise<string | undefined> {
    let summary = this.task.previousSummary;
    const {
      instructions,
      additionalContext,
      prompt: given,
      parts = given === undefined ? PARTS.first : [],
    } = this.task;
    for (const [index, conversation] of windows.entries()) {
      const own = given ?? (summary ? SUMMARY_PROMPTS.update : SUMMARY_PROMPTS.first);
      const prompt = withLength(own, maxTokens);
      const body = summaryBody({ conversation, previousSummary: summary, additionalContext, prompt, instructions });
      const isLast = index === windows.length - 1;
      summary = await this.call('history', 'Summarization', body, maxTokens, { parts, isLast });
    }
    return windows.length > 0 ? summary : undefined;
  }

  prefix(conversation: string, maxTokens: number): Promise<string> {
    const { instructions, additionalContext } = this.task;
    const prompt = withLength(SUMMARY_PROMPTS.prefix, maxTokens);
    const body = summaryBody({ conversation, additionalContext, prompt, instructions });
    return this.call('prefix', 'Turn prefix summarization', body, maxTokens, { parts: PARTS.prefix, isLast: true });
  }

  /** One line about a summary, for lists. Undefined if it can't be had: the summary itself is what counts (SU38). */
  async short(summary: string, maxTokens: number): Promise<string | undefined> {
    const body = summaryBody({
      conversation: escapeMarks(summary),
      prompt: shortPrompt(maxTokens),
    });
    try {
      return await this.call('short', 'Short summary', body, maxTokens);
    } catch (error) {
      if (error instanceof SummaryError) return undefined;
      throw error;
    }
  }

  /** One part of the summary; what does not look like it is asked for once more, in words that name what is missing (SU40). */
  private async call(
    part: Part,
    label: string,
    body: string,
    maxTokens: number,
    { parts = [], isLast = false }: { parts?: readonly string[]; isLast?: boolean } = {},
  ): Promise<string> {
    this.step++;
    const call = { label, systemPrompt: SUMMARY_PROMPTS.system, body, maxTokens };
    const first = await this.ask(part, call);
    if (!isNoSummary(first, parts)) return first;
    const second = await this.ask(part, { ...call, body: `${body}\n\n${againPrompt(parts)}` });
    if (!isNoSummary(second, parts)) return second;
    // Not as what the next part is built on, nor while another model can be asked.
    if (!isLast || this.how.hasAlternative || !this.task.takesDoubtful)
      throw new SummaryError(`${label} failed: ${NO_PARTS}`);
    if (part !== 'short') this.doubtful.add(part);
    return second;
  }

  private async ask(part: Part, call: SummaryCall): Promise<string> {
    this.count++;
    this.job.step(part, this.step, this.how.steps);
    const { candidate, task, scope, job } = this;
    const { hasAlternative, usage } = this.how;
    const reply = await askSummarizer(call, candidate, scope, job, { signal: task.signal, hasAlternative });
    addUsage(usage, reply.usage);
    // Our tags are taken out of what is stored: a reply of nothing else says nothing.
    if (stripTagBlocks(reply.text).trim() === '') throw new SummaryError(`${call.label} failed: empty summary`);
    if (part === 'history') this.shortSummary = reply.shortSummary;
    return reply.text;
  }
}
