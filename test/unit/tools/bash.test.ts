import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LET_GO } from '../../../src/shared/policy/call-outcome';
import { MAX_TOOL_OUTPUT_BYTES } from '../../../src/shared/limits';
import { processStartTime } from '../../../src/main/commands/proc';
import { isGroupAlive } from '../../../src/main/commands/processes';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
let chunks: string[];
beforeEach(async () => {
  sandbox = await makeSandbox();
  chunks = [];
  host = await makeHost(sandbox, { onOutput: ({ chunk }) => chunks.push(chunk) });
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

const bash = (command: string, more: { timeout?: number; signal?: AbortSignal } = {}) =>
  host.call('bash', { command, timeout: more.timeout }, { signal: more.signal });
const pidsIn = async (name: string): Promise<number[]> =>
  (await readFile(join(sandbox.workspaceDir, name), 'utf8')).trim().split(/\s+/u).map(Number);
async function expectGone(pids: number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(await processStartTime(pid), `process ${pid}`).toBeUndefined();
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('TL12: output of both streams, exit code, folder; exit code 0 is no error', async () => {
  const good = await bash('pwd; echo err >&2');
  expect(good.text.split('\n').sort()).toEqual([sandbox.workspaceDir, 'err'].sort());
  expect(good).toMatchObject({
    isError: false,
    details: { exitCode: 0, ending: 'exited', failed: false, truncated: false },
  });
  const bad = await bash('echo out; exit 3');
  expect(bad.text).toBe('out\n\n[Exit code 3.]');
  expect(bad).toMatchObject({ isError: true, details: { exitCode: 3, failed: true } });
  expect((await bash('true')).text).toBe('(no output)');
  expect((await bash('kill -9 $$')).text).toContain('[Ended by SIGKILL.]');
});

test('TL17: characters cut between writes are joined per stream, also with the other stream in between', async () => {
  const result = await bash(
    String.raw`printf 'a\xe2\x82'; sleep 0.2; printf 'ERR\xc3' >&2; sleep 0.2; printf '\xacb'; sleep 0.2; printf '\xa9' >&2`,
  );
  expect(result.text).toContain('€b');
  expect(result.text).toContain('é');
  expect(result.text).not.toContain('\ufffd');
});

test('TL17: terminal sequences, redrawn lines and binary bytes become plain text', async () => {
  const result = await bash(
    String.raw`printf '\033[31mred\033[0m\n10%%\r55%%\r100%%\nwin\r\n\001\000bin\377\n\033]0;title\007end'`,
  );
  expect(result.text).toBe('red\n100%\nwin\nbin\ufffd\nend');
});

test('TL17: more output than a result carries: its end is given, all of it is in a file that can be read without asking', async () => {
  const result = await bash('for i in $(seq 1 30000); do echo "line $i"; done');
  expect(result.details).toMatchObject({ truncated: true, totalLines: 30_000, exitCode: 0 });
  const path = result.details['fullOutputPath'] as string;
  expect(result.text).toContain('line 30000\n\n[The last 2000 of 30000 lines (');
  expect(result.text).toContain(path);
  expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(MAX_TOOL_OUTPUT_BYTES + 300);
  const whole = await readFile(path, 'utf8');
  expect(whole.split('\n')).toHaveLength(30_001);
  expect(whole.startsWith('line 1\nline 2\n')).toBe(true);
  host.asked.length = 0;
  expect((await host.call('read', { path, offset: 15_000, limit: 1 })).text).toContain('line 15000');
  expect(host.asked).toHaveLength(0);
  await expect(host.call('write', { path, content: 'x' })).rejects.toThrow("Espalier's own data");
});

test('TL17: output between the result cap and the ring is kept in a file too; one long line is cut from its start', async () => {
  const result = await bash("head -c 60000 /dev/zero | tr '\\0' x; echo END");
  expect(result.text.startsWith('x')).toBe(true);
  expect(result.text).toContain('xEND\n\n[The last 1 of 1 lines (60004 bytes in all). All of it: ');
  expect((await readFile(result.details['fullOutputPath'] as string)).length).toBe(60_004);
});

test('TL12: a time limit ends the whole group and keeps the output', async () => {
  const result = await bash('echo started; sleep 300 & echo $! > pids; sleep 300', { timeout: 0.5 });
  expect(result.text).toBe('started\n\n[Ended after its time limit of 0.5 s.]');
  expect(result).toMatchObject({ isError: true, details: { ending: 'timed_out' } });
  await expectGone(await pidsIn('pids'));
});

test('AG8: what ended with the app says so, not that the person stopped it', async () => {
  const stop = new AbortController();
  const running = bash('echo begun > begun; sleep 60', { signal: stop.signal });
  await until(() => existsSync(join(sandbox.workspaceDir, 'begun')));
  stop.abort(LET_GO);
  const result = await running;
  expect(result).toMatchObject({ isError: true, details: { ending: 'broken_off' } });
  expect(result.text).toContain('[Ended before it was done: the run broke off.]');
  expect(result.text).not.toContain('person');
});

test('TL12: stopping ends everything, also what ignores SIGTERM or left the group', async () => {
  const stop = new AbortController();
  const running = bash(
    `trap '' TERM; echo $$ > pids; (trap '' TERM; echo $BASHPID >> pids; while :; do sleep 0.05; done) & setsid bash -c 'trap "" TERM; echo $$ >> pids; echo ready > ready; while :; do sleep 0.05; done' & while :; do sleep 0.05; done`,
    { signal: stop.signal },
  );
  await until(() => existsSync(join(sandbox.workspaceDir, 'ready')));
  stop.abort();
  const result = await running;
  expect(result).toMatchObject({ isError: true, details: { ending: 'stopped' } });
  expect(result.text).toContain('[Stopped by the person.]');
  const pids = await pidsIn('pids');
  expect(pids).toHaveLength(3);
  await expectGone(pids);
});

test('TL12: an aborted signal never starts anything', async () => {
  const stop = new AbortController();
  const never = host.call('bash', { command: 'touch ran' }, { signal: stop.signal, between: () => stop.abort() });
  await expect(never).rejects.toThrow();
  expect(existsSync(join(sandbox.workspaceDir, 'ran'))).toBe(false);
  expect(await readdir(join(sandbox.dataDir, 'running')).catch(() => [])).toEqual([]);
});

test('TL12: a background child that holds the output open cannot hold the call, and ends with it', async () => {
  const result = await bash('sleep 300 & echo $! > pids; echo done');
  expect(result.text).toBe('done\n\n[What it left running in the background was ended with it.]');
  await expectGone(await pidsIn('pids'));
  const escaped = await bash('setsid sleep 300 & sleep 0.1; echo $! > pids; echo done');
  expect(escaped.text).toContain('done');
  await expectGone(await pidsIn('pids'));
});

test.each([
  ['its job is given up and its output closed', 'sleep 300 & echo $! > pids; disown; exec >/dev/null 2>&1'],
  ['its descriptors are closed', 'exec >&- 2>&-; sleep 300 & echo $! > pids; disown -a'],
  [
    'it is in a session of its own without an environment',
    'env -i setsid nohup sleep 300 >/dev/null 2>&1 & echo $! > pids',
  ],
  [
    'it is all that is left of the command',
    '(sleep 300 >/dev/null 2>&1 & echo $! > pids) & while [ ! -s pids ]; do sleep 0.01; done; exec true',
  ],
])('TL12: a background child ends with its command and is told: %s', async (_, command) => {
  const result = await bash(command);
  expect(result.text).toBe('(no output)\n\n[What it left running in the background was ended with it.]');
  await expectGone(await pidsIn('pids'));
});

test('TL12: a background child that writes without end cannot hold the call either', async () => {
  const result = await bash('yes & echo first');
  expect(result.details).toMatchObject({ exitCode: 0, ending: 'exited' });
});

test('TL12: a command may delete its folder; the next one says what is wrong', async () => {
  expect((await bash('cd .. && rm -rf work && echo gone')).text).toBe('gone');
  await expect(bash('true')).rejects.toThrow('no longer exists. Choose another folder');
  await mkdir(sandbox.workspaceDir);
  expect((await bash('echo back')).text).toBe('back');
});

test('TL12: the environment is the allow-list; keys of the app never reach a command', async () => {
  process.env['ANTHROPIC_API_KEY'] = 'canary-sk-1';
  process.env['OPENAI_API_KEY'] = 'canary-sk-2';
  process.env['LC_NOTREAL'] = 'C';
  process.env['LD_PRELOAD_X'] = 'canary-3';
  try {
    const { text } = await bash("env | cut -d= -f1 | sort; env; cat /proc/self/environ | tr '\\0' '\\n'; set");
    expect(text).not.toContain('canary');
    const names = text.slice(0, text.indexOf('=')).split('\n').slice(0, -1);
    const allowed = /^(PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TERM|TMPDIR|USER|SHELL|ESPALIER_COMMAND|PWD|OLDPWD|SHLVL|_)$/u;
    expect(names.filter((name) => !allowed.test(name))).toEqual([]);
    expect(names).toContain('LC_NOTREAL');
  } finally {
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'LC_NOTREAL', 'LD_PRELOAD_X']) delete process.env[name];
  }
});

test('TL12: no core files, a bound on processes, nothing to read from', async () => {
  const { text } = await bash('ulimit -c; n=$(ulimit -u); [ "$n" -le 4096 ] && echo bounded; cat; echo "n=$n"');
  expect(text).toMatch(/^0\nbounded\nn=\d+$/u);
});

test('TL12: live output arrives while the command runs and adds up to the output', async () => {
  const running = bash('echo one; sleep 0.3; echo two; while [ ! -e go ]; do sleep 0.02; done; echo three');
  await until(() => chunks.join('').includes('two'));
  expect(chunks.join('')).toBe('one\ntwo\n');
  await host.call('write', { path: 'go', content: '' });
  expect((await running).text).toBe('one\ntwo\nthree');
  expect(chunks.join('')).toBe('one\ntwo\nthree\n');
});

test('TL12: of fast output only the end of each interval is sent', async () => {
  await bash('seq 1 400000');
  expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(16_400);
  expect(chunks.join('').endsWith('400000\n')).toBe(true);
});

test('TL12: two commands at once do not disturb each other, and disposing ends both', async () => {
  const runs = [bash('echo $$ > one; sleep 300'), bash('echo $$ > two; sleep 300')];
  // There and written: the shell makes the file before it has anything to put into it.
  const ready = (name: string): boolean => {
    const path = join(sandbox.workspaceDir, name);
    return existsSync(path) && readFileSync(path, 'utf8').endsWith('\n');
  };
  await until(() => ready('one') && ready('two'));
  await host.host.dispose();
  const results = await Promise.all(runs);
  expect(results.map((result) => result.details['ending'])).toEqual(['broken_off', 'broken_off']);
  for (const pid of [...(await pidsIn('one')), ...(await pidsIn('two'))]) expect(await isGroupAlive(pid)).toBe(false);
  await expect(bash('true')).rejects.toThrow('the run was stopped');
  expect(await readdir(join(sandbox.dataDir, 'running'))).toEqual([]);
});

test('TL12: commands that cannot work are refused before anyone is asked', async () => {
  host.asked.length = 0;
  await expect(bash('  ')).rejects.toThrow('The command is empty.');
  await expect(bash('echo \0')).rejects.toThrow('NUL');
  await expect(bash(`: ${'x'.repeat(110_000)}`)).rejects.toThrow('longer than 102400 bytes');
  expect(host.asked).toHaveLength(0);
  expect((await bash(`: ${'x'.repeat(100_000)}; echo ok`)).text).toBe('ok');
  await rm(join(sandbox.workspaceDir, 'none'), { force: true });
});
