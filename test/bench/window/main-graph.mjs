// node main-graph.mjs <out/main/index.js>: loads main's modules with a stand-in for `electron` that says that the app
// already runs, so that start ends at once, and prints how long that, the services behind the window and pi-ai took.
import { readdirSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';

const require = createRequire(import.meta.url);
const answers = { requestSingleInstanceLock: () => false };
const standIn = new Proxy(function electron() {}, {
  get: (_target, key) => (key === 'then' || typeof key === 'symbol' ? undefined : (answers[key] ?? standIn)),
  apply: () => standIn,
  construct: () => standIn,
});
const load = Module._load;
Module._load = (name, ...rest) => (name === 'electron' ? standIn : load(name, ...rest));

const cpuBefore = process.cpuUsage();
const start = performance.now();
require(process.argv[2]);
const graphMs = performance.now() - start;
const cpu = process.cpuUsage(cpuBefore);
// What the processor did in that time, in all threads: on a busy machine it says more than the clock.
const graphCpuMs = (cpu.user + cpu.system) / 1000;

const chunks = join(dirname(process.argv[2]), 'chunks');
const beforeServices = performance.now();
const areLazy = Object.keys(require.cache).every((file) => !file.includes('services-'));
require(
  join(
    chunks,
    readdirSync(chunks).find((file) => file.startsWith('services-')),
  ),
);
const servicesMs = performance.now() - beforeServices;

const loaded = Object.values(require.cache);
const entry = loaded.find((module) => typeof module.exports?.loadPiAi === 'function');
const beforePiAi = performance.now();
await entry.exports.loadPiAi();
const piAiMs = performance.now() - beforePiAi;
const isLazy = areLazy && Object.keys(require.cache).length > loaded.length;
process.stdout.write(JSON.stringify({ graphMs, graphCpuMs, servicesMs, piAiMs, isLazy }));
process.exit(0);
