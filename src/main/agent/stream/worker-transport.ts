import { setImmediate } from 'node:timers/promises';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { failedOutcome, wordsOf } from './failed-reply';
import type {
  DeltaEvent,
  HookNames,
  ProviderOutcome,
  ProviderRequest,
  ProviderStream,
  StreamTransport,
  WorkerCommand,
  WorkerReport,
} from './types';
import { partsOf, takeApart } from '@shared/ipc/long-texts';

/** A `ProviderStream` that is filled from elsewhere: batches in, single events out, one outcome at the end. */
export class DeltaQueue implements ProviderStream {
  private batches: DeltaEvent[][] = [];
  private wake: (() => void) | undefined;
  private outcome: ProviderOutcome | undefined;
  private readonly ended: Promise<ProviderOutcome>;
  private settle: (outcome: ProviderOutcome) => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Adds deltas; ignored after the end. */
  push(deltas: DeltaEvent[]): void {
    if (this.outcome) return;
    this.batches.push(deltas);
    this.wake?.();
  }

  /** Ends the stream; the first call counts. */
  end(outcome: ProviderOutcome): void {
    if (this.outcome) return;
    this.outcome = outcome;
    this.settle(outcome);
    this.wake?.();
  }

  result(): Promise<ProviderOutcome> {
    return this.ended;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<DeltaEvent> {
    for (;;) {
      const batches = this.batches;
      this.batches = [];
      for (const batch of batches) yield* batch;
      if (this.batches.length > 0) continue;
      if (this.outcome) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wake = undefined;
    }
  }
}

/** How the app makes the thread; electron-vite's `?nodeWorker` import is such a function. */
interface WorkerTransportOptions {
  createWorker: (options: WorkerOptions) => Worker;
}

/**
 * Replies leave much short-lived garbage: a small young generation keeps the thread small. Past the old generation's
 * limit the thread dies alone and its replies end as errors. MiB.
 */
const WORKER_OPTIONS: WorkerOptions = {
  name: 'providers',
  resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 1024 },
};

interface Reply {
  id: number;
  queue: DeltaQueue;
  request: ProviderRequest;
  /** The crew that it runs in; another one after its thread died. */
  crew: Crew;
  /** The worker has the whole request. */
  isSent: boolean;
  /** Something of the answer has come: to ask again would say it twice. */
  hasBegun: boolean;
  /** It was running when a thread died. */
  isSuspect: boolean;
}

/** One live worker and the replies that run in it. */
interface Crew {
  worker: Worker;
  replies: Map<number, Reply>;
  /** For one reply alone, which may be what killed the thread before; it ends with it. */
  isQuarantine: boolean;
}

/**
 * Runs providers in a worker thread, started with the first reply. If the thread dies, replies that had not begun are asked
 * for again, each in a thread of its own, so that the one that is to blame can't take the others along twice; the rest end
 * as errors. A session whose reply is asked for again after such an end gets a thread of its own too, and a request that
 * ends two threads is not sent again by itself (WG5).
 */
