import { registerDemoProvider } from '../../models/demo/provider';
import { loadPiAi, type PiAi } from '../../pi/pi';
import type { AssistantMessage, AssistantMessageEvent, SimpleStreamOptions } from '../../pi/pi-types';
import { failedOutcome, wordsOf } from './failed-reply';
import { finishOutcome } from './finish-outcome';
import { MAX_ARGUMENT_BYTES } from './seal-tool-calls';
import { ReplyDoor } from './sound-reply';
import { installProxyEnvironment, installRuntimeShims } from './thread-environment';
import type { DeltaEvent, ProviderOutcome, ProviderRequest } from './types';
import { currentGuard, installFetchGuard, WireGuard } from './wire-guard';
import { wellFormed } from '@shared/cut-text';

/** Registers an api of our own beside pi-ai's, in the thread where providers run. */
type ProviderRegistration = (pi: PiAi) => void;

/** Apis that pi-ai doesn't bring: the demo model. */
export const extraProviders: ProviderRegistration[] = [registerDemoProvider];

/** After an abort pi-ai gets this long to end its stream by itself; then the reply ends without it. */
const ABORT_GRACE_MS = 500;

let prepared: Promise<PiAi> | undefined;

/** Loads pi-ai once a thread, with the fetch guard beneath it and our own apis beside it. */
function preparePiAi(): Promise<PiAi> {
  prepared ??= (async () => {
    installRuntimeShims();
    installFetchGuard();
    installProxyEnvironment(() => currentGuard()?.proxies.library);
    const pi = await loadPiAi();
    for (const register of extraProviders) register(pi);
    return pi;
  })();
  return prepared;
}

/**
 * Runs one reply from request to outcome in this thread, handing on its deltas. Never rejects: what fails becomes an
 * `error` (or `aborted`) message.
 */
export async function runProvider(
  request: ProviderRequest,
  signal: AbortSignal | undefined,
  emit: (event: DeltaEvent) => void,
): Promise<ProviderOutcome> {
  let pi: PiAi;
  try {
    pi = await preparePiAi();
  } catch (error) {
    return failedOutcome(request, 'worker-crash', wordsOf(error));
  }
  const guard = new WireGuard(request.model.api, request.limits, signal, pi.parseJsonWithRepair, request.proxies);
  const door = new ReplyDoor(request.model, new Set(request.context.tools?.map(({ name }) => name)));
  const reply = new ReplyCollector(emit, guard, door);
  let thrown: string | undefined;
  try {
    // Inside of the guard as a whole, so that whatever is thrown there is known to be of this request.
    const consumed = guard.run(() => reply.consume(startStream(pi, request, guard)));
    await Promise.race([consumed, abandoned(guard.signal)]);
  } catch (error) {
    thrown = wordsOf(error);
  }
  reply.closed = true;
  guard.dispose();
  const callerAborted = signal?.aborted ?? false;
  try {
    return finishOutcome({ request, guard, callerAborted, pi, door, thrown, ...reply.take() });
  } catch (error) {
    return failedOutcome(request, 'reply-fault', wordsOf(error));
  }
}

function startStream(pi: PiAi, request: ProviderRequest, guard: WireGuard): AsyncIterable<AssistantMessageEvent> {
  return pi.streamSimple(request.model, wellFormed(request.context), {
    ...request.options,
    signal: guard.signal,
    maxRetries: 0,
    // Later than the guard's own limit, so that the guard's plain words win.
    timeoutMs: request.limits.firstByteTimeoutMs + 5_000,
    transport: 'sse',
    ...hooksOf(request),
  });
}

/** What hears of the request and its answer. A hook that fails leaves the request as it was. */
function hooksOf({ hooks }: ProviderRequest): Pick<SimpleStreamOptions, 'onPayload' | 'onResponse'> {
  const { onPayload, onResponse } = hooks ?? {};
  return {
    ...(onPayload && { onPayload: (payload) => onPayload(payload).catch(() => undefined) }),
    ...(onResponse && { onResponse: ({ status, headers }) => onResponse({ status, headers: { ...headers } }) }),
  };
}

function abandoned(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wait = (): void => void setTimeout(resolve, ABORT_GRACE_MS).unref();
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}

/** Reads pi-ai's events: deltas out, raw call arguments and the last known message kept. */
class ReplyCollector {
  closed = false;
  private readonly rawPieces = new Map<number, { bytes: number; pieces: string[] }>();
  private latest: AssistantMessage | undefined;
  private final: AssistantMessage | undefined;

  constructor(
    private readonly emit: (event: DeltaEvent) => void,
    private readonly guard: WireGuard,
    private readonly door: ReplyDoor,
  ) {}

  async consume(stream: AsyncIterable<AssistantMessageEvent>): Promise<void> {
    for await (const event of stream) {
      if (this.closed) return;
      this.guard.noteEvent();
      if (event.type === 'done') this.final = event.message;
      else if (event.type === 'error') this.final = event.error;
      else this.pass(event);
    }
  }

  take(): { final?: AssistantMessage; latest?: AssistantMessage; rawArguments: Map<number, string> } {
    const rawArguments = new Map([...this.rawPieces].map(([index, { pieces }]) => [index, pieces.join('')]));
    return { final: this.final, latest: this.latest, rawArguments };
  }

  private pass(event: Exclude<AssistantMessageEvent, { type: 'done' | 'error' }>): void {
    this.latest = event.partial;
    // On a wire whose events are not checked, pi-ai hands on what the JSON held; a text is joined and cut behind here.
    if ('delta' in event && typeof event.delta !== 'string') {
      this.closed = true;
      throw this.guard.fail('bad-reply');
    }
    switch (event.type) {
      case 'start':
        return this.emit({ type: 'start' });
      case 'text_start':
      case 'thinking_start':
      case 'text_end':
      case 'thinking_end':
        return this.emit({ type: event.type, contentIndex: event.contentIndex });
      case 'toolcall_start': {
        const block = event.partial.content[event.contentIndex];
        const { id, name } = this.door.call(block?.type === 'toolCall' ? { ...block } : {}, event.contentIndex);
        return this.emit({ type: 'toolcall_start', contentIndex: event.contentIndex, id, name });
      }
      case 'toolcall_delta':
        this.keepRaw(event.contentIndex, event.delta);
        return this.emit({ type: event.type, contentIndex: event.contentIndex, delta: event.delta });
      case 'text_delta':
      case 'thinking_delta':
        return this.emit({ type: event.type, contentIndex: event.contentIndex, delta: event.delta });
      case 'toolcall_end':
        return this.emit({
          type: 'toolcall_end',
          contentIndex: event.contentIndex,
          toolCall: this.door.call({ ...event.toolCall }, event.contentIndex),
        });
    }
  }

  private keepRaw(index: number, delta: string): void {
    const raw = this.rawPieces.get(index) ?? { bytes: 0, pieces: [] };
    this.rawPieces.set(index, raw);
    // One piece past the cap is kept: enough for sealing to refuse the call.
    if (raw.bytes > MAX_ARGUMENT_BYTES) return;
    raw.bytes += delta.length;
    raw.pieces.push(delta);
  }
}
