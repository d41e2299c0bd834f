import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandGroups } from '../../../src/main/commands/command-group';
import { closesInherited, coverInherited, launchClosed } from '../../../src/main/commands/launch';
import { processStartTime, readProcStat } from '../../../src/main/commands/proc';
import { SeenProcesses } from '../../../src/main/commands/processes';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
beforeEach(async () => {
  sandbox = await makeSandbox();
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

const isLinux = process.platform === 'linux';
const bash = (command: string, more: { timeout?: number; signal?: AbortSignal } = {}) =>
  host.call('bash', { command, timeout: more.timeout }, { signal: more.signal });
async function pids(): Promise<number[]> {
  const text = await readFile(join(sandbox.workspaceDir, 'pids'), 'utf8').catch(() => '');
  return text.trim().split(/\s+/u).filter(Boolean).map(Number); // prettier-ignore
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
async function expectNothingLeft(): Promise<void> {
  const started = await pids();
  expect(started.length).toBeGreaterThan(0);
  for (const pid of started) expect(await processStartTime(pid), `process ${pid}`).toBeUndefined();
}

/** A daemon as from a book: new session, no environment, two forks, deaf to hang-ups, nothing kept open. */
const DAEMON = `env -i setsid nohup bash -c '(bash -c "echo \\$\\$ >> pids; touch up; exec sleep 300" &) ; exit' </dev/null >/dev/null 2>&1`;
const UP = 'while [ ! -e up ]; do sleep 0.01; done';

test.runIf(isLinux)('D2: a daemon with a new session and an empty environment ends with its command', async () => {
  const result = await bash(`${DAEMON}; ${UP}; echo done`);
  expect(result.text).toBe('done\n\n[What it left running in the background was ended with it.]');
  await expectNothingLeft();
});

test.runIf(isLinux)('D2: so it does on Stop, on a time limit and on quitting', async () => {
  const stop = new AbortController();
  const stopped = bash(`${DAEMON}; ${UP}; sleep 300`, { signal: stop.signal });
  await until(() => existsSync(join(sandbox.workspaceDir, 'up')));
  stop.abort();
  expect((await stopped).details).toMatchObject({ ending: 'stopped' });
  await expectNothingLeft();
  expect((await bash(`rm up; ${DAEMON}; ${UP}; sleep 300`, { timeout: 1 })).details).toMatchObject({ ending: 'timed_out' }); // prettier-ignore
  await expectNothingLeft();
  const quit = bash(`rm up; ${DAEMON}; ${UP}; touch again; sleep 300`);
  await until(() => existsSync(join(sandbox.workspaceDir, 'again')));
  await host.host.dispose();
  await quit;
  await expectNothingLeft();
});

test.runIf(isLinux)('D2: who was once seen in the group of a command stays known, whatever it does later', async () => {
  const leaves =
    'echo $$ > pids; while [ ! -e leave ]; do sleep 0.01; done; exec env -i setsid bash -c "echo > left; exec sleep 300"';
  const shell = spawn('bash', ['-c', `(bash -c '${leaves}' &); sleep 300`], {
    cwd: sandbox.workspaceDir,
    detached: true,
  });
  const group = shell.pid ?? 0;
  const isThere = (name: string): boolean => existsSync(join(sandbox.workspaceDir, name));
  await until(() => isThere('pids'));
  let [pid = 0] = await pids();
  while (pid === 0) [pid = 0] = await pids();
  // Its parents in the group are gone: it does not descend from the shell any more.
  const parent = async (): Promise<number> => (await readProcStat(pid))?.parent ?? 0;
  while ((await readProcStat(await parent()))?.processGroup === group) await new Promise((resolve) => setTimeout(resolve, 10)); // prettier-ignore
  const seen = new SeenProcesses(group, { mark: randomUUID(), since: await processStartTime(group) });
  seen.start();
  while (!(await seen.alive()).includes(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  writeFileSync(join(sandbox.workspaceDir, 'leave'), '');
  await until(() => isThere('left'));
  await seen.stop();
  expect((await readProcStat(pid))?.processGroup).not.toBe(group);
  expect(await seen.alive()).toContain(pid);
  process.kill(-group, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
});

test.runIf(isLinux)('D2: where the system gives control groups, hiding every mark does not help', async (context) => {
  if ((await commandGroups()) === null) return context.skip();
  const hidden = `env -i setsid bash -c 'ulimit -x 5; (bash -c "echo \\$\\$ >> pids; touch up; exec sleep 300" &); exit' </dev/null >/dev/null 2>&1`;
  await bash(`${hidden}; ${UP}`);
  await expectNothingLeft();
});

test('D2: exit codes, signals, $0 and the process group are those of the command', async () => {
  expect((await bash('exit 7')).details).toMatchObject({ exitCode: 7, signal: null });
  expect((await bash('kill -TERM $$')).details).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
  expect((await bash('echo "${0##*/} $#"; [ "$(ps -o pgid= -p $$ | tr -d " ")" = $$ ] && echo leader')).text).toMatch(/^(bash|sh) 0\nleader$/u); // prettier-ignore
  expect((await bash('sleep 300 & kill %1; wait %1; echo $?')).text).toContain('143');
});

test('D2: another shell gets the null device in the place of what it would inherit', () => {
  expect(closesInherited('/bin/sh')).toBe(false);
  expect(closesInherited('/bin/bash')).toBe(isLinux);
  const covered = coverInherited(['ignore', 'pipe', 'pipe'], 4) as string[];
  expect(covered.slice(0, 3)).toEqual(['ignore', 'pipe', 'pipe']);
  if (isLinux) expect(covered.length).toBeGreaterThan(6);
  expect(new Set(covered.slice(3)).size).toBeLessThanOrEqual(1);
  expect(launchClosed('git', ['status', '$x'], '/bin/sh')).toEqual({ file: 'git', args: ['status', '$x'] });
  if (isLinux) expect(launchClosed('git', ['a b'], '/bin/bash').args.slice(3)).toEqual(['git', 'a b']);
});
