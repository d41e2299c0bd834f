import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Case, FigureInput } from '../../support/figures';
import type { Wire } from '../../support/model-server';
import { hostileCases } from '../../support/model-server/hostile-cases';
import type { ClientAnswer, ClientCommand } from '../../support/model-server/hostile-client';
import { bundleProgram, providerWorkerCode } from '../../support/model-server/source-worker';

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
/** What pi-ai alone gets right of the first 16 rows (QB5). */
const PEER_RIGHT = 8;
const MIB = 1024 * 1024;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** QR5: 24 ways for a server to misbehave, each on all three wires, through the provider worker. */
const hostileLlm: Case = {
  name: 'R5 hostile model server',
  issue: 2,
  async run({ log }) {
    const server = await startServerProcess();
    const client = await startClientProcess();
    try {
      const runCase = async (index: number, wire: Wire): Promise<ClientAnswer> => {
        await server.select(index);
        return client.run({ url: server.url, index, wire });
      };
      // The first reply on a wire loads its SDK, which is no growth.
      let lowest = Infinity;
      for (const wire of WIRES) lowest = (await runCase(0, wire)).memory;
      let growth = 0;
      let right = 0;
      for (const [index, { name }] of hostileCases.entries()) {
        const wrong: string[] = [];
        for (const wire of WIRES) {
          const { found, memory } = await runCase(index, wire);
          wrong.push(...found.map((line) => `${wire}: ${line}`));
          lowest = Math.min(lowest, memory);
          growth = Math.max(growth, memory - lowest);
        }
        if (wrong.length === 0) right += 1;
        else log(`${name}: ${wrong.join('; ')}`);
      }
      return figures(right, growth / MIB);
    } finally {
      client.stop();
      server.stop();
    }
  },
};

interface ClientProcess {
  run(command: ClientCommand): Promise<ClientAnswer>;
  stop(): void;
}

/** The transport with its worker in a process that has nothing else in it, so that its memory is theirs. */
async function startClientProcess(): Promise<ClientProcess> {
  const program = await bundleProgram('test/support/model-server/hostile-client.ts');
  const workerCode = await providerWorkerCode();
  const child = spawn(process.execPath, ['--expose-gc', '-'], {
    cwd: root,
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  });
  child.stdin!.end(program);
  child.send({ workerCode } satisfies ClientCommand);
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The client process ended with ${code}.`)),
  );
  ended.catch(() => undefined);
  return {
    run(command) {
      const answer = new Promise<ClientAnswer>((resolve) => child.once('message', resolve));
      child.send(command);
      return Promise.race([answer, ended]);
    },
    stop: () => void child.kill(),
  };
}

function figures(right: number, growthMb: number): FigureInput[] {
  return [
    {
      name: 'R5 hostile cases classified correctly, each within its time-out',
      value: right,
      unit: 'cases',
      note: `pi-ai alone: ${PEER_RIGHT} of the first 16 (QB5)`,
      target: { on: 'value', op: '=', bound: 24 },
    },
    {
      name: 'R5 memory growth over all hostile cases',
      value: Math.round(growthMb * 10) / 10,
      unit: 'MB',
      isOfMachine: true,
      note: 'largest rise after a request over the lowest before it, garbage collected; RSS without file pages, of a process with the provider worker alone',
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
