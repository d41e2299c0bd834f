import { isRecord } from '@shared/checks';
import { failedOutcome, FAILURE_TEXTS, hideKeys, wordsOf } from '../../agent/stream/failed-reply';
import { MAX_ARGUMENT_BYTES, sealToolCalls } from '../../agent/stream/seal-tool-calls';
import { cutToRecord, ReplyDoor } from '../../agent/stream/sound-reply';
import type {
  DeltaEvent,
  ProviderOutcome,
  ProviderRequest,
  ProviderStream,
  StreamTransport,
  WireFailureKind,
} from '../../agent/stream/types';
import { DeltaQueue } from '../../agent/stream/worker-transport';
import type { AssistantMessage } from '../../pi/pi-types';
import type { WireStream } from '../process/wire';

/** Streams a reply with code of an extension. Rejects with what that throws. */
export type StreamCode = (
  request: WireStream,
  how: { signal: AbortSignal; onEvents: (events: unknown) => void },
) => Promise<unknown>;

/**
 * A transport that has replies of some providers streamed by the extensions that bring them (EX25); all others go the usual way.
 * @param find whose code streams for a provider, in a session if one is known; null: nobody's
 */
export function withExtensionStreams(
  transport: StreamTransport,
  find: (provider: string, sessionId: string | undefined) => StreamCode | null,
): StreamTransport {
  return {
    ...transport,
    stream(request, signal) {
      const code = find(request.model.provider, request.options.sessionId);
      return code ? streamed(code, request, signal) : transport.stream(request, signal);
    },
  };
}

function streamed(code: StreamCode, request: ProviderRequest, signal: AbortSignal | undefined): ProviderStream {
  const queue = new DeltaQueue();
  if (signal?.aborted) queue.end(failedOutcome(request, 'aborted'));
  else void new Reply(request, queue, signal).run(code);
  return queue;
}

/** One reply: what comes is checked, bounded and timed as if it came over a wire of ours. */
class Reply {
  private readonly controller = new AbortController();
  private readonly door: ReplyDoor;
  private readonly rawArguments = new Map<number, string>();
  private failure: WireFailureKind | undefined;
  private timer: NodeJS.Timeout | undefined;
  private bytes = 0;
  private isOver = false;
  private readonly startedAt = Date.now();

  constructor(
    private readonly request: ProviderRequest,
    private readonly queue: DeltaQueue,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.door = new ReplyDoor(request.model, new Set(request.context.tools?.map(({ name }) => name)));
  }

  async run(code: StreamCode): Promise<void> {
    const { request, caller, controller } = this;
    const stop = (): void => controller.abort();
    caller?.addEventListener('abort', stop, { once: true });
    this.wait(request.limits.firstByteTimeoutMs, 'first-byte-timeout');
    const { model, context, options } = request;
    const tools = context.tools?.map(({ name, description, parameters }) => ({ name, description, parameters }));
    const asked = { provider: model.provider, model, context: { ...context, tools }, options: { ...options } };
    let outcome: ProviderOutcome;
    try {
      const onEvents = (events: unknown): void => this.take(events);
      outcome = this.finish(await code(asked, { signal: controller.signal, onEvents }));
    } catch (error) {
      outcome = this.failed(wordsOf(error));
    }
    this.isOver = true;
    clearTimeout(this.timer);
    caller?.removeEventListener('abort', stop);
    this.queue.end(outcome);
  }

  private take(events: unknown): void {
    if (this.isOver || this.failure || !Array.isArray(events)) return;
    const { limits } = this.request;
    const deltas = events.flatMap((event) => this.delta(event) ?? []);
    if (this.bytes > limits.maxBytes) return this.fail('too-many-bytes');
    if (limits.totalTimeoutMs !== undefined && Date.now() - this.startedAt > limits.totalTimeoutMs)
      return this.fail('total-timeout');
    this.wait(limits.idleTimeoutMs, 'idle-timeout');
    if (deltas.length > 0) this.queue.push(deltas);
  }

