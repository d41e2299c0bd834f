import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reapOrphans } from '../../../src/main/commands/orphans';
import { processStartTime } from '../../../src/main/commands/proc';
import { CommandRunner } from '../../../src/main/commands/run-command';
import { runProgram, startProgram } from '../../integration/tools/programs/run-program';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { buildWorld, escapeCases, findEscapes, raceFolders } from '../../unit/tools/support/escape-corpus';
import { makeHost, type Sandbox } from '../../unit/tools/support/host';
import { changeOneByte, type TamperTarget } from '../../unit/tools/support/tamper';

const ISSUE = 2;

function sandboxIn(scratch: string, name: string): Sandbox {
  const base = join(realpathSync(scratch), name);
  const sandbox = {
    base,
    workspaceDir: join(base, 'work'),
    dataDir: join(base, 'data'),
    outputsDir: join(base, 'data/outputs'),
  };
  mkdirSync(sandbox.workspaceDir, { recursive: true });
  mkdirSync(join(sandbox.dataDir, 'sessions'), { recursive: true });
  return { ...sandbox, remove: () => undefined };
}

const none = (name: string, value: number, unit: string, note: string): FigureInput => ({
  name,
  value,
  unit,
  note,
  target: { on: 'value', op: '=', bound: 0 },
});

const bigOutput: Case = {
  name: 'R8-output-1GB',
  issue: ISSUE,
  async run({ scratch, log }) {
    const figures: FigureInput[] = [];
    for (const [name, command] of [
      ['one line', 'head -c 1073741824 /dev/zero | tr "\\0" x'],
      ['lines', 'yes "a line of ordinary output, some sixty characters in length" | head -c 1073741824'],
    ] as const) {
      const sandbox = sandboxIn(scratch, name.replace(' ', '-'));
      const result = JSON.parse(await runProgram('big-output', [sandbox.dataDir, sandbox.workspaceDir, command])) as {
        growthMb: number; baseMb: number; totalBytes: number; fullOutputPath: string; durationMs: number;
      }; // prettier-ignore
      const kept = statSync(result.fullOutputPath).size;
      log(
        `${name}: ${result.totalBytes} bytes in ${result.durationMs} ms, ${kept} kept, base ${result.baseMb.toFixed(0)} MB`,
      );
      figures.push({
        name: `R8 RSS growth, 1 GB as ${name}`,
        value: result.growthMb,
        unit: 'MB',
        isOfMachine: true,
        note: 'Node 20, after three 20 MB commands',
        target: { on: 'value', op: '<=', bound: 20 },
      });
      figures.push(none(`R8 bytes of the output not in the file (${name})`, 1_073_741_824 - kept, 'bytes', ''));
      execFileSync('rm', ['-rf', sandbox.base]);
    }
    return figures;
  },
};

const STUBBORN = `trap '' TERM; echo $$ >> pids; (trap '' TERM; echo $BASHPID >> pids; while :; do sleep 0.05; done) & setsid bash -c 'trap "" TERM; echo $$ >> pids; echo x >> ready; while :; do sleep 0.05; done' & yes > /dev/null`;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** All three processes of a stubborn command run and have said who they are: none can begin after the stop. */
function isAtWork(workspaceDir: string): boolean {
  const pids = join(workspaceDir, 'pids');
  return (
    existsSync(join(workspaceDir, 'ready')) && existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length > 3
  );
}

/** Milliseconds in which a killed process gets the turn that it needs to end, however busy the machine is. */
const DYING_MS = 10_000;

