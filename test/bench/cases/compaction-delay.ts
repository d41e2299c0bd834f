import { ExtensionBus } from '../../../src/main/extensions/bus';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance, type IntervalHistogram } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { SessionContext } from '../../../src/main/agent/session-context';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import { compact } from '../../../src/main/compaction/compact';
import { createSerializer } from '../../../src/main/compaction/serializer';
import { createSessionStore } from '../../../src/main/journal/session-store';
import { defaultSettings } from '../../../src/shared/settings';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { silentJob } from '../../support/silent-job';
import { FakeModels } from '../../support/agent-harness';
import { randomHex } from '../../support/journal';
import { modelsFor } from '../../support/model-server';
import { bundleProgram, sourceWorker } from '../../support/model-server/source-worker';
import { collectGarbage, median } from '../harness';
import { loadPeer } from '../peer';
import { sessionFile } from '../sessions';

const ENTRIES = 50_000;
const SESSION = 'measured';
const WINDOW = 200_000;
const PEER_RUNS = 3;

/** QP14: the app's own path from the file to the stored entry, with its two workers; the model is in another process. */
async function delayWhileCompacting({ scratch, log: say }: CaseContext): Promise<FigureInput[]> {
  const source = await sessionFile({ entries: ENTRIES });
  await mkdir(join(scratch, 'sessions'), { recursive: true });
  await copyFile(source, join(scratch, 'sessions', `${SESSION}.jsonl`));
  const warn = (message: string): void => console.log(message);
  const dirs = { dir: join(scratch, 'sessions'), trashDir: join(scratch, 'trash') };
  const store = await createSessionStore({ ...dirs, clock: Date.now, randomHex, log: { warn } });
  const server = await startModelProcess(scratch);
  const createWorker = await sourceWorker();
  const transport = createWorkerTransport({ createWorker });
  const serializerCode = await bundleProgram('src/main/compaction/serializer-worker.ts');
  const serializer = createSerializer((options) => new Worker(serializerCode, { ...options, eval: true }));
  try {
    const log = await store.open(SESSION);
    const model = modelsFor(server, { contextWindow: WINDOW }).completions;
    const models = new FakeModels([model]);
    const ref = { provider: model.provider, modelId: model.id };
    const settings = defaultSettings();
    const context = new SessionContext(log);
    let calls = 0;
    const ports = {
      log,
      models,
      transport,
      serializer,
      workspaceDir: '/w',
      firstUnbegun: () => null,
      settings: () => settings,
      size: () => context.size(ref, WINDOW, settings),
      now: Date.now,
      extensions: new ExtensionBus({ onError: () => undefined }),
    };
    const job = { ...silentJob(), step: () => void (calls += 1) };
    collectGarbage();
    const alone = monitorEventLoopDelay({ resolution: 1 });
    alone.enable();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    alone.disable();

    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    const outcome = await compact({ reason: 'manual', model: ref, signal: new AbortController().signal }, ports, job);
    const seconds = (performance.now() - startedAt) / 1000;
    delay.disable();
    if (outcome.kind !== 'done') throw new Error(`The compaction was not done: ${JSON.stringify(outcome)}`);

    const peer = await peerBlocks(source);
    const note = `${calls} calls in ${seconds.toFixed(1)} s; median ${ms(delay, 50)}, longest ${(delay.max / 1e6).toFixed(0)} ms; with nothing to do p99 ${ms(alone, 99)}, longest ${(alone.max / 1e6).toFixed(0)} ms`;
    say(note);
    return [
      {
        name: 'P14 event-loop delay while 50k entries are compacted, p99',
        value: delay.percentile(99) / 1e6,
        unit: 'ms',
        peer,
        note: `${note}; the peer blocks in its preparation alone`,
        target: { on: 'value', op: '<=', bound: 10 },
      },
    ];
  } finally {
    server.stop();
    await Promise.all([transport.close(), serializer.close(), store.close()]);
  }
}

const ms = (histogram: IntervalHistogram, share: number): string => `${(histogram.percentile(share) / 1e6).toFixed(1)} ms`; // prettier-ignore

async function peerBlocks(path: string): Promise<number> {
  const peer = await loadPeer();
  const branch = peer.SessionManager.open(path).getBranch();
  const times: number[] = [];
  for (let run = 0; run < PEER_RUNS; run += 1) {
    const start = performance.now();
    peer.prepareCompaction(branch, { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 });
    times.push(performance.now() - start);
  }
  return median(times);
}

async function startModelProcess(scratch: string): Promise<{ url: string; stop(): void }> {
  const program = join(scratch, 'model.cjs');
  await writeFile(program, await bundleProgram('test/bench/model-process.ts'));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url, stop: () => void child.stdin.end() };
}

const testCase: Case = {
  name: 'P14 compaction',
  issue: 3,
  times: ['src/main/compaction/compact.ts:compact'],
  run: delayWhileCompacting,
};
export default testCase;
