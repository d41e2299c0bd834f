import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import type { Case, FigureInput } from '../../support/figures';
import type { Wire } from '../../support/model-server';
import { hostileCases, runHostileCase } from '../../support/model-server/hostile-cases';
import { sourceWorker } from '../../support/model-server/source-worker';

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
/** What pi-ai alone gets right of the first 16 rows (quality.md B5). */
const PEER_RIGHT = 8;
const MIB = 1024 * 1024;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** R5: 24 ways for a server to misbehave, each on all three wires, through the provider worker. */
const hostileLlm: Case = {
  name: 'R5 hostile model server',
  issue: 2,
  ci: true,
  async run({ log }) {
    const server = await startServerProcess();
    const transport = createWorkerTransport({ createWorker: await sourceWorker() });
    try {
      const runCase = async (index: number, wire: Wire): Promise<string[]> => {
        await server.select(index);
        const found = await runHostileCase(transport, server, hostileCases[index]!, wire);
        return found.map((line) => `${wire}: ${line}`);
      };
      // The first reply on a wire loads its SDK, which is no growth.
      for (const wire of WIRES) await runCase(0, wire);
      let lowest = privateMemory();
      let growth = 0;
      let right = 0;
      for (const [index, { name }] of hostileCases.entries()) {
        const found: string[] = [];
        for (const wire of WIRES) found.push(...(await runCase(index, wire)));
        if (found.length === 0) right += 1;
        else log(`${name}: ${found.join('; ')}`);
        const memory = privateMemory();
        lowest = Math.min(lowest, memory);
        growth = Math.max(growth, memory - lowest);
      }
      return figures(right, growth / MIB);
    } finally {
      await transport.close();
      server.stop();
    }
  },
};

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

function figures(right: number, growthMb: number): FigureInput[] {
  return [
    {
      name: 'R5 hostile cases classified correctly, each within its time-out',
      value: right,
      unit: 'cases',
      note: `pi-ai alone: ${PEER_RIGHT} of the first 16 (quality.md B5)`,
      target: { on: 'value', op: '=', bound: 24 },
    },
    {
      name: 'R5 memory growth over all hostile cases',
      value: Math.round(growthMb * 10) / 10,
      unit: 'MB',
      note: 'largest rise after a case over the lowest before it, of the process with the provider worker; RSS without file pages',
      target: { on: 'value', op: '<=', bound: 50 },
    },
  ];
}

interface ServerProcess {
  url: string;
  select(index: number): Promise<void>;
  stop(): void;
}

async function startServerProcess(): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['scripts/lib/run-ts.mjs', 'test/support/model-server/hostile-process.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done) throw new Error('The model server process ended.');
    return line.value;
  };
  const url = await next();
  return {
    url,
    async select(index) {
      child.stdin.write(`${index}\n`);
      const answer = await next();
      if (answer !== `ready ${index}`) throw new Error(`Model server said ${answer}`);
    },
    stop: () => void child.kill(),
  };
}

export default hostileLlm;
