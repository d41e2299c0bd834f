import { createHash } from 'node:crypto';
import { emptyReply, loadPiAi } from '../pi/pi';
import type {
  AgentTool,
  Api,
  AssistantMessage,
  AssistantMessageEventStream,
  Message,
  Model,
  SimpleStreamOptions,
  StreamFn,
  Tool,
} from '../pi/pi-types';
import type { HeardMessage } from '../extensions/run-events';
import { askContext } from '../extensions/run-hooks';
import { requestHooks } from '../extensions/request-hooks';
import { failureOfError, NOTHING_TO_ANSWER, tooLongFailure } from './failure-cards';
import type { GateScope, RoomMaker } from './run-scope';
import { toAssistantStream } from './stream/assistant-stream';
import { defaultLimits } from './stream/types';
import { omitDraft } from '@shared/session/tree/drafts';
import type { EntryDraft, ProjectedMessage } from '@shared/session/records/entry';
import { estimateRaw } from '@shared/session/records/estimate';
import { estimateOverhead, type Overhead } from '@shared/session/context/figure';
import type { SessionTree } from '@shared/session/tree/tree';
import type { Failure } from '@shared/types';

/** Longest reply that is asked for, in tokens, whatever the model could do (TG7). */
const MAX_OUTPUT_TOKENS = 32_000;
/** A reply of fewer tokens is of no use; asked for even when the window is all but full. */
const MIN_OUTPUT_TOKENS = 1024;

/**
 * The output cap of one request in tokens (TG7): min(model maximum, 32000, max(1024, W − D)); without the last
 * where the window is unknown (W ≤ 0). Why: strict servers refuse prompt plus output above the window.
 */
function outputCap(modelMaximum: number, window: number, contextTokens: number): number {
  const model = modelMaximum > 0 ? modelMaximum : MAX_OUTPUT_TOKENS;
  const room = window > 0 ? Math.max(MIN_OUTPUT_TOKENS, window - contextTokens) : Number.POSITIVE_INFINITY;
  return Math.min(model, MAX_OUTPUT_TOKENS, room);
}

/** What goes before the messages of a request, as plain data. */
interface RequestHead {
  systemPrompt: string;
  /** What providers are told of the tools: nothing of their code, and no live schema, which no thread takes. */
  tools: Tool[];
  /** Its raw tokens. */
  overhead: Overhead;
}

interface RequestParams {
  thinkingLevel: string;
  maxTokens: number;
}

/**
 * What of a request is not a message. It is the same for most requests of a session: written out, sized and hashed it would cost
 * more than the messages of a compacted context, so that is done again only when something of it is another.
 */
export class RequestState {
  private head: RequestHead | null = null;
  private tools: readonly AgentTool[] = [];
  private hashed: { head: RequestHead; params: RequestParams; hash: string } | null = null;

  headOf(systemPrompt: string, tools: readonly AgentTool[]): RequestHead {
    const { head } = this;
    if (head?.systemPrompt === systemPrompt && isSame(this.tools, tools)) return head;
    this.tools = tools.map(({ name, description, parameters }) => ({ name, description, parameters }) as AgentTool);
    const plain = JSON.parse(JSON.stringify(this.tools)) as Tool[];
    return (this.head = { systemPrompt, tools: plain, overhead: estimateOverhead(systemPrompt, plain) });
  }

  /**
   * The record to append if the state differs from the one in force at the leaf, else null: with it "what the model saw here" can
   * be answered (SF11).
   */
  record(tree: SessionTree, head: RequestHead, params: RequestParams): EntryDraft | null {
    const hash = this.hashOf(head, params);
    const inForce = tree.requestInForce(tree.leafId)?.data as { hash?: unknown } | undefined;
    if (inForce?.hash === hash) return null;
    const { systemPrompt, tools } = head;
    return { type: 'custom', customType: 'espalier.request', data: { v: 1, hash, systemPrompt, tools, params } };
  }

