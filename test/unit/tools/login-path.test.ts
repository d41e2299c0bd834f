import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askLoginShell, commandPath, joined } from '../../../src/main/commands/login-path';
import { findShell } from '../../../src/main/commands/programs';

const isWindows = process.platform === 'win32';
let home: string;
beforeEach(() => (home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-login-')))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What a person's shell reads as they log in. */
const profile = (text: string): void => {
  for (const name of ['.profile', '.bash_profile', '.bashrc']) writeFileSync(join(home, name), text);
};
const ask = (
  more: { shell?: string; env?: Record<string, string>; limitMs?: number } = {},
): ReturnType<typeof askLoginShell> =>
  askLoginShell({
    shell: findShell(),
    limitMs: 20_000,
    ...more,
    env: { HOME: home, PATH: '/usr/bin:/bin', ...more.env },
  });

describe.skipIf(isWindows)('WN25: the PATH of the login shell', () => {
  it('is what the profile makes of it, whatever else that prints', async () => {
    profile('echo Welcome; echo >&2 oops; export PATH="/opt/tools of mine/bin:$PATH"; echo Have a nice day');
    expect(await ask()).toMatch(/^\/opt\/tools of mine\/bin:.*\/usr\/bin/);
  });

  it('a profile sees no key of the app, and nothing of it but the PATH is taken', async () => {
    profile(`env > ${home}/seen; export ANTHROPIC_API_KEY=sk-of-the-profile PATH="/opt/x:$PATH"`);
    expect(await ask({ env: { ANTHROPIC_API_KEY: 'sk-of-the-app', SSH_AUTH_SOCK: '/agent' } })).toMatch(/^\/opt\/x:/);
    const seen = readFileSync(join(home, 'seen'), 'utf8');
    expect(seen).toContain(`HOME=${home}`);
    expect(seen).not.toMatch(/sk-of-the-app|SSH_AUTH_SOCK/);
  });

  it('a profile that ends the shell, or never ends, gives none; what it started is gone', async () => {
    profile('exit 3');
    expect(await ask()).toBeUndefined();
    profile(`echo $$ > ${home}/pid; sleep 600`);
    expect(await ask({ limitMs: 2_000 })).toBeUndefined();
    const file = join(home, 'pid');
    if (!existsSync(file)) return;
    const pid = Number(readFileSync(file, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 20_000 });
  });

  it('a service that the profile starts holds nothing up', async () => {
    profile('(sleep 600 &) ; export PATH="/opt/y:$PATH"');
    expect(await ask()).toMatch(/^\/opt\/y:/);
  });

  it('a profile that prints without end, and one without a PATH, give none', async () => {
    profile('while :; do echo yes yes yes yes yes yes yes yes yes yes; done');
    expect(await ask()).toBeUndefined();
    profile('export PATH=relative/bin; printenv() { echo relative/bin; }');
    expect(await ask()).toBeUndefined();
  });

  it.each([null, 'bash', '/none/such'])('a shell that is none gives none: %s', async (shell) => {
    expect(await askLoginShell({ shell, env: { HOME: home } })).toBeUndefined();
  });

  it('a shell that knows none of the options gives none', async () => {
    const shell = join(home, 'shell');
    writeFileSync(shell, '#!/bin/sh\necho "usage: $*"; exit 2\n');
    chmodSync(shell, 0o755);
    expect(await ask({ shell })).toBeUndefined();
  });

  it('what can’t be started for want of files is an error of the question, and of nothing else', async () => {
    const held: number[] = [];
    const fill = (): never => {
      for (;;) held.push(openSync('/dev/null', 'r'));
    };
    expect(fill).toThrow('EMFILE');
    const asked = ask();
    for (const fd of held) closeSync(fd);
    await expect(asked).rejects.toThrow('EMFILE');
  });

  it('a question that could not be asked is asked again with the next command', async () => {
    // More than a system takes as one variable.
    expect(await commandPath({ HOME: home, PATH: '/first', LANG: 'x'.repeat(4_000_000) })).toBe('/first');
    expect(await commandPath({ HOME: home, PATH: '/second' })).toContain('/second');
  });

  it('what was started in a terminal keeps the PATH that it has', async () => {
    expect(await commandPath({ TERM: 'xterm', PATH: '/venv/bin:/usr/bin' })).toBe('/venv/bin:/usr/bin');
  });
});

it('WN25: the login’s folders come first, then those that the app has besides; relative ones are left out', () => {
  expect(joined('/opt/bin:.:/usr/bin', '/usr/bin:/snap/bin:bin')).toBe('/opt/bin:/usr/bin:/snap/bin');
  expect(joined(undefined, '/usr/bin')).toBe('/usr/bin');
  expect(joined('/opt/bin', undefined)).toBe('/opt/bin');
});
