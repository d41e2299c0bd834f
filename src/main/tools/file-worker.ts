import { parentPort } from 'node:worker_threads';
import { doFileWork, type FileJob, type FileReport } from './file-work';

/** The worker's side: one job at a time, so that ending the thread ends nothing else. */
const report = (message: FileReport): void => parentPort?.postMessage(message);

parentPort?.on('message', (job: FileJob) => {
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
