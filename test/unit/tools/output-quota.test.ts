import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepWithinQuota } from '../../../src/main/tools/output-quota';
import { CommandRunner } from '../../../src/main/tools/run-command';
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