  private hashOf(head: RequestHead, params: RequestParams): string {
    const { hashed } = this;
    if (hashed?.head === head && isSameParams(hashed.params, params)) return hashed.hash;
    const { systemPrompt, tools } = head;
    const json = JSON.stringify({ systemPrompt, tools, params });
    const hash = createHash('sha256').update(json).digest('hex').slice(0, 32);
    this.hashed = { head, params, hash };
    return hash;
  }
}

function isSame(known: readonly AgentTool[], tools: readonly AgentTool[]): boolean {
  return (
    known.length === tools.length &&
    tools.every(({ name, description, parameters }, at) => {
      const tool = known[at];
      return tool?.name === name && tool.description === description && tool.parameters === parameters;
    })
  );
}

function isSameParams(a: RequestParams, b: RequestParams): boolean {
  return a.thinkingLevel === b.thinkingLevel && a.maxTokens === b.maxTokens;
}

/** Why a request did not go out; `oversize` if the context is over the window, which the person may overrule. */
interface Refusal {
  failure: Failure;
  oversize: boolean;
}

/**
 * The gate (AG2): called before every request of the loop, it decides whether one goes out and with what. It
 * ignores the messages of the loop and builds the context from the tree, so that a model switch or, later, a compaction
 * needs no change to the loop. It never throws; what was not sent comes back as a made-up reply that is not stored.
 */
export class Gate {
  private readonly madeUp = new WeakSet<AssistantMessage>();
  private readonly refusals = new WeakMap<AssistantMessage, Refusal>();
  private readonly state = new RequestState();
  private sendOversizeOnce = false;
  /** The system prompt that extensions have made for the run under way; null: the ordinary one. */
  promptOfRun: string | null = null;
  /** A cut-off reply that is asked for again (JB10); it is not part of that request. */
  askedAgain: string | null = null;

  constructor(
    private readonly scope: GateScope,
    private readonly auto: Pick<RoomMaker, 'makeRoom'>,
  ) {}

  readonly streamFn: StreamFn = async (_model, _context, options) => {
    try {
      return await this.open(options?.signal);
    } catch (error) {
      return this.refuse(failureOfError(error));
    }
  };

  isMadeUp(message: AssistantMessage): boolean {
    return this.madeUp.has(message);
  }

  /** Why nothing was sent; undefined for a reply that came from a model, or one that Stop forestalled. */
  refusalOf(message: AssistantMessage): Refusal | undefined {
    return this.refusals.get(message);
  }

  /** The person chose to send although the context is over the window (TG6): holds for one request. */
  allowOversizeOnce(): void {
    this.sendOversizeOnce = true;
  }

  /** A whole reply takes the place of the one that was cut off, in the same write. */
  replacedBy({ stopReason }: AssistantMessage): EntryDraft[] {
    const old = this.askedAgain;
    if (old === null || stopReason === 'error' || stopReason === 'aborted') return [];
    this.askedAgain = null;
    return [omitDraft(old)];
  }

