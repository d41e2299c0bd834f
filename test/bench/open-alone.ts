/**
 * One full open of a session in a process of its own, as a start of the app does it: `open-alone.ts <scratch> <session>` prints
 * how long it took and the longest block of the event loop meanwhile, both in milliseconds, with the entries of the tree.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { openStore } from './store';

const [scratch = '', session = ''] = process.argv.slice(2);
const store = await openStore(scratch);
const delay = monitorEventLoopDelay({ resolution: 1 });
const start = performance.now();
delay.enable();
const log = await store.open(session);
delay.disable();
const opened: OpenedAlone = { ms: performance.now() - start, blockMs: delay.max / 1e6, entries: log.tree.size };
await store.close();
console.log(JSON.stringify(opened));

export interface OpenedAlone {
  ms: number;
  blockMs: number;
  entries: number;
}