  /** An event of the types that it says it has; null: it is none. */
  private delta(event: unknown): DeltaEvent | null {
    if (!isRecord(event)) return null;
    const { type, contentIndex, delta, toolCall } = event;
    if (type === 'start') return { type };
    if (typeof contentIndex !== 'number' || !Number.isInteger(contentIndex) || contentIndex < 0) return null;
    if (contentIndex > MAX_BLOCKS) return (this.fail('too-many-bytes'), null);
    switch (type) {
      case 'text_start':
      case 'thinking_start':
      case 'text_end':
      case 'thinking_end':
        return { type, contentIndex };
      case 'text_delta':
      case 'thinking_delta':
      case 'toolcall_delta':
        if (typeof delta !== 'string') return null;
        this.bytes += delta.length;
        if (type === 'toolcall_delta') this.keepRaw(contentIndex, delta);
        return { type, contentIndex, delta };
      case 'toolcall_start': {
        const { id, name } = this.door.call({ id: event.id, name: event.name }, contentIndex);
        return { type, contentIndex, id, name };
      }
      case 'toolcall_end':
        return { type, contentIndex, toolCall: this.door.call(isRecord(toolCall) ? toolCall : {}, contentIndex) };
      default:
        return null;
    }
  }

  private keepRaw(index: number, delta: string): void {
    const raw = this.rawArguments.get(index) ?? '';
    // One piece past the bound is kept: enough for the call to be refused.
    if (raw.length <= MAX_ARGUMENT_BYTES) this.rawArguments.set(index, raw + delta);
  }

  private finish(given: unknown): ProviderOutcome {
    if (this.failure) return this.failed('');
    const message = this.door.message((isRecord(given) ? given : {}) as unknown as AssistantMessage);
    if (this.caller?.aborted) Object.assign(message, { stopReason: 'aborted', errorMessage: 'Request was aborted' });
    if (cutToRecord(message)) Object.assign(message, error(FAILURE_TEXTS['too-many-bytes']));
    if (message.errorMessage !== undefined)
      message.errorMessage = hideKeys(message.errorMessage.slice(0, MAX_ERROR_CHARS), this.request);
    return { message, wire: NO_WIRE, sealed: this.sealed(message) };
  }

  /** Arguments that were not streamed are its word; what was streamed of them has to be whole. */
  private sealed(message: AssistantMessage): ProviderOutcome['sealed'] {
    const rawArguments = new Map(this.rawArguments);
    message.content.forEach((block, index) => {
      if (block.type === 'toolCall' && !rawArguments.has(index))
        rawArguments.set(index, JSON.stringify(block.arguments));
    });
    const { nameless } = this.door;
    return sealToolCalls(message, {
      ...{ rawArguments, finalArguments: new Map(), nameless },
      ...{ endSeen: true, lateToolCalls: false },
    });
  }

  private failed(words: string): ProviderOutcome {
    const { request, failure } = this;
    if (this.caller?.aborted) return failedOutcome(request, 'aborted');
    if (failure) return failedOutcome(request, failure);
    const { message } = failedOutcome(request, 'aborted');
    return {
      message: { ...message, ...error(hideKeys(words.slice(0, MAX_ERROR_CHARS), request)) },
      wire: NO_WIRE,
      sealed: {},
    };
  }

  private wait(ms: number, kind: WireFailureKind): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fail(kind), ms);
    this.timer.unref();
  }

  private fail(kind: WireFailureKind): void {
    this.failure ??= kind;
    this.controller.abort();
  }
}

const MAX_BLOCKS = 10_000;
const MAX_ERROR_CHARS = 4_000;
const NO_WIRE = {
  ...{ used: false, status: null, contentType: null, retryAfterMs: null },
  ...{ endSeen: false, bytes: 0, longestLine: 0 },
};

function error(errorMessage: string) {
  return { stopReason: 'error' as const, errorMessage: errorMessage || 'It failed without a message.' };
}
