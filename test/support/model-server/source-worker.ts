import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { build } from 'vite';
import type { Rolldown } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let bundled: Promise<string> | undefined;

/** Makes provider workers from their source. */
export async function sourceWorker(): Promise<(options: WorkerOptions) => Worker> {
  const code = await providerWorkerCode();
  return (options) => new Worker(code, { ...options, eval: true });
}

/** The provider worker's program, bundled once. */
export function providerWorkerCode(): Promise<string> {
  return (bundled ??= bundleProgram('src/main/agent/stream/worker.ts'));
}

/**
 * Bundles a TypeScript program as the app's are: one CommonJS text, packages loaded from node_modules. Resolved from
 * the working folder, which in all our runs is the project's.
 */
export async function bundleProgram(entry: string): Promise<string> {
  const result = (await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: { alias: { '@shared': `${root}/src/shared` } },
    build: {
      write: false,
      ssr: entry,
      rolldownOptions: { output: { format: 'cjs', codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  const [chunk] = result.output;
  return chunk.code;
}
