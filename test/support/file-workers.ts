import { Worker, type WorkerOptions } from 'node:worker_threads';
import { FILE_WORKER_HEAP_MB } from '../../src/shared/limits';
import { createFileWorkers, type FileWorkers } from '../../src/main/files/file-workers';
import { bundleProgram } from './model-server/source-worker';

/** Threads in place of the app's processes; the same code runs in both. */
const OPTIONS: WorkerOptions = {
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: FILE_WORKER_HEAP_MB, maxYoungGenerationSizeMb: 16 },
};

let shared: Promise<FileWorkers> | undefined;

/** The app's workers for files, made from their source; one set for all tests of a file. */
export function testFileWorkers(): Promise<FileWorkers> {
  return (shared ??= newFileWorkers());
}

/** A set of its own. */
export async function newFileWorkers(): Promise<FileWorkers> {
  const code = await bundleProgram('src/main/files/file-worker.ts');
  return createFileWorkers(() => new Worker(code, { ...OPTIONS, eval: true }));
}
