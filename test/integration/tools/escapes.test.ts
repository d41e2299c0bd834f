import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockMark } from '../../../src/main/commands/programs';
import { processStartTime } from '../../../src/main/commands/proc';
import type { CommandOutcome } from '../../../src/main/commands/run-command';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';

/** D2 for an ordinary user, whose limits can only be lowered. As root the commands are run as nobody. */
const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;
const setpriv = '/usr/bin/setpriv';
/** As root the commands run as nobody, who has to get at the project: not where it was cloned into a folder of root's alone. */
const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const isReached = (): boolean =>
  existsSync(setpriv) && spawnSync(setpriv, [...asNobody, 'test', '-r', 'package.json']).status === 0;
const isOrdinary = process.platform === 'linux' && (!isRoot || isReached());
/** Where control groups of version 2 are mounted. */
const groups = process.platform === 'linux' ? /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /mu.exec(readFileSync('/proc/self/mountinfo', 'utf8'))?.[1] : undefined; // prettier-ignore

let sandbox: Sandbox;
/** Of another Espalier of the same user: a data folder of its own. */
let second: Sandbox;
const children: ChildProcess[] = [];
beforeEach(async () => {
  sandbox = await makeSandbox();
  second = await makeSandbox();
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, sandbox.base, second.base]);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  sandbox.remove();
  second.remove();
});

interface Ran {
  outcomes: CommandOutcome[];
  hasGroups: boolean;
}

/** Runs commands in a process of its own, which first joins `group` if it is named. */
async function run(commands: readonly string[], group = '', place = sandbox): Promise<Ran> {
  const program = ['scripts/lib/run-ts.mjs', 'test/integration/tools/programs/run-hidden.ts'];
  const user = isRoot ? [setpriv, ...asNobody] : [];
  const args = [...user, process.execPath, ...program, place.dataDir, place.workspaceDir, ...commands];
  const join = 'if [ -n "$0" ]; then echo $$ > "$0/cgroup.procs"; fi && exec "$@"';
  const child = spawn('bash', ['-c', join, group, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  return JSON.parse(text) as Ran;
}

const there = (name: string): boolean => existsSync(join(sandbox.workspaceDir, name));
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
const pidIn = (place: Sandbox, name: string): number => {
  const file = join(place.workspaceDir, name);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
};
/** The numbers of the commands that run there. */
const numbersIn = (place: Sandbox): number[] =>
  readdirSync(join(place.dataDir, 'running'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => lockMark(name.slice(0, -'.json'.length)));
/** Processes with a word on their command line. */
function withWord(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
    } catch {
      return false;
    }
  });
}

/** Leaves its group, takes off every mark that it can and loses its parents, all at once. */
const hidden = (word: string, first = ''): string =>
  `env -i setsid bash -c '${first}ulimit -x 5; (bash -c "echo \\$\\$ > ${word}; sleep 300; :" ${word} &)' </dev/null >/dev/null 2>&1`;

test.runIf(isOrdinary)('D2: quick commands whose children take off every mark leave nothing', async () => {
  const words = Array.from({ length: 5 }, (_, at) => `hidden-${process.pid}-${at}`);
  const { outcomes } = await run(words.map((word) => hidden(word)));
  expect(outcomes.map(({ hadLeftovers }) => hadLeftovers)).toContain(true);
  expect(words.flatMap(withWord)).toEqual([]);
});

test.runIf(isOrdinary)(
  'D2: what took off its marks is left alone as long as a command runs that it may be of',
  async () => {
    const word = `other-${process.pid}`;
    const first = 'while [ ! -e end-first ]; do sleep 0.01; done';
    const second = `${hidden(word)}; while [ ! -e end-second ]; do sleep 0.01; done`;
    const ran = run([first, second]);
    await until(() => there(word) && readFileSync(join(sandbox.workspaceDir, word), 'utf8') !== '');
    const pid = Number(readFileSync(join(sandbox.workspaceDir, word), 'utf8'));
    const [record] = readdirSync(join(sandbox.dataDir, 'running'));
    expect(record).toBeDefined();
    writeFileSync(join(sandbox.workspaceDir, 'end-first'), '');
    await until(() => readdirSync(join(sandbox.dataDir, 'running')).length === 1);
    expect(await processStartTime(pid)).toBeDefined();
    writeFileSync(join(sandbox.workspaceDir, 'end-second'), '');
    await ran;
    expect(await processStartTime(pid)).toBeUndefined();
  },
);

