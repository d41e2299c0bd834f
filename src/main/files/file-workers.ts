import { FILE_WORK_QUEUE_MS, FILE_WORK_TIMEOUT_MS } from '@shared/limits';
import { CHANGE_UNSURE, EndedCall, STOPPED_BEFORE_CHANGE } from '@shared/policy/call-outcome';
import type { FileJob, FileJobs, FileReport } from './file-work';
import { mountOf } from '../places/mounts';
import { isAtOrBelow } from '../places/protected-paths';

interface JobOptions {
  signal?: AbortSignal;
  /** Milliseconds; default 20 s. */
  timeoutMs?: number;
  /** `window`: what a person waits for while they type. `looks`: what main itself wants to know of a folder. `picked`: files that a person picked. None waits for the tools. */
  lane?: Lane;
  /** Whose tools ask: those of one session never take all the hands. */
  sessionId?: string;
}

type Lane = 'tools' | 'window' | 'looks' | 'picked';

/** A process for one job at a time, or a thread that does for one. */
export interface FileHand {
  postMessage(job: unknown): void;
  on(event: 'message', listener: (report: FileReport) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  /** At once, whatever it does. What hangs in the system may go on for ever, and says so by no `exit`. */
  terminate(): unknown;
  /** It must not keep a process alive that has nothing else to do. */
  unref(): void;
}

/** The folder does not answer: what was sent there earlier still hangs in the system, or now this did. */
export class SilentFolder extends Error {}

/** Work on files away from main, its event loop and its pool of threads: a stuck job is ended with its process. */
export interface FileWorkers {
  /**
   * Does one job in a folder. Rejects with a plain message when it fails, takes too long, is stopped, or its process dies; with a `SilentFolder`
   * where an earlier one still hangs. A change that has begun is not cut off by a stop.
   */
  run<K extends keyof FileJobs>(
    kind: K,
    params: FileJobs[K]['params'],
    options?: JobOptions,
  ): Promise<FileJobs[K]['answer']>;
  /** Whether something that was sent to this folder, or to what is mounted there, was ended and still hangs. */
  isStuck(folder: string): boolean;
  /** Ends all of them; jobs that wait or run are stopped. What hangs is left behind. */
  close(): Promise<void>;
}

/** Jobs at a time. Three folders may hang without delaying a look at a fourth, two sessions without delaying a third. */
const MOST: Record<Lane, number> = { tools: 6, window: 1, looks: 4, picked: 4 };
/** Of the tools of one session. */
const MOST_OF_SESSION = 2;
/** With those on their way out: one that hangs in a call of the system can't be ended. */
const MAX_WORKERS = 20;
/** One that had nothing to do for so long is let go of: each weighs some 30 MB. */
const IDLE_MS = 60_000;
/**
 * A look takes milliseconds, a process a quarter of a second of the processor to start: looks wait for one that is on its way, but no longer
 * than this, …
 */
const FRESH_MS = 2_000;
/** … and once it began its first job no longer than this: that folder may be one that hangs. */
const FIRST_MS = 200;
/** A new process takes up its first job by then, on a machine that has much else to do: that tells nothing of a folder. */
const START_MS = 30_000;
/** A process that was ended is gone by then, unless it hangs in the system. */
const ENDED_MS = 500;

const TOO_LONG =
  'This took too long and was ended. Nothing was changed. Ask for less at once, or name a narrower path.';
const NOT_ANSWERING =
  'Files on this computer are not responding: earlier work on them is still waiting. Nothing was changed.';
const NOT_STARTED = 'The process that works on files did not start in time. Nothing was changed. Try again.';
const NO_MEMORY = 'This needs more memory than work on files may take, so it was ended. Nothing was changed.';

const SILENT =
  'This folder is not responding: earlier work in it is still waiting. It may be on a network drive or a disk that is gone. Nothing was changed.';

interface Job {
  command: FileJob;
  /** What is asked: a folder, or a file that a person picked. */
  folder: string;
  /** What one of a lane is sent to at a time: a look's folder, and of a picked file all that is mounted there. */
  place: string;
  timeoutMs: number;
  lane: Lane;
  sessionId: string | undefined;
  settle(end: { answer: unknown } | { error: Error }): void;
}

/** One process. */
interface Hand {
  worker: FileHand;
  job: Job | null;
  /** Where it was at work when it was ended, if it is not gone: the mount point where that is known. */
  stuckAt: string | null;
  /** The same while it is not known yet whether it is gone: nothing else is sent there until then. */
  leftAt: string | null;
  /** The result if the job were ended now. */
  interim: { answer: unknown } | null;
  isCommitting: boolean;
  /** Whether its job was taken up. */
  hasBegun: boolean;
  /** Set while it may be free in a moment: it was just sent for, or just began. */
  fresh: NodeJS.Timeout | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Processes are started when there is work for them, and again after one was ended. */
export function createFileWorkers(createWorker: () => FileHand): FileWorkers {
  const hands = new Set<Hand>();
  const ending = new Set<Hand>();
  const waiting: { job: Job; timer: NodeJS.Timeout }[] = [];
  let isClosed = false;

  /** Resolves when it is gone, or known to hang. */
  const end = (hand: Hand): Promise<void> => {
    clearTimeout(hand.timer);
    if (!hands.delete(hand)) return Promise.resolve();
    ending.add(hand);
    const folder = hand.job?.folder ?? null;
    hand.leftAt = folder;
    const gone = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        // Only the name of a mount is looked up: whatever asked the folder itself would hang as well.
        if (ending.has(hand) && folder !== null) {
          hand.stuckAt = mountOf(folder) ?? folder;
          hand.leftAt = null;
          refuseStuck();
        }
        resolve();
      }, ENDED_MS);
      timer.unref();
      hand.worker.on('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    hand.worker.terminate();
    return gone;
  };

