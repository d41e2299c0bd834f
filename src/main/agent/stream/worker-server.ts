import type { MessagePort } from 'node:worker_threads';
import { TextParts } from '../../text-parts';
import { failedOutcome, wordsOf } from './failed-reply';
import { runProvider } from './run-provider';
import type {
  DeltaEvent,
  HookNames,
  ProviderOutcome,
  ProviderRequest,
  RequestHooks,
  WorkerCommand,
  WorkerReport,
} from './types';
import { currentGuard } from './wire-guard';

/** One frame at 60 Hz. */
const BATCH_MS = 16;

/** Collects deltas, joins neighbours of the same block, and hands them on at most once a frame. */
export class DeltaBatcher {
  private batch: DeltaEvent[] = [];
  private pieces: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private lastFlush = 0;

  constructor(private readonly send: (deltas: DeltaEvent[]) => void) {}

  /** Adds an event; the first after a pause goes out at once, so that the first token isn't delayed. */
  push(event: DeltaEvent): void {
    if (!this.joinWithLast(event)) {
      this.closeLast();
      this.batch.push(event);
      if ('delta' in event) this.pieces = [event.delta];
    }
    if (this.timer) return;
    const wait = BATCH_MS - (performance.now() - this.lastFlush);
    if (wait <= 0) this.flush();
    else this.timer = setTimeout(() => this.flush(), wait);
  }

  /** Sends what there is; called once more at the end. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.closeLast();
    if (this.batch.length === 0) return;
    const deltas = this.batch;
    this.batch = [];
    this.lastFlush = performance.now();
    this.send(deltas);
  }

  private joinWithLast(event: DeltaEvent): boolean {
    const last = this.batch.at(-1);
    if (!last || !('delta' in event) || last.type !== event.type) return false;
    if (!('contentIndex' in last) || last.contentIndex !== event.contentIndex) return false;
    this.pieces.push(event.delta);
    return true;
  }

  private closeLast(): void {
    const last = this.batch.at(-1);
    if (last && 'delta' in last && this.pieces.length > 1) {
      this.batch[this.batch.length - 1] = { ...last, delta: this.pieces.join('') };
    }
    this.pieces = [];
  }
}

/** A reply that runs in this thread; its request was read whole. */
interface Running {
  controller: AbortController;
  /** What went wrong with it on our side; the reply ends as that. */
  fault?: string;
  /** Takes what is sent in place of the request. */
  answer?: (payload: unknown) => void;
}

/**
 * The worker's side: starts and aborts replies as told, reports deltas once a frame and the outcome at the end. What goes
 * wrong with one reply ends that reply: nothing in here rejects or throws to the top of the thread.
 */
export function serveProviders(port: MessagePort): void {
  const running = new Map<number, Running>();
  /** Long texts of requests that are on their way. */
  const coming = new Map<number, TextParts>();
  const report = (message: WorkerReport): void => port.postMessage(message);

  /** Hooks that ask main, as far as somebody listens there. */
  const hooksFor = (id: number, reply: Running, hears: HookNames): RequestHooks => ({
    ...(hears.includes('onPayload') && {
      onPayload: (payload) =>
        new Promise((resolve) => {
          reply.answer = resolve;
          reply.controller.signal.addEventListener('abort', () => resolve(undefined), { once: true });
          report({ type: 'payload', id, payload: plain(payload) });
        }),
    }),
    ...(hears.includes('onResponse') && { onResponse: (response) => report({ type: 'response', id, response }) }),
  });

  const start = async (id: number, asked: ProviderRequest, hears: HookNames = []): Promise<void> => {
    const reply: Running = { controller: new AbortController() };
    const request = { ...asked, hooks: hooksFor(id, reply, hears) };
    running.set(id, reply);
    const batcher = new DeltaBatcher((deltas) => {
      try {
        report({ type: 'deltas', id, deltas });
      } catch (error) {
        reply.fault ??= wordsOf(error);
        reply.controller.abort();
      }
    });
    let outcome: ProviderOutcome;
    try {
      outcome = await runProvider(request, reply.controller.signal, (event) => batcher.push(event));
    } catch (error) {
      outcome = failedOutcome(request, 'reply-fault', wordsOf(error));
    }
    batcher.flush();
    running.delete(id);
    if (reply.fault !== undefined) outcome = failedOutcome(request, 'reply-fault', reply.fault);
    try {
      report({ type: 'end', id, outcome });
    } catch (error) {
      report({ type: 'end', id, outcome: failedOutcome(request, 'reply-fault', wordsOf(error)) });
    }
  };

  const take = (command: WorkerCommand): void => {
    const { id } = command;
    const texts = coming.get(id) ?? new TextParts(Infinity);
    if (command.type === 'part') {
      texts.take(command.part);
      coming.set(id, texts);
      return;
    }
    coming.delete(id);
    if (command.type === 'abort') running.get(id)?.controller.abort();
    else if (command.type === 'payload') running.get(id)?.answer?.(command.payload);
    else void start(id, texts.putBack(command.request, command.places) as ProviderRequest, command.hears);
  };

  port.on('message', (command: WorkerCommand) => {
    try {
      take(command);
    } catch (error) {
      if (command.type !== 'start') return;
      report({ type: 'end', id: command.id, outcome: failedOutcome(command.request, 'reply-fault', wordsOf(error)) });
    }
  });
}

/** As JSON has it: some SDKs put signals and functions beside what they send. */
function plain(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload)) as unknown;
}

/**
 * Keeps what one reply throws where nobody catches it (a timer or a socket's event inside of an SDK, a promise that nobody
 * waits for) from ending the thread with all the others. The request whose code it was fails; node keeps the async context
 * in both events. A promise of no request leaves nothing undone; an exception of no request is let through, and the thread
 * ends: nobody knows what state it left behind.
 */
export function boundStrayErrors(): void {
  process.on('unhandledRejection', (reason) => void failCurrent(reason));
  process.on('uncaughtException', (error) => {
    if (!failCurrent(error)) throw error;
  });
}

function failCurrent(thrown: unknown): boolean {
  const guard = currentGuard();
  guard?.fail('reply-fault', `(${wordsOf(thrown)})`);
  return guard !== undefined;
}