test.runIf(isOrdinary)('D2: a process with such a limit that is no command’s is never touched', async () => {
  const go = 'while [ ! -e stranger ]; do sleep 0.01; done';
  const ran = run([go]);
  await until(() => there('begun-0'));
  const user = isRoot ? [setpriv, ...asNobody] : ['env'];
  const stranger = spawn(user[0]!, [...user.slice(1), 'bash', '-c', 'ulimit -x 5; echo in; exec sleep 300'], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
  children.push(stranger);
  await new Promise((resolve) => stranger.stdout.once('data', resolve));
  writeFileSync(join(sandbox.workspaceDir, 'stranger'), '');
  await ran;
  expect(await processStartTime(stranger.pid ?? 0)).toBeDefined();
});

test.runIf(isOrdinary)(
  'D2: what a command of another Espalier left running is its own, also without its mark in the environment',
  async () => {
    const wait = 'while [ ! -e end ]; do sleep 0.01; done';
    const ours = run(Array.from({ length: 8 }, () => wait));
    await until(() => there('begun-7'));
    const highest = Math.max(...numbersIn(sandbox));
    const server = (name: string): string => `(bash -c 'echo $$ > ${name}; exec sleep 300' &)`;
    const bare = `env -i setsid bash -c "${server('bare').replaceAll('$$', '\\$\\$')}"`;
    const theirEnd = join(second.workspaceDir, 'end');
    // Only what has a lower number than one of ours could be taken for what lowered it: eight times of nine.
    for (;;) {
      const theirs = run([`${server('marked')}; ${bare}; ${wait}`], '', second);
      await until(() => pidIn(second, 'marked') > 0 && pidIn(second, 'bare') > 0);
      const pids = [pidIn(second, 'marked'), pidIn(second, 'bare')];
      const isLower = numbersIn(second).every((number) => number < highest);
      if (isLower) {
        writeFileSync(join(sandbox.workspaceDir, 'end'), '');
        const { outcomes } = await ours;
        expect(outcomes.map(({ hadLeftovers }) => hadLeftovers)).not.toContain(true);
        for (const pid of pids) expect(await processStartTime(pid)).toBeDefined();
      }
      writeFileSync(theirEnd, '');
      await theirs;
      for (const pid of pids) expect(await processStartTime(pid)).toBeUndefined();
      if (isLower) break;
      for (const name of ['end', 'marked', 'bare']) rmSync(join(second.workspaceDir, name));
    }
  },
);

test.runIf(isOrdinary && groups !== undefined)(
  'D2: a child that moves to the control group above is ended too',
  async (context) => {
    const group = isRoot ? join(groups ?? '', `espalier-test-${process.pid}`) : '';
    try {
      if (isRoot) mkdirSync(group);
    } catch {
      return context.skip();
    }
    try {
      if (isRoot) execFileSync('chown', [`${NOBODY}`, group, join(group, 'cgroup.procs')]);
      const word = `moved-${process.pid}`;
      const move = `p=$(sed -n s/^0:://p /proc/self/cgroup); echo $BASHPID > ${groups}\${p%/*}/cgroup.procs && echo > moved; `;
      const { hasGroups } = await run([hidden(word, move)], group);
      if (!hasGroups) return context.skip();
      expect(there('moved')).toBe(true);
      expect(withWord(word)).toEqual([]);
    } finally {
      if (isRoot) rmdirSync(group);
    }
  },
);