  const isStuck = (folder: string): boolean =>
    [...ending].some(({ stuckAt }) => stuckAt !== null && isAtOrBelow(folder, stuckAt));

  const refuseStuck = (): void => {
    for (const { job } of [...waiting]) if (isStuck(job.folder)) drop(job, new SilentFolder(SILENT));
    next();
  };

  const limit = (hand: Hand, job: Job, ms: number): void => {
    clearTimeout(hand.timer);
    hand.timer = setTimeout(() => {
      const { interim, isCommitting, hasBegun } = hand;
      void end(hand);
      const tellsSilence = job.lane === 'looks' || job.lane === 'picked';
      const late = tellsSilence ? new SilentFolder(SILENT) : isCommitting ? unsure() : new Error(TOO_LONG);
      settle(hand, interim ?? { error: hasBegun ? late : new Error(NOT_STARTED) });
      next('looks');
    }, ms);
  };

  /** Where one look is seen to take long, each of the others has a process of its own. */
  const isOnTheWay = (all: Hand[]): boolean =>
    all.some(({ fresh }) => fresh) && all.every(({ job, fresh }) => job && (fresh ?? job.lane !== 'looks'));

  const letWait = (hand: Hand): void => {
    clearTimeout(hand.fresh);
    hand.fresh = undefined;
  };

  const keepFresh = (hand: Hand, ms: number): void => {
    clearTimeout(hand.fresh);
    hand.fresh = setTimeout(() => {
      hand.fresh = undefined;
      next('looks');
    }, ms);
    hand.fresh.unref();
  };

  const settle = (hand: Hand, how: { answer: unknown } | { error: Error }): void => {
    const { job } = hand;
    hand.job = null;
    hand.interim = null;
    hand.isCommitting = false;
    hand.hasBegun = false;
    letWait(hand);
    clearTimeout(hand.timer);
    job?.settle(how);
  };

  const onReport = (hand: Hand, report: FileReport): void => {
    if (!hand.job) return;
    if (report.type === 'begun') {
      hand.hasBegun = true;
      keepFresh(hand, FIRST_MS);
      limit(hand, hand.job, hand.job.timeoutMs);
      return;
    }
    if (report.type === 'interim') {
      hand.interim = { answer: report.answer };
      return;
    }
    if (report.type === 'committing') {
      hand.isCommitting = true;
      return;
    }
    if (report.type === 'lost') {
      void end(hand);
      settle(hand, { error: hand.isCommitting ? unsure() : new Error(wordsOfLoss(report)) });
      next();
      return;
    }
    settle(hand, report.type === 'done' ? { answer: report.answer } : { error: new Error(report.message) });
    hand.timer = setTimeout(() => void end(hand), IDLE_MS);
    hand.timer.unref();
    next();
  };

  const lose = (hand: Hand, error?: unknown): void => {
    clearTimeout(hand.timer);
    hands.delete(hand);
    ending.delete(hand);
    settle(hand, { error: hand.isCommitting ? unsure() : new Error(wordsOfLoss(lossOf(error))) });
    next();
  };

  const hire = (): Hand => {
    const hand: Hand = {
      ...{ worker: createWorker(), job: null, stuckAt: null, leftAt: null },
      ...{ interim: null, isCommitting: false, hasBegun: false, fresh: undefined, timer: undefined },
    };
    keepFresh(hand, FRESH_MS);
    hand.worker.on('message', (report: FileReport) => onReport(hand, report));
    hand.worker.on('error', (error: unknown) => lose(hand, error));
    hand.worker.on('exit', () => lose(hand));
    hand.worker.unref();
    hands.add(hand);
    return hand;
  };

  const start = (job: Job): void => {
    const idle = [...hands].find((hand) => !hand.job);
    if (idle) keepFresh(idle, FIRST_MS);
    const hand = idle ?? hire();
    hand.job = job;
    limit(hand, job, Math.max(START_MS, job.timeoutMs));
    hand.worker.postMessage(job.command);
  };

