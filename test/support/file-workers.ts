import { Worker } from 'node:worker_threads';
import { createFileWorkers, type FileWorkers } from '../../src/main/tools/file-workers';
import { bundleProgram } from './model-server/source-worker';

let shared: Promise<FileWorkers> | undefined;

/** The app's workers for files, made from their source; one set for all tests of a file. */
export function testFileWorkers(): Promise<FileWorkers> {
  return (shared ??= newFileWorkers());
}

/** A set of its own. */
export async function newFileWorkers(): Promise<FileWorkers> {
  const code = await bundleProgram('src/main/tools/file-worker.ts');
  return createFileWorkers((options) => new Worker(code, { ...options, eval: true }));
}