export function createWorkerTransport({ createWorker }: WorkerTransportOptions): StreamTransport {
  let main: Crew | undefined;
  const crews = new Set<Crew>();
  /** Sessions whose last reply ended with its thread. */
  const suspects = new Set<string>();
  let nextId = 1;
  let closed = false;

  const finish = (reply: Reply): void => {
    reply.crew.replies.delete(reply.id);
    if (reply.crew.isQuarantine) dismiss(reply.crew);
  };

  const dismiss = (crew: Crew): void => {
    crews.delete(crew);
    void crew.worker.terminate();
  };

  const lose = (lost: Crew, reason: string): void => {
    if (!crews.delete(lost)) return;
    if (main === lost) main = undefined;
    const replies = [...lost.replies.values()];
    lost.replies.clear();
    for (const reply of replies) afterDeath(reply, reason);
  };

  const afterDeath = (reply: Reply, reason: string): void => {
    const { queue, request, isSuspect } = reply;
    const session = request.options.sessionId;
    if (isSuspect) {
      if (session !== undefined) suspects.delete(session);
      return queue.end(failedOutcome(request, 'worker-crash-again', reason));
    }
    if (session !== undefined) suspects.add(session);
    reply.isSuspect = true;
    if (reply.hasBegun) return queue.end(failedOutcome(request, 'worker-crash', reason));
    reply.isSent = false;
    place(reply);
  };

  const hire = (isQuarantine: boolean): Crew => {
    const hired: Crew = { worker: createWorker(WORKER_OPTIONS), replies: new Map(), isQuarantine };
    crews.add(hired);
    hired.worker.on('message', (message: WorkerReport) => {
      const reply = hired.replies.get(message.id);
      if (!reply) return;
      if (message.type === 'payload') return void answerPayload(hired, reply, message.payload);
      if (message.type === 'response') return reply.request.hooks?.onResponse?.(message.response);
      if (message.type === 'deltas') {
        reply.hasBegun = true;
        return reply.queue.push(message.deltas);
      }
      const session = reply.request.options.sessionId;
      if (session !== undefined) suspects.delete(session);
      finish(reply);
      reply.queue.end(message.outcome);
    });
    hired.worker.on('error', (error: unknown) => lose(hired, wordsOf(error)));
    hired.worker.on('exit', (code) => lose(hired, `exit code ${code}`));
    return hired;
  };

  const post = (to: Crew, command: WorkerCommand): void => to.worker.postMessage(command);

  /** Whatever comes of it, the worker gets an answer: it waits for one. */
  const answerPayload = async (from: Crew, reply: Reply, payload: unknown): Promise<void> => {
    const { id, request } = reply;
    const changed = await request.hooks?.onPayload?.(payload).catch(() => undefined);
    if (from.replies.get(id) !== reply) return;
    try {
      post(from, { type: 'payload', id, payload: changed });
    } catch {
      post(from, { type: 'payload', id });
    }
  };

  /** In one go, or with long texts in parts before it, between which this thread does other work. */
  const send = async (to: Crew, reply: Reply): Promise<void> => {
    const { id } = reply;
    const request = withoutCode(reply.request);
    let textCount = 0;
    const apart = takeApart(request, () => `${(textCount += 1)}`);
    for (const part of apart ? partsOf(apart) : []) {
      post(to, { type: 'part', id, part });
      await setImmediate();
      if (to.replies.get(id) !== reply) return;
    }
    reply.isSent = true;
    const hears = Object.keys(reply.request.hooks ?? {}) as HookNames;
    if (apart) post(to, { type: 'start', id, request: apart.rest as ProviderRequest, places: apart.places, hears });
    else post(to, { type: 'start', id, request, hears });
  };

  /** Puts a reply into a thread: its own if it may end one. False if there is none, and the reply has failed. */
  const place = (reply: Reply): boolean => {
    const fail = (error: unknown): void => {
      finish(reply);
      reply.queue.end(failedOutcome(reply.request, 'worker-crash', wordsOf(error)));
    };
    try {
      if (reply.isSuspect) reply.crew = hire(true);
      else reply.crew = main ??= hire(false);
    } catch (error) {
      reply.queue.end(failedOutcome(reply.request, 'worker-crash', wordsOf(error)));
      return false;
    }
    reply.crew.replies.set(reply.id, reply);
    void send(reply.crew, reply).catch(fail);
    return true;
  };

  return {
    stream(request, signal) {
      const queue = new DeltaQueue();
      if (closed || signal?.aborted) {
        queue.end(failedOutcome(request, 'aborted'));
        return queue;
      }
      const isSuspect = request.options.sessionId !== undefined && suspects.has(request.options.sessionId);
      const reply = { id: nextId++, queue, request, isSent: false, hasBegun: false, isSuspect } as Reply;
      const onAbort = (): void => {
        post(reply.crew, { type: 'abort', id: reply.id });
        if (reply.isSent || !reply.crew.replies.has(reply.id)) return;
        finish(reply);
        queue.end(failedOutcome(request, 'aborted'));
      };
      if (!place(reply)) return queue;
      signal?.addEventListener('abort', onAbort, { once: true });
      void queue.result().then(() => signal?.removeEventListener('abort', onAbort));
      return queue;
    },
    async close() {
      closed = true;
      main = undefined;
      const last = [...crews];
      crews.clear();
      for (const { replies } of last) {
        for (const { queue, request } of replies.values()) queue.end(failedOutcome(request, 'aborted'));
        replies.clear();
      }
      await Promise.all(last.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Functions can't be cloned: of a tool goes what a provider is told. */
function withoutCode(request: ProviderRequest): ProviderRequest {
  const tools = request.context.tools?.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const { hooks: _, ...plain } = request;
  return { ...plain, context: { ...request.context, tools } };
}
