import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startProgram } from './tools/programs/run-program';

/** docs/specs/safety.md A11: a process that was quit ends, whatever its threads do. The real app: `test/e2e/quit.spec.ts`. */
let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-quit-'));
  log = join(folder, 'main.log');
  writeFileSync(log, 'before\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let app = 0;
/** Guards of the app that was started last. */
const guards = (): string[] =>
  execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`espalier-quit ${app} `));

async function quit(how: string, seconds: number): Promise<{ code: number | null; signal: string | null }> {
  const child = startProgram('quit-and-spin', [how, log, `${seconds}`]);
  app = child.pid!;
  let printed = '';
  child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  await expect.poll(() => printed, { timeout: 30_000 }).toContain('quitting');
  if (how === 'ends') {
    await expect.poll(guards, { timeout: 30_000 }).not.toEqual([]);
    writeFileSync(`${log}.go`, '');
  }
  return ended;
}

// What the runtime closes at its end is seen in /proc.
const HOWS = process.platform === 'linux' ? ['loop', 'native', 'closed'] : ['loop', 'native'];

it.skipIf(process.platform === 'win32').each(HOWS)(
  'A11: a quit that ends in an endless %s is ended, and the log says where it stood',
  async (how) => {
    expect(await quit(how, 2)).toEqual({ code: null, signal: 'SIGKILL' });
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 30_000 }).toMatch(/on the disk\.\n$/);
    const [before, first, second] = readFileSync(log, 'utf8').split('\n');
    expect(before).toBe('before');
    expect(first).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[error\] The app did not end within 2 s after it was quit, and was ended from outside\. Threads at work: /,
    );
    if (process.platform === 'linux') expect(first).toMatch(/Threads at work: \S/);
    expect(second).toContain(
      '[error] That quit stood at: closing the files. What was told to be saved is on the disk.',
    );
    await expect.poll(guards, { timeout: 30_000 }).toEqual([]);
  },
  60_000,
);

it.skipIf(process.platform === 'win32')(
  'A11: after a quit that ends nothing is left and nothing is noted',
  async () => {
    expect(await quit('ends', 600)).toEqual({ code: 0, signal: null });
    await expect.poll(guards, { timeout: 30_000 }).toEqual([]);
    expect(readFileSync(log, 'utf8')).toBe('before\n');
  },
  60_000,
);
