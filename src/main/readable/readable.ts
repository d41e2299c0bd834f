import { once } from 'node:events';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { CopyHead, ReadableAsked } from './copy-kinds';

/** Main to the thread: all of it at its start; each message then asks for the next chunk. */
export interface ReadableJob {
  journal: string;
  name: string;
  asked: ReadableAsked;
  place: Pick<CopyHead, 'folder' | 'date'>;
}

/** The thread to main. */
export type ReadableReport = { text: string } | { isDone: true } | { error: string };

const OPTIONS: WorkerOptions = { name: 'readable copy', resourceLimits: { maxOldGenerationSizeMb: 1024 } };

/** How a copy for reading is made (SF26): in a thread of its own, chunk by chunk, as fast as it is taken. */
export type MakeReadable = (job: ReadableJob, signal: AbortSignal) => AsyncGenerator<Uint8Array, void, void>;

/** @param createWorker electron-vite's `?nodeWorker` import of `readable-thread.ts` */
export function createReadable(createWorker: (options: WorkerOptions) => Worker): MakeReadable {
  return async function* (job, signal) {
    const worker = createWorker({ ...OPTIONS, workerData: job });
    const gone = new AbortController();
    const problems: Error[] = [];
    worker.on('error', (error: Error) => {
      problems.push(error);
      gone.abort();
    });
    worker.once('exit', () => gone.abort());
    const stop = (): void => gone.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        const answer = once(worker, 'message', { signal: gone.signal });
        worker.postMessage(null);
        const [report] = (await answer) as [ReadableReport];
        if ('error' in report) throw new Error(report.error);
        if ('isDone' in report) return;
        yield Buffer.from(report.text, 'utf8');
      }
    } catch (error) {
      if (gone.signal.aborted && !signal.aborted)
        throw new Error(`The copy could not be made: ${problems[0]?.message ?? 'its thread ended'}`, { cause: error });
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      void worker.terminate();
    }
  };
}
