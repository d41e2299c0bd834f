import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import { hostileCases, runHostileCase } from './hostile-cases';
import type { Wire } from './types';

/** From the parent: the provider worker's program first, then one case at a time. */
export type ClientCommand = { workerCode: string } | { url: string; index: number; wire: Wire };
/** What a case got wrong, and the process's own memory after it, in bytes. */
export interface ClientAnswer {
  found: string[];
  memory: number;
}

/** Runs before the worker's own program: collects its garbage when told. */
const COLLECTOR = `{
  const { workerData } = require('node:worker_threads');
  workerData.on('message', () => { globalThis.gc(); workerData.postMessage('done'); }).unref();
}
`;

const { port1: collector, port2: workerPort } = new MessageChannel();
let transport: ReturnType<typeof createWorkerTransport> | undefined;

process.on('message', (command: ClientCommand) => void answer(command));

async function answer(command: ClientCommand): Promise<void> {
  if ('workerCode' in command) {
    const program = COLLECTOR + command.workerCode;
    const own = { eval: true, workerData: workerPort, transferList: [workerPort] };
    transport = createWorkerTransport({ createWorker: (options) => new Worker(program, { ...options, ...own }) });
    return;
  }
  const { url, index, wire } = command;
  const found = await runHostileCase(transport!, { url }, hostileCases[index]!, wire);
  await collectGarbage();
  process.send!({ found, memory: privateMemory() } satisfies ClientAnswer);
}

/** When V8 would collect is its own affair; what stays after it has is growth. */
async function collectGarbage(): Promise<void> {
  collector.postMessage('collect');
  await once(collector, 'message');
  globalThis.gc!();
}

/**
 * Resident bytes that are the process's own. The pages of the program's file are left out: the kernel drops and reloads
 * them as it likes, tens of MB between two readings.
 */
function privateMemory(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (kib === undefined) throw new Error('/proc/self/status has no RssAnon.');
  return Number(kib) * 1024;
}