  /** Nobody waits for who starts a job that waited: what fails there is the job's own. */
  const tryStart = (job: Job): void => {
    try {
      start(job);
    } catch (error) {
      const hand = [...hands].find((candidate) => candidate.job === job);
      if (hand) void end(hand);
      const failed = { error: new Error(wordsOfLoss(lossOf(error))) };
      if (hand) settle(hand, failed);
      else job.settle(failed);
    }
  };

  /** @param only while it is not known whether a process that was ended is gone, nothing picked is sent to its mount */
  const next = (only?: Lane): void => {
    for (const entry of [...waiting]) {
      const { lane, folder, place, sessionId } = entry.job;
      if (only && lane !== only) continue;
      const all = [...hands];
      const busy = all.flatMap(({ job }) => (job?.lane === lane ? [job] : []));
      const isFull = hands.size + ending.size >= MAX_WORKERS && all.every(({ job }) => job);
      // A folder that hangs holds up one look, not all of them; a mount that hangs one step of a picked file, so that it takes one process.
      const isAsked = (lane === 'looks' || lane === 'picked') && busy.some((job) => job.place === place);
      const isUnsure = [...ending].some(({ leftAt }) => leftAt !== null && isAtOrBelow(folder, leftAt));
      const own = lane === 'tools' ? busy.filter((job) => job.sessionId === sessionId) : [];
      const isBusy = busy.length >= MOST[lane] || own.length >= MOST_OF_SESSION;
      const isComing = lane === 'looks' && isOnTheWay(all);
      if (isFull || isAsked || isUnsure || isBusy || isComing) continue;
      waiting.splice(waiting.indexOf(entry), 1);
      clearTimeout(entry.timer);
      tryStart(entry.job);
    }
  };

  const drop = (job: Job, error: Error): void => {
    const at = waiting.findIndex((entry) => entry.job === job);
    if (at >= 0) clearTimeout(waiting.splice(at, 1)[0]?.timer);
    const hand = [...hands].find((candidate) => candidate.job === job);
    // What began to change a file is seen to its end.
    if (hand?.isCommitting) return;
    if (hand) void end(hand);
    if (hand) settle(hand, { error });
    else if (at >= 0) job.settle({ error });
  };

  return {
    run<K extends keyof FileJobs>(kind: K, params: FileJobs[K]['params'], options: JobOptions = {}) {
      const { signal, timeoutMs = FILE_WORK_TIMEOUT_MS, lane = 'tools', sessionId } = options;
      const folder = 'place' in params ? params.place.workspaceDir : 'path' in params ? params.path : params.folder;
      const place = (lane === 'picked' ? mountOf(folder) : null) ?? folder;
      return new Promise<FileJobs[K]['answer']>((resolve, reject) => {
        if (isClosed || signal?.aborted) return reject(stopped());
        if (isStuck(folder)) return reject(new SilentFolder(SILENT));
        const onAbort = (): void => drop(job, stopped());
        const job: Job = {
          command: { kind, ...params } as FileJob,
          ...{ folder, place },
          timeoutMs,
          lane,
          sessionId,
          settle: (how) => {
            signal?.removeEventListener('abort', onAbort);
            if ('error' in how) reject(how.error);
            else resolve(how.answer as FileJobs[K]['answer']);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        const patience = lane === 'looks' ? timeoutMs : FILE_WORK_QUEUE_MS;
        const unheard = lane === 'looks' ? new SilentFolder(NOT_ANSWERING) : new Error(NOT_ANSWERING);
        // One that waits for a process to start has learned nothing of its folder.
        const giveUp = (): void => {
          const isStarting = [...hands].some((hand) => hand.fresh || (hand.job?.lane === lane && !hand.hasBegun));
          if (isStarting && lane === 'looks') entry.timer = setTimeout(giveUp, patience);
          else drop(job, unheard);
        };
        const entry = { job, timer: setTimeout(giveUp, patience) };
        waiting.push(entry);
        next();
      });
    },
    isStuck,
    async close() {
      isClosed = true;
      for (const { job } of [...waiting]) drop(job, stopped());
      const all = [...hands];
      await Promise.all(
        all.map((hand) => {
          const ended = end(hand);
          settle(hand, { error: hand.isCommitting ? unsure() : stopped() });
          return ended;
        }),
      );
    },
  };
}

const stopped = (): EndedCall => new EndedCall(STOPPED_BEFORE_CHANGE, 'notRun');
const unsure = (): EndedCall => new EndedCall(CHANGE_UNSURE, 'stopped');

type Loss = Extract<FileReport, { type: 'lost' }>;

function lossOf(error: unknown): Loss {
  const isMemory = (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return { type: 'lost', isMemory, message: error instanceof Error ? error.message : '' };
}

function wordsOfLoss({ isMemory, message }: Loss): string {
  if (isMemory) return NO_MEMORY;
  const detail = message.replace(/\.$/, '');
  return `The process that works on files ended${detail === '' ? '' : ` (${detail})`}. Try again.`;
}
