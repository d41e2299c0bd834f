import { Worker } from 'node:worker_threads';
import { GREP_TIMEOUT_MS } from '@shared/limits';
import {
  SEARCH_WORKER_SOURCE,
  type FileMatches,
  type SearchWorkerData,
  type SearchWorkerMessage,
} from './search-worker';

export interface SearchResult {
  files: FileMatches[];
  isCut: boolean;
  /** The time was up: the matches are those found until then. */
  isTimedOut: boolean;
}

/** Searches files in a worker thread that is ended when the time is up or `signal` aborts (then it rejects). */
export function searchFiles(
  data: SearchWorkerData,
  signal?: AbortSignal,
  timeoutMs = GREP_TIMEOUT_MS,
): Promise<SearchResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(SEARCH_WORKER_SOURCE, { eval: true, workerData: data, env: {} });
    const files: FileMatches[] = [];
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      void worker.terminate();
      settle();
    };
    const timer = setTimeout(() => finish(() => resolve({ files, isCut: true, isTimedOut: true })), timeoutMs);
    const onAbort = (): void => finish(() => reject(new Error('The search was stopped.')));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    worker.on('message', (message: SearchWorkerMessage) => {
      if ('done' in message) finish(() => resolve({ files, isCut: message.isCut, isTimedOut: false }));
      else files.push(message);
    });
    worker.on('error', (error) => finish(() => reject(new Error(`The search failed: ${error.message}`))));
  });
}
