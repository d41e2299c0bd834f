import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { extensionsOf } from '../../../src/main/project/extension-files';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** A process is started again, and the extensions loaded in it. */
const PATIENT = { timeout: 30_000 };

let host: RunningHost;
afterEach(() => host.runner.close());

test('EX17: extensions of a trusted workspace are loaded again when their files change, or others come', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'watched-'));
  const put = (name: string, command: string): void => {
    mkdirSync(join(workspace, '.pi/extensions', name, '..'), { recursive: true });
    const body = `export default (pi: any) => pi.registerCommand('${command}', { handler: () => {} });`;
    writeFileSync(join(workspace, '.pi/extensions', name), body);
  };
  put('a.ts', 'one');
  host = await runExtensions(
    {},
    { find: async () => [{ workspace, extensions: await extensionsOf(workspace) }], facts: { cwd: workspace } },
  );
  const commands = async () => (await host.runner.list()).map(({ name, commands: all }) => `${name}: ${all.join()}`);
  expect(await commands()).toEqual(['a: one']);
  put('a.ts', 'two');
  await expect.poll(commands, PATIENT).toEqual(['a: two']);
  put('pkg/index.ts', 'three');
  await expect.poll(commands, PATIENT).toEqual(['a: two', 'pkg: three']);
});
