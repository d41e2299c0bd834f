import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBashTool } from '../../../src/main/tools/bash';
import { keepWithinQuota } from '../../../src/main/commands/output-quota';
import { CommandRunner } from '../../../src/main/commands/run-command';
import { makeSandbox, type Sandbox } from './support/host';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(() => sandbox.remove());

test('D4: the oldest outputs of a session give way to a line that says so; one being written and the newest stay', async () => {
  const folder = sandbox.workspaceDir;
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    await writeFile(join(folder, `${name}.txt`), name.repeat(10_000));
    await utimes(join(folder, `${name}.txt`), 1_000 + index, 1_000 + index);
  }
  await writeFile(join(folder, 'other.json'), 'x'.repeat(50_000));
  await keepWithinQuota(folder, 20_000, (name) => name === 'a.txt');
  const sizes = Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).size] as const),
    ),
  );
  expect(sizes).toMatchObject({ 'a.txt': 10_000, 'd.txt': 10_000, 'other.json': 50_000 });
  expect(Object.keys(sizes)).toHaveLength(5);
  for (const name of ['b.txt', 'c.txt'])
    expect(await readFile(join(folder, name), 'utf8')).toMatch(
      /^\[This output of 10000 bytes made room for newer ones/u,
    );
  await keepWithinQuota(folder, 0, () => false);
  expect((await stat(join(folder, 'd.txt'))).size).toBe(10_000);
  await keepWithinQuota(join(folder, 'none'), 0, () => false);
});

test('D4: a command that kept its output makes room for it', async () => {
  const { dataDir, outputsDir, workspaceDir: cwd } = sandbox;
  const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir, maxOutputBytes: 500_000 });
  const run = async (): Promise<string> => {
    const command = 'head -c 300000 /dev/zero | tr "\\0" x';
    return (await runner.run({ toolCallId: 'x', command, cwd, timeoutMs: 60_000 })).output.fullOutputPath ?? '';
  };
  const [first, second] = [await run(), await run()];
  expect(await readFile(first, 'utf8')).toContain('[This output of 300000 bytes made room');
  expect((await stat(second)).size).toBe(300_000);
  await runner.dispose();
});

const MB = 1024 * 1024;

test('D4: while a command floods, older outputs give way before it ends', async () => {
  const { dataDir, outputsDir, workspaceDir: cwd } = sandbox;
  const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir, maxOutputBytes: 20 * MB });
  const run = (command: string) => runner.run({ toolCallId: 'x', command, cwd, timeoutMs: 60_000 });
  const first = (await run(`head -c ${8 * MB} /dev/zero`)).output.fullOutputPath ?? '';
  const file = join(cwd, 'go on');
  const flood = run(`head -c ${40 * MB} /dev/zero; until [ -e '${file}' ]; do sleep 0.01; done`);
  await vi.waitFor(async () => expect((await stat(first)).size).toBeLessThan(1_000), { timeout: 30_000 });
  await writeFile(file, '');
  const { output } = await flood;
  expect(output).toMatchObject({ totalBytes: 40 * MB, keptBytes: 40 * MB, cutBecause: undefined });
  await runner.dispose();
});

test('D4: a command does not fill the disk: the rest of its output is counted and dropped, and it ends by itself', async () => {
  const { dataDir, outputsDir, workspaceDir: cwd } = sandbox;
  let free = 300 * MB;
  const freeBytes = (): Promise<number> => Promise.resolve((free -= 25 * MB));
  const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir, freeBytes });
  const run = (command: string) => runner.run({ toolCallId: 'x', command, cwd, timeoutMs: 60_000 });
  const { output, ending, exitCode } = await run(`head -c ${64 * MB} /dev/zero | tr '\\0' 'x'; echo the end`);
  expect([ending, exitCode]).toEqual(['exited', 0]);
  expect(output).toMatchObject({ totalBytes: 64 * MB + 8, cutBecause: 'room' });
  expect(output.text.endsWith('the end')).toBe(true);
  // Looked at as it begins (275 MB free) and after 16 MB (250 MB).
  expect(output.keptBytes).toBeGreaterThanOrEqual(16 * MB);
  expect(output.keptBytes).toBeLessThan(17 * MB);
  expect((await stat(output.fullOutputPath ?? '')).size).toBe(output.keptBytes);

  // Nearly full from the beginning: the end of the output is there all the same, and the model is told.
  const tool = createBashTool({ root: () => Promise.resolve(cwd), gitPrograms: () => Promise.resolve([]) }, runner);
  const command = `head -c ${4 * MB} /dev/zero | tr '\\0' 'x'; echo the end`;
  const { content } = await tool.run({ command, cwd, timeoutMs: 60_000 }, { toolCallId: 'x' });
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  expect(text).toContain('the end\n');
  const [, kept, dropped] =
    /the first (\d+) bytes were kept and (\d+) dropped, because the disk is nearly full/.exec(text) ?? [];
  expect(Number(kept)).toBeLessThan(MB);
  expect(Number(kept) + Number(dropped)).toBe(4 * MB + 8);
  await runner.dispose();
});

test('D4: floods at once share what is free: together they stay above the floor', async () => {
  const { dataDir, outputsDir, workspaceDir: cwd } = sandbox;
  const paths = ['one', 'two', 'three', 'four'].map((name) => join(outputsDir, name));
  // A disk of which 300 MB are free, with what the four have written so far taken off.
  const used = async (): Promise<number> => {
    const names = (await Promise.all(paths.map((path) => readdir(path).catch(() => [])))).map((found, at) =>
      found.map((name) => join(paths[at] ?? '', name)),
    );
    const sizes = await Promise.all(names.flat().map((file) => stat(file).then(({ size }) => size, () => 0))); // prettier-ignore
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const freeBytes = async (): Promise<number> => 300 * MB - (await used());
  const runners = paths.map((path) => new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir: path, freeBytes })); // prettier-ignore
  const outcomes = await Promise.all(
    runners.map((runner) =>
      runner.run({ toolCallId: 'x', command: `head -c ${40 * MB} /dev/zero`, cwd, timeoutMs: 120_000 }),
    ),
  );
  expect(outcomes.map(({ output }) => output.totalBytes)).toEqual([40 * MB, 40 * MB, 40 * MB, 40 * MB]);
  expect(outcomes.some(({ output }) => output.cutBecause === 'room')).toBe(true);
  expect(300 * MB - (await used())).toBeGreaterThanOrEqual(256 * MB);
  // What one was granted and did not use is there for the next.
  expect(await used()).toBeGreaterThan(16 * MB);
  await Promise.all(runners.map((runner) => runner.dispose()));
});
