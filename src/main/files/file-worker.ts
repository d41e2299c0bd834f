import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { FILE_WORKER_HEAP_MB } from '@shared/limits';
import { doFileWork, type FileJob, type FileReport } from './file-work';

/**
 * A process for work on files, and in it a thread whose memory is bounded: one job at a time, so that ending it ends nothing else. A thread
 * of main would not do: threads share the few of its pool that do the work of the file system, and one that hangs in the system keeps its
 * process from ending.
 */
if (isMainThread) hostThread();
else work((report) => parentPort?.postMessage(report));

function hostThread(): void {
  const { parentPort: main } = process;
  const thread = new Worker(__filename, {
    name: 'files',
    resourceLimits: { maxOldGenerationSizeMb: FILE_WORKER_HEAP_MB, maxYoungGenerationSizeMb: 16 },
  });
  thread.on('message', (report: FileReport) => main.postMessage(report));
  thread.on('error', (error: Error & { code?: unknown }) => {
    const report: FileReport = {
      ...{ type: 'lost', isMemory: error.code === 'ERR_WORKER_OUT_OF_MEMORY', message: error.message },
    };
    main.postMessage(report);
  });
  main.on('message', ({ data }: { data: FileJob }) => thread.postMessage(data));
}

function work(report: (message: FileReport) => void): void {
  parentPort?.on('message', (job: FileJob) => {
    report({ type: 'begun' });
    const tell = {
      interim: (answer: unknown) => report({ type: 'interim', answer }),
      committing: () => report({ type: 'committing' }),
    };
    doFileWork(job, tell)
      .then(
        (answer) => report({ type: 'done', answer }),
        (error: unknown) => report({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
      )
      .catch((error: unknown) => report({ type: 'failed', message: String(error) }));
  });
}
