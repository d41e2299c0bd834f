import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FolderCheck } from '../../../src/main/commands/launch';
import type { FolderIdentity } from '../../../src/main/places/folder';

/** How a shell is told in which folder it has to stand (docs/specs/safety.md C2), with the system's own `stat`. */

/** What stands in place of the system's program, and of what is known of a folder. */
const instead = vi.hoisted<{ program?: string; identify?: (path: string) => FolderIdentity | null | undefined }>(
  () => ({}),
);
vi.mock('../../../src/main/commands/programs', async (original) => {
  const real = await original<typeof import('../../../src/main/commands/programs')>();
  const findProgram: typeof real.findProgram = async (name, ...rest) => {
    const found = await real.findProgram(name, ...rest);
    return name === 'stat' && instead.program !== undefined ? { file: instead.program, path: '' } : found;
  };
  return { ...real, findProgram };
});
vi.mock('../../../src/main/places/folder', async (original) => {
  const real = await original<typeof import('../../../src/main/places/folder')>();
  const identify: typeof real.identify = async (path) => {
    const found = instead.identify?.(path);
    return found === undefined ? real.identify(path) : found;
  };
  return { ...real, identify };
});

let base: string;
let own: string;
let work: string;
beforeEach(() => {
  // What is known of the program is found out once: each test does it anew.
  vi.resetModules();
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-folder-check-')));
  [own, work] = [join(base, 'own'), join(base, 'work')];
  for (const folder of [own, work]) mkdirSync(folder);
});
afterEach(() => {
  delete instead.program;
  delete instead.identify;
  rmSync(base, { recursive: true, force: true });
});

async function identityOf(path: string): Promise<FolderIdentity> {
  const { identify } = await import('../../../src/main/places/folder');
  return (await identify(path))!;
}
async function check(folder: FolderIdentity): Promise<FolderCheck> {
  const { folderCheck } = await import('../../../src/main/commands/launch');
  return folderCheck(folder, own);
}
function program(text: string): void {
  instead.program = join(base, 'program');
  writeFileSync(instead.program, `#!/bin/sh\n${text}\n`);
  chmodSync(instead.program, 0o755);
}
const system = existsSync('/usr/bin/stat') ? '/usr/bin/stat' : '/bin/stat';
const saidOf = ({ program: file, option, format }: FolderCheck): string =>
  execFileSync(file, [option, format, '.'], { cwd: work, encoding: 'utf8', env: { LC_ALL: 'C' } }).trim();

/** Not found out in a test that is skipped without a word: what these hold depends on it. */
const hasBirths = await (async () => {
  const { identify } = await import('../../../src/main/places/folder');
  const dir = mkdtempSync(join(tmpdir(), 'espalier-births-'));
  const isGnu = spawnSync(system, ['--version'], { encoding: 'utf8' }).stdout.includes('GNU');
  const born = (await identify(dir))?.born;
  rmSync(dir, { recursive: true });
  if (born === undefined || !isGnu)
    console.warn(`Skipped: no times of birth in ${tmpdir()}, or no GNU stat; TMPDIR may name another folder.`);
  return born !== undefined && isGnu;
})();

describe.skipIf(process.platform === 'win32')('C2: the words of a folder', () => {
  it('are what the program says there', async () => {
    const asked = await check(await identityOf(work));
    expect(asked.words).toMatch(/^\d+:\d+/);
    expect(saidOf(asked)).toBe(asked.words);
  });

  it.runIf(hasBirths)('hold the time of birth, so a new folder with the same number is another one', async () => {
    const folder = await identityOf(work);
    const asked = await check(folder);
    expect(asked.words).toBe(`${folder.dev}:${folder.ino} ${folder.born!.replace(/(\d{9})$/, '.$1')}`);
    expect(saidOf(asked)).toBe(asked.words);
    expect((await check({ ...folder, born: String(BigInt(folder.born!) + 1n) })).words).not.toBe(asked.words);
  });

  it.runIf(hasBirths)('hold it too where the data folder keeps none', async () => {
    const folder = await identityOf(work);
    const { born: _, ...unborn } = await identityOf(own);
    instead.identify = (path) => (path === own ? unborn : path === tmpdir() ? { ...folder } : undefined);
    expect((await check(folder)).words).toContain('.');
  });

  it.runIf(hasBirths)('are found with a program that writes numbers as the person does', async () => {
    program(`if [ "$LC_ALL" = C ]; then exec ${system} "$@"; fi; ${system} "$@" | tr . ,`);
    vi.stubEnv('LC_ALL', 'de_DE');
    const asked = await check(await identityOf(work));
    vi.unstubAllEnvs();
    expect(asked.words).toContain('.');
  });

  it('are none where the program tells no numbers', async () => {
    program('echo something else');
    expect(await check(await identityOf(work))).toMatchObject({ words: '', program: '' });
  });
});

