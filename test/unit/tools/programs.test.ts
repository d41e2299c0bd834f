import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildCommandEnv, findProgram } from '../../../src/main/commands/programs';
let base: string;
beforeEach(() => (base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-programs-')))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

const program = (...parts: string[]): string => {
  const folder = join(base, ...parts);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tool'), '');
  chmodSync(join(folder, 'tool'), 0o755);
  return folder;
};

it('a program is found by absolute entries outside the folder alone', async () => {
  const [inside, outside] = [program('work', 'bin'), program('bin')];
  const path = ['.', '', 'node_modules/.bin', inside, join(base, 'none'), outside].join(':');
  expect(await findProgram('tool', join(base, 'work'), path)).toEqual({ file: join(outside, 'tool'), path: outside });
  expect(await findProgram('tool', join(base, 'work'), `.:${inside}`)).toBeNull();
});

it('what is no program is passed over', async () => {
  const [first, second] = [program('a'), program('b')];
  rmSync(join(first, 'tool'));
  mkdirSync(join(first, 'tool'));
  expect(await findProgram('tool', join(base, 'work'), `${first}:${second}`).catch(() => null)).toBeNull();
  mkdirSync(join(base, 'work'));
  expect((await findProgram('tool', join(base, 'work'), `${first}:${second}`))?.file).toBe(join(second, 'tool'));
});

it('WN25: the way to the SSH agent is given only if the person allows it', () => {
  const env = { PATH: '/usr/bin', SSH_AUTH_SOCK: '/run/agent', SSH_AGENT_PID: '7' };
  expect(buildCommandEnv(env, 'mark')).not.toHaveProperty('SSH_AUTH_SOCK');
  expect(buildCommandEnv(env, 'mark', true)).toMatchObject({ SSH_AUTH_SOCK: '/run/agent' });
  expect(buildCommandEnv({}, 'mark', true)).not.toHaveProperty('SSH_AUTH_SOCK');
  expect(buildCommandEnv(env, 'mark', true)).not.toHaveProperty('SSH_AGENT_PID');
});

it('a command keeps the PATH of the person but for what is relative', () => {
  const pathOf = (PATH?: string): string | undefined => buildCommandEnv({ PATH }, 'mark').PATH;
  expect(pathOf('node_modules/.bin:/opt/x:.::/usr/bin')).toBe('/opt/x:/usr/bin');
  expect(pathOf('.')).toBe('/usr/local/bin:/usr/bin:/bin');
  expect(pathOf()).toBe('/usr/local/bin:/usr/bin:/bin');
});