  private async open(signal: AbortSignal | undefined): Promise<AssistantMessageEventStream> {
    const { log, context, models, tools: slot } = this.scope;
    if (signal?.aborted) return this.cancelled();
    const pending = this.scope.choice.takePending();
    if (pending.length > 0) await log.append(pending);
    const ref = context.model ?? models.initialModel();
    const resolved = await models.resolve(ref);
    if (!resolved.ok) return this.refuse(resolved.failure);
    const head = this.state.headOf(this.promptOfRun ?? (await this.scope.systemPrompt()), slot.current?.tools ?? []);
    const { systemPrompt, tools, overhead } = head;
    await this.auto.makeRoom(ref, overhead, signal ?? new AbortController().signal);
    const plain = await context.messages(this.askedAgain ?? undefined);
    if (!isAnswerable(plain)) return this.refuse(NOTHING_TO_ANSWER);
    const { messages, added } = await this.heard(plain, signal);
    if (signal?.aborted) return this.cancelled();
    const window = models.effectiveWindow(ref);
    const tokens = Math.max(0, context.figure(ref, overhead, window) + added);
    const oversize = window > 0 && tokens > window;
    if (oversize && !this.sendOversizeOnce) {
      const failure = tooLongFailure(resolved.model.name, tokens, window, await this.scope.roomLeft(ref));
      return signal?.aborted ? this.cancelled() : this.refuse(failure, true);
    }
    this.sendOversizeOnce = false;
    const params = { thinkingLevel: context.thinkingLevel, maxTokens: outputCap(resolved.model.maxTokens, 0, 0) };
    const record = this.state.record(log.tree, head, params);
    if (record) await log.append([record]);
    if (signal?.aborted) return this.cancelled();
    const maxTokens = outputCap(resolved.model.maxTokens, window, tokens);
    const stream = this.scope.transport.stream(
      {
        model: resolved.model,
        context: { systemPrompt, messages, tools },
        options: {
          maxTokens,
          reasoning: resolved.model.reasoning ? reasoningOf(context.thinkingLevel) : undefined,
          apiKey: resolved.apiKey,
          headers: resolved.headers,
          sessionId: log.sessionId,
        },
        limits: defaultLimits(maxTokens),
        proxies: resolved.proxies,
        hooks: requestHooks(this.scope.events, signal),
      },
      signal,
    );
    this.scope.live.startReply(resolved.model.provider, resolved.model.id);
    return toAssistantStream(stream, resolved.model);
  }

  /** What extensions make of the messages of this request (`context`), and what they add to it in raw tokens. */
  private async heard(
    plain: Message[],
    signal: AbortSignal | undefined,
  ): Promise<{ messages: Message[]; added: number }> {
    const { events, context } = this.scope;
    if (!events.has('context')) return { messages: plain, added: 0 };
    const before = context.heard(this.askedAgain ?? undefined);
    const isUsable = (messages: readonly HeardMessage[]): boolean => isAnswerable(context.inWords(messages));
    const after = await askContext(events, before as HeardMessage[], isUsable, signal);
    if (after === null) return { messages: plain, added: 0 };
    return { messages: context.inWords(after), added: rawOf(after) - rawOf(before) };
  }

  private refuse(failure: Failure, oversize = false): Promise<AssistantMessageEventStream> {
    return this.makeUp('error', { failure, oversize });
  }

  private cancelled(): Promise<AssistantMessageEventStream> {
    return this.makeUp('aborted');
  }

  private async makeUp(reason: 'error' | 'aborted', refusal?: Refusal): Promise<AssistantMessageEventStream> {
    const { createAssistantMessageEventStream } = await loadPiAi();
    const stream = createAssistantMessageEventStream();
    const message: AssistantMessage = {
      ...emptyReply(NO_REPLY),
      stopReason: reason,
      errorMessage: refusal?.failure.detail,
    };
    this.madeUp.add(message);
    if (refusal) this.refusals.set(message, refusal);
    stream.push({ type: 'error', reason, error: message });
    stream.end();
    return stream;
  }
}

function isAnswerable(messages: readonly Message[]): boolean {
  return messages.length > 0 && messages.at(-1)?.role !== 'assistant';
}

function rawOf(messages: readonly ProjectedMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateRaw(message), 0);
}

/** Stands where the loop or a made-up reply needs a model; no request ever goes to it. */
export const NO_REPLY: Model<Api> = {
  id: 'none',
  name: 'none',
  api: 'none',
  provider: 'none',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};

const REASONING = new Set<string>(['minimal', 'low', 'medium', 'high', 'xhigh']);

function reasoningOf(level: string): SimpleStreamOptions['reasoning'] {
  return REASONING.has(level) ? (level as SimpleStreamOptions['reasoning']) : undefined;
}
