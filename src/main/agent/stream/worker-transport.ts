import { setImmediate } from 'node:timers/promises';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { partsOf, takeApart } from '@shared/ipc/long-texts';
import { DeltaQueue } from './delta-queue';
import { failedOutcome } from './failed-outcome';
import type { ProviderRequest, StreamTransport, WorkerCommand, WorkerReport } from './types';

/** How the app makes the thread; electron-vite's `?nodeWorker` import is such a function. */
export interface WorkerTransportOptions {
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
  queue: DeltaQueue;
  request: ProviderRequest;
  /** The worker has the whole request. */
  isSent: boolean;
}

/** One live worker and the replies that run in it. */
interface Crew {
  worker: Worker;
  replies: Map<number, Reply>;
}

/**
 * Runs providers in a worker thread, started with the first reply. If the thread dies its replies end as errors and the
 * next reply starts a new one.
 */
export function createWorkerTransport({ createWorker }: WorkerTransportOptions): StreamTransport {
  let crew: Crew | undefined;
  let nextId = 1;
  let closed = false;

  const lose = (lost: Crew, reason: string): void => {
    if (crew === lost) crew = undefined;
    for (const { queue, request } of lost.replies.values()) queue.end(failedOutcome(request, 'worker-crash', reason));
    lost.replies.clear();
  };

  const hire = (): Crew => {
    const hired: Crew = { worker: createWorker(WORKER_OPTIONS), replies: new Map() };
    hired.worker.on('message', (message: WorkerReport) => {
      const queue = hired.replies.get(message.id)?.queue;
      if (message.type === 'deltas') return queue?.push(message.deltas);
      hired.replies.delete(message.id);
      queue?.end(message.outcome);
    });
    hired.worker.on('error', (error: unknown) => lose(hired, error instanceof Error ? error.message : String(error)));
    hired.worker.on('exit', (code) => lose(hired, `exit code ${code}`));
    return hired;
  };

  const post = (to: Crew, command: WorkerCommand): void => to.worker.postMessage(command);

  /** In one go, or with long texts in parts before it, between which this thread does other work. */
  const send = async (to: Crew, id: number, reply: Reply): Promise<void> => {
    const request = withoutCode(reply.request);
    let textCount = 0;
    const apart = takeApart(request, () => `${(textCount += 1)}`);
    for (const part of apart ? partsOf(apart) : []) {
      post(to, { type: 'part', id, part });
      await setImmediate();
      if (to.replies.get(id) !== reply) return;
    }
    reply.isSent = true;
    if (apart) post(to, { type: 'start', id, request: apart.rest as ProviderRequest, places: apart.places });
    else post(to, { type: 'start', id, request });
  };

  return {
    stream(request, signal) {
      const queue = new DeltaQueue();
      if (closed || signal?.aborted) {
        queue.end(failedOutcome(request, 'aborted'));
        return queue;
      }
      const id = nextId++;
      const reply: Reply = { queue, request, isSent: false };
      let own: Crew;
      try {
        own = crew ??= hire();
      } catch (error) {
        queue.end(failedOutcome(request, 'worker-crash', reasonOf(error)));
        return queue;
      }
      own.replies.set(id, reply);
      void send(own, id, reply).catch((error: unknown) => {
        own.replies.delete(id);
        queue.end(failedOutcome(request, 'worker-crash', reasonOf(error)));
      });
      const onAbort = (): void => {
        post(own, { type: 'abort', id });
        if (reply.isSent || !own.replies.delete(id)) return;
        queue.end(failedOutcome(request, 'aborted'));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      void queue.result().then(() => signal?.removeEventListener('abort', onAbort));
      return queue;
    },
    async close() {
      closed = true;
      const last = crew;
      crew = undefined;
      if (!last) return;
      for (const { queue, request } of last.replies.values()) queue.end(failedOutcome(request, 'aborted'));
      last.replies.clear();
      await last.worker.terminate();
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Functions can't be cloned: of a tool goes what a provider is told. */
function withoutCode(request: ProviderRequest): ProviderRequest {
  const tools = request.context.tools?.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { ...request, context: { ...request.context, tools } };
}
