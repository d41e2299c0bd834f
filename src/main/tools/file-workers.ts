import type { Worker, WorkerOptions } from 'node:worker_threads';
import { FILE_WORK_QUEUE_MS, FILE_WORK_TIMEOUT_MS, FILE_WORKER_HEAP_MB } from '@shared/limits';
import { CHANGE_UNSURE, STOPPED_BEFORE_CHANGE } from '@shared/policy/call-outcome';
import type { FileJob, FileJobs, FileReport } from './file-work';

export interface JobOptions {
  signal?: AbortSignal;
  /** Milliseconds; default 20 s. */
  timeoutMs?: number;
  /** What the window asks for, while a person types: it does not wait for the tools. */
  isForWindow?: boolean;
}

/** Work on files away from main's event loop: a stuck job is ended with its thread. */
export interface FileWorkers {
  /**
   * Does one job. Rejects with a plain message when it fails, takes too long, is stopped, or its thread dies. A change that
   * has begun is not cut off by a stop.
   */
  run<K extends keyof FileJobs>(
    kind: K,
    params: FileJobs[K]['params'],
    options?: JobOptions,
  ): Promise<FileJobs[K]['answer']>;
  /** Ends all threads; jobs that wait or run are stopped. */
  close(): Promise<void>;
}

const WORKER_OPTIONS: WorkerOptions = {
  name: 'files',
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: FILE_WORKER_HEAP_MB, maxYoungGenerationSizeMb: 16 },
};
/** Threads for the tools; one more is there for the window. */
const MAX_TOOL_WORKERS = 2;
/** With those on their way out: one that hangs in a call of the system can't be ended. */
const MAX_WORKERS = 8;
/** A thread that had nothing to do for so long is let go of: each weighs some 10 MB. */
const IDLE_MS = 60_000;

const TOO_LONG =
  'This took too long and was ended. Nothing was changed. Ask for less at once, or name a narrower path.';
const NOT_ANSWERING =
  'Files on this computer are not answering: earlier work on them still hangs. Nothing was changed.';
const NO_MEMORY = 'This needs more memory than work on files may take, so it was ended. Nothing was changed.';

interface Job {
  command: FileJob;
  timeoutMs: number;
  isForWindow: boolean;
  settle(end: { answer: unknown } | { error: Error }): void;
}

/** One thread. */
interface Hand {
  worker: Worker;
  job: Job | null;
  /** The result if the job were ended now. */
  interim: { answer: unknown } | null;
  isCommitting: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Threads are started when there is work for them, and again after one was ended. */
export function createFileWorkers(createWorker: (options: WorkerOptions) => Worker): FileWorkers {
  const hands = new Set<Hand>();
  const ending = new Set<Hand>();
  const waiting: { job: Job; timer: NodeJS.Timeout }[] = [];
  let isClosed = false;

  const end = (hand: Hand): Promise<unknown> => {
    clearTimeout(hand.timer);
    if (!hands.delete(hand)) return Promise.resolve();
    ending.add(hand);
    return hand.worker.terminate().finally(() => {
      ending.delete(hand);
      next();
    });
  };

  const settle = (hand: Hand, how: { answer: unknown } | { error: Error }): void => {
    const { job } = hand;
    hand.job = null;
    hand.interim = null;
    hand.isCommitting = false;
    clearTimeout(hand.timer);
    job?.settle(how);
  };

  const onReport = (hand: Hand, report: FileReport): void => {
    if (!hand.job) return;
    if (report.type === 'interim') {
      hand.interim = { answer: report.answer };
      return;
    }
    if (report.type === 'committing') {
      hand.isCommitting = true;
      return;
    }
    settle(hand, report.type === 'done' ? { answer: report.answer } : { error: new Error(report.message) });
    hand.timer = setTimeout(() => void end(hand), IDLE_MS);
    hand.timer.unref();
    next();
  };

  const lose = (hand: Hand, error?: unknown): void => {
    hands.delete(hand);
    ending.delete(hand);
    const isMemory = (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const reason = isMemory
      ? NO_MEMORY
      : `The work on files failed: ${error instanceof Error ? error.message : 'its thread ended'}.`;
    settle(hand, { error: new Error(hand.isCommitting ? CHANGE_UNSURE : reason) });
    next();
  };

  const hire = (): Hand => {
    const hand: Hand = { worker: createWorker(WORKER_OPTIONS), job: null, interim: null, isCommitting: false, timer: undefined }; // prettier-ignore
    hand.worker.on('message', (report: FileReport) => onReport(hand, report));
    hand.worker.on('error', (error: unknown) => lose(hand, error));
    hand.worker.on('exit', () => lose(hand));
    // A thread must not keep a process alive that has nothing else to do.
    hand.worker.unref();
    hands.add(hand);
    return hand;
  };

  const start = (job: Job): void => {
    const hand = [...hands].find((idle) => !idle.job) ?? hire();
    clearTimeout(hand.timer);
    hand.job = job;
    hand.timer = setTimeout(() => {
      const { interim, isCommitting } = hand;
      void end(hand);
      settle(hand, interim ?? { error: new Error(isCommitting ? CHANGE_UNSURE : TOO_LONG) });
    }, job.timeoutMs);
    hand.worker.postMessage(job.command);
  };

  const next = (): void => {
    for (const entry of [...waiting]) {
      const busy = [...hands].filter(({ job }) => job && !job.isForWindow).length;
      const isFull = hands.size + ending.size >= MAX_WORKERS && ![...hands].some(({ job }) => !job);
      if (isFull || (!entry.job.isForWindow && busy >= MAX_TOOL_WORKERS)) continue;
      waiting.splice(waiting.indexOf(entry), 1);
      clearTimeout(entry.timer);
      start(entry.job);
    }
  };

  const drop = (job: Job, message: string): void => {
    const at = waiting.findIndex((entry) => entry.job === job);
    if (at >= 0) clearTimeout(waiting.splice(at, 1)[0]?.timer);
    const hand = [...hands].find((candidate) => candidate.job === job);
    // What began to change a file is seen to its end.
    if (hand?.isCommitting) return;
    if (hand) void end(hand);
    if (hand) settle(hand, { error: new Error(message) });
    else if (at >= 0) job.settle({ error: new Error(message) });
  };

  return {
    run<K extends keyof FileJobs>(kind: K, params: FileJobs[K]['params'], options: JobOptions = {}) {
      const { signal, timeoutMs = FILE_WORK_TIMEOUT_MS, isForWindow = false } = options;
      return new Promise<FileJobs[K]['answer']>((resolve, reject) => {
        if (isClosed || signal?.aborted) return reject(new Error(STOPPED_BEFORE_CHANGE));
        const onAbort = (): void => drop(job, STOPPED_BEFORE_CHANGE);
        const job: Job = {
          command: { kind, ...params } as FileJob,
          timeoutMs,
          isForWindow,
          settle: (how) => {
            signal?.removeEventListener('abort', onAbort);
            if ('error' in how) reject(how.error);
            else resolve(how.answer as FileJobs[K]['answer']);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        const timer = setTimeout(() => drop(job, NOT_ANSWERING), FILE_WORK_QUEUE_MS);
        waiting.push({ job, timer });
        next();
      });
    },
    async close() {
      isClosed = true;
      for (const { job } of [...waiting]) drop(job, STOPPED_BEFORE_CHANGE);
      const all = [...hands];
      await Promise.all(
        all.map((hand) => {
          const ended = end(hand);
          settle(hand, { error: new Error(hand.isCommitting ? CHANGE_UNSURE : STOPPED_BEFORE_CHANGE) });
          return ended;
        }),
      );
    },
  };
}