/** How many of a command's processes live on. One that was killed ends when it gets its next turn; one that was not never ends. */
async function countAlive(workspaceDir: string): Promise<number> {
  const pids = readFileSync(join(workspaceDir, 'pids'), 'utf8').trim().split('\n').map(Number);
  for (const end = performance.now() + DYING_MS; ;) {
    const alive = (await Promise.all(pids.map(processStartTime))).filter((time) => time !== undefined).length;
    if (alive === 0 || performance.now() > end) return alive;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const stopping: Case = {
  name: 'R8-stop',
  issue: ISSUE,
  async run({ scratch, isCi }) {
    let slowest = 0;
    let orphans = 0;
    const rounds = isCi ? 5 : 50;
    for (let round = 0; round < rounds; round += 1) {
      const { dataDir, workspaceDir } = sandboxIn(scratch, `stop-${round}`);
      const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir: join(dataDir, 'outputs') });
      const stop = new AbortController();
      const run = runner.run({
        toolCallId: 'x',
        command: STUBBORN,
        cwd: workspaceDir,
        timeoutMs: 60_000,
        signal: stop.signal,
      });
      await until(() => isAtWork(workspaceDir));
      const startedAt = performance.now();
      if (round % 2 === 0) stop.abort();
      else await runner.dispose();
      await run;
      slowest = Math.max(slowest, performance.now() - startedAt);
      orphans += await countAlive(workspaceDir);
    }
    return [
      {
        name: 'R8 stop of a stubborn command, slowest',
        value: slowest / 1000,
        unit: 's',
        isOfMachine: true,
        note: `${rounds} rounds, stop and quit in turn; ignores SIGTERM, one child left the group`,
        target: { on: 'value', op: '<=', bound: 2 },
      },
      none('R8 orphans after stop or quit', orphans, 'processes', `of ${rounds * 3}`),
    ];
  },
};

const crashing: Case = {
  name: 'R8-crash',
  issue: ISSUE,
  async run({ scratch }) {
    let orphans = 0;
    let records = 0;
    const rounds = 10;
    for (let round = 0; round < rounds; round += 1) {
      const { dataDir, workspaceDir } = sandboxIn(scratch, `crash-${round}`);
      const child = startProgram('leave-behind', [dataDir, workspaceDir]);
      await until(() => isAtWork(workspaceDir));
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
      await reapOrphans(join(dataDir, 'running'));
      orphans += await countAlive(workspaceDir);
      records += readdirSync(join(dataDir, 'running')).length;
    }
    return [
      none('R8 orphans after kill -9 and the next start', orphans, 'processes', `of ${rounds * 3}`),
      none('R8 records of them that stay', records, 'files', `of ${rounds}`),
    ];
  },
};

async function runEscapes({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const sandbox = sandboxIn(scratch, 'escape');
  const world = buildWorld(sandbox);
  const cases = escapeCases(world);
  const escapes = await findEscapes(sandbox, cases);
  world.server.close();
  for (const escape of escapes) log(`ESCAPE ${escape.tool} ${JSON.stringify(escape.path)}: ${escape.what}`);
  const rounds = isCi ? 200 : 1_000;
  const race = await raceFolders(sandboxIn(scratch, 'race'), rounds);
  log(`race: ${race.succeeded} inside, ${race.refused} refused`);
  const paths = world.paths.outside.length + world.paths.forbidden.length;
  return [
    none('S4 escapes, corpus', escapes.length, 'escapes', `${paths} paths × 6 tools = ${cases.length} calls`),
    none(
      'S4 escapes, swapped folder',
      race.escapes,
      'escapes',
      `${rounds} calls: ${race.succeeded} inside, ${race.refused} refused`,
    ),
  ];
}
const escaping: Case = { name: 'S4-path-escape', issue: ISSUE, run: runEscapes };

const tampering: Case = {
  name: 'S7-approval-integrity',
  issue: ISSUE,
  async run({ scratch, isCi }) {
    const sandbox = sandboxIn(scratch, 'tamper');
    const host = await makeHost(sandbox);
    const targets: TamperTarget[] = ['command', 'content', 'oldText', 'newText', 'path', 'file'];
    const rounds = isCi ? 10 : 100;
    let ran = 0;
    for (const target of targets) {
      for (let round = 0; round < rounds; round += 1) {
        if ((await changeOneByte(sandbox, host, target, round)) === 'ran') ran += 1;
      }
    }
    await host.host.dispose();
    return [
      none(
        'S7 calls that ran after one byte changed',
        ran,
        'calls',
        `of ${targets.length * rounds}: ${targets.join(', ')}`,
      ),
    ];
  },
};

export default [bigOutput, stopping, crashing, escaping, tampering];