describe.skipIf(process.platform === 'win32')('C2: the program cannot be tried', () => {
  it.each<[string, () => void]>([
    ['our folder cannot be looked at', () => (instead.identify = (path) => (path === own ? null : undefined))],
    ['it is ended before it says anything', () => program('kill -9 $$')],
    ['it cannot be started', () => (instead.program = join(base, 'none'))],
  ])('%s: this command is refused, the next one is checked', async (_what, spoil) => {
    const folder = await identityOf(work);
    spoil();
    await expect(check(folder)).rejects.toThrow(
      'It could not be found out whether the folder is the one that was shown.',
    );
    delete instead.program;
    delete instead.identify;
    expect((await check(folder)).words).toContain(`${folder.dev}:${folder.ino}`);
  });
});

describe.skipIf(process.platform === 'win32')('C2: in the shell', () => {
  /** A locale with a comma in its numbers, made for this test: commands get no path to one. */
  function commaLocale(): boolean {
    mkdirSync(join(base, 'locales'));
    spawnSync('localedef', ['--no-archive', '-i', 'de_DE', '-f', 'ISO-8859-1', join(base, 'locales/de_DE')]);
    const env = { LOCPATH: join(base, 'locales'), LC_ALL: 'de_DE' };
    return spawnSync(system, ['-c', '%.9Y', base], { encoding: 'utf8', env }).stdout.includes(',');
  }

  it.runIf(hasBirths)('a command runs under a locale with a decimal comma', async ({ skip }) => {
    if (!commaLocale()) skip('No locale with a decimal comma can be made here: it takes localedef and its sources.');
    program(`LOCPATH=${base}/locales exec ${system} "$@"`);
    vi.stubEnv('LC_ALL', 'de_DE');
    const { CommandRunner } = await import('../../../src/main/commands/run-command');
    const runner = new CommandRunner({ runningDir: own, outputsDir: join(base, 'outputs') });
    const folder = await identityOf(work);
    const command = 'echo "$LC_ALL"; touch ran';
    const outcome = await runner.run({ toolCallId: 'c', command, cwd: work, folder, timeoutMs: 60_000 });
    vi.unstubAllEnvs();
    expect(outcome).toMatchObject({ exitCode: 0, output: { text: expect.stringMatching(/^de_DE$/m) } });
    expect(existsSync(join(work, 'ran'))).toBe(true);
    await runner.dispose();
  });

  it('a command that was stopped while its folder was being checked does not start', async () => {
    const began = join(base, 'began');
    program(`: > ${began}; while [ ! -e ${base}/go ]; do sleep 0.01; done; exec ${system} "$@"`);
    const { CommandRunner } = await import('../../../src/main/commands/run-command');
    const runner = new CommandRunner({ runningDir: own, outputsDir: join(base, 'outputs') });
    const stop = new AbortController();
    const request = {
      toolCallId: 'c',
      command: ': > ran',
      cwd: work,
      folder: await identityOf(work),
      timeoutMs: 60_000,
    };
    const running = runner.run({ ...request, signal: stop.signal }).catch((error: Error) => error.message);
    await expect.poll(() => existsSync(began)).toBe(true);
    stop.abort();
    writeFileSync(join(base, 'go'), '');
    expect(await running).toBe('The command was not started: the run was stopped.');
    expect(existsSync(join(work, 'ran'))).toBe(false);
  });
});
