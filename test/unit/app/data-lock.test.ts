import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeDataFolder } from '../../../src/main/app/data-folder';
import { sinceOf } from '../../../src/main/commands/proc';

/** docs/specs/safety.md A11: two processes never have one data folder. */
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-lock-'));
  file = join(folder, 'instance.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holder = (): unknown => (JSON.parse(readFileSync(file, 'utf8')) as { pid: unknown }).pid;

it('is taken where nobody has it, and by who has it already', async () => {
  expect(await takeDataFolder(file)).toBeNull();
  expect(await takeDataFolder(file)).toBeNull();
  expect(holder()).toBe(process.pid);
});

it.skipIf(process.platform !== 'linux')('waits for the process that has it, and no longer', async () => {
  const other = spawn('sleep', ['600'], { stdio: 'ignore' });
  const { pid = 0 } = other;
  writeFileSync(file, JSON.stringify({ pid, host: hostname(), since: await sinceOf(pid) }));
  expect(await takeDataFolder(file, 200)).toBe(pid);
  expect(holder()).toBe(pid);
  const taking = takeDataFolder(file, 600_000);
  other.kill('SIGKILL');
  expect(await taking).toBeNull();
  expect(holder()).toBe(process.pid);
});

it('another process with its number, another computer’s and nonsense hold nothing', async () => {
  const ours = { pid: process.ppid, host: hostname(), since: 'another boot:1' };
  for (const text of [JSON.stringify(ours), JSON.stringify({ ...ours, host: 'elsewhere' }), '{', '[]', '{"pid":-1}']) {
    writeFileSync(file, text);
    expect(await takeDataFolder(file, 200)).toBeNull();
  }
});
