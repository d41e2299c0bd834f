import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { build } from 'vite';
import type { Rolldown } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let bundled: Promise<string> | undefined;

/**
 * Makes provider workers from their source: bundled once by Vite as the app's is, packages loaded from node_modules.
 * Resolved from the working folder, which in all our runs is the project's.
 */
export async function sourceWorker(): Promise<(options: WorkerOptions) => Worker> {
  bundled ??= bundleWorker();
  const code = await bundled;
  return (options) => new Worker(code, { ...options, eval: true });
}

async function bundleWorker(): Promise<string> {
  const result = (await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: { alias: { '@shared': `${root}/src/shared` } },
    build: {
      write: false,
      ssr: 'src/main/agent/stream/worker.ts',
      rolldownOptions: { output: { format: 'cjs', codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  const [chunk] = result.output;
  return chunk.code;
}
