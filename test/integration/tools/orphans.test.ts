import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announceCommand, reapOrphans } from '../../../src/main/commands/orphans';
import { processStartTime } from '../../../src/main/commands/proc';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';
import { startProgram } from './programs/run-program';

let sandbox: Sandbox;
let running: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  sandbox = await makeSandbox();
  running = join(sandbox.dataDir, 'running');
  await mkdir(running);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  sandbox.remove();
});

const isAlive = async (pid: number): Promise<boolean> => (await processStartTime(pid)) !== undefined;
async function crashedRun(): Promise<number[]> {
  const child = startProgram('leave-behind', [sandbox.dataDir, sandbox.workspaceDir]);
  children.push(child);
  const pids = async (): Promise<number[]> =>
    (await readFile(join(sandbox.workspaceDir, 'pids'), 'utf8').catch(() => '')).split('\n').slice(0, -1).map(Number);
  // The one that says that it is ready may be there before the others have said who they are.
  while (!existsSync(join(sandbox.workspaceDir, 'ready')) || (await pids()).length < 3)
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  return pids();
}
function stranger(): number {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  children.push(child);
  return child.pid ?? 0;
}

test('QB4: what a killed app left running is ended at the next start, in and out of its group', async () => {
  const pids = await crashedRun();
  expect(pids).toHaveLength(3);
  expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true]);
  expect(await reapOrphans(running)).toBe(1);
  expect(await Promise.all(pids.map(isAlive))).toEqual([false, false, false]);
  expect(await readdir(running)).toEqual([]);
  expect(await reapOrphans(running)).toBe(0);
});

test('QB4: a process that only has the same number is never touched; damaged files are removed', async () => {
  const pid = stranger();
  const owner = { pid: 999_999_999, startTime: '1' };
  const mark = randomUUID();
  await writeFile(join(running, `${mark}.json`), JSON.stringify({ mark, group: pid, startTime: '12345', owner }));
  const bare = randomUUID();
  await writeFile(join(running, `${bare}.json`), JSON.stringify({ mark: bare, group: pid, owner }));
  for (const group of [0, 1, -1, process.pid]) {
    const name = randomUUID();
    await writeFile(join(running, `${name}.json`), JSON.stringify({ mark: name, group, startTime: 'x', owner }));
  }
  await writeFile(join(running, `${randomUUID()}.json`), '{"mark":');
  for (const name of ['notes.json', 'other.txt']) await writeFile(join(running, name), 'not ours');
  expect(await reapOrphans(running)).toBe(0);
  expect(await isAlive(pid)).toBe(true);
  expect((await readdir(running)).sort()).toEqual(['notes.json', 'other.txt']);
});

test('QB4: commands of a living owner are left alone', async () => {
  const pid = stranger();
  const file = await announceCommand(running);
  await file.started(pid);
  expect(await reapOrphans(running)).toBe(0);
  expect(await isAlive(pid)).toBe(true);
  expect(await readdir(running)).toEqual([`${file.mark}.json`]);
  await file.remove();
  expect(await reapOrphans(join(sandbox.dataDir, 'no-such-folder'))).toBe(0);
});

test('a pipe or a file without end among the notes holds up nothing and is removed', async () => {
  execFileSync('mkfifo', [join(running, `${randomUUID()}.json`)]);
  await writeFile(join(running, `${randomUUID()}.json`), ' '.repeat(70_000));
  expect(await reapOrphans(running)).toBe(0);
  expect(await readdir(running)).toEqual([]);
});
