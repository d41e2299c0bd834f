import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { journals } from '../support/e2e/files';
import { launchPackaged, type PackagedApp } from '../support/e2e/packaged-app';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** What `npm run package -- --dir` makes starts, answers and remembers: on the development runtime where no other is to be had. */
test.describe.configure({ mode: 'serial' });

interface Fuses {
  readFuses(executable: string): Promise<{ wrong: string[]; missing: string[] }>;
}

const home = newHome();
let server: ModelServer;
let executable: string;
let app: PackagedApp | undefined;

interface AsarFolder {
  files: Record<string, AsarFolder>;
}

/** The folders and files of an asar: its header, behind four numbers, the last of which is the header's length. */
function listOf(asar: string): AsarFolder {
  const bytes = readFileSync(asar);
  return JSON.parse(bytes.subarray(16, 16 + bytes.readUInt32LE(12)).toString('utf8')) as AsarFolder;
}

const windowOf = ({ page }: PackagedApp): AppWindow => new AppWindow({ page } as RunningApp);

test.beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/package.mjs', '--dir'], {
    maxBuffer: 16 * 1024 * 1024,
  });
  executable = /fuses of (.+) are as they must be/.exec(stdout)?.[1] ?? '';
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
});
test.afterAll(async () => {
  await app?.close();
  await server.close();
  removeHome(home);
});

test('its fuses are as in a release, but for those that an older runtime has no place for', async () => {
  const { readFuses } = (await import(join(process.cwd(), 'scripts/lib/fuses.mjs'))) as Fuses;
  const { wrong, missing } = await readFuses(executable);
  expect(wrong).toEqual([]);
  const isForTests = existsSync(join(dirname(executable), 'DEVELOPMENT-RUNTIME.txt'));
  if (!isForTests) expect(missing).toEqual([]);
  // Named where it is read: what this run has not shown.
  for (const name of missing) console.log(`not tried: the fuse ${name}, which this Electron does not have`);
});

test('it starts from its asar alone and answers; main takes no debugger', async () => {
  const resources = join(dirname(executable), 'resources');
  const { files } = listOf(join(resources, 'app.asar'));
  expect(Object.keys(files).sort()).toEqual(['out', 'package.json', 'resources']);
  // What main reads beside its own code (src/main/app/window.ts).
  expect(Object.keys(files.resources?.files ?? {})).toEqual(['icon.png']);
  expect(existsSync(join(resources, 'app'))).toBe(false);
  expect(readFileSync(join(resources, 'THIRD-PARTY.txt'), 'utf8')).toContain('react');
  app = await launchPackaged(executable, home);
  const window = windowOf(app);
  expect(app.page.url()).toBe('app://app/index.html');
  expect(app.output()).not.toContain('Debugger listening');
  const { version } = await window.request('app.bootstrap', {});
  expect(version).toMatch(executable.includes('development-runtime') ? /^\d.*-development-runtime$/ : /^[\d.]+$/);
  await window.startSession('Packed', modelOf(endpointOn(server.url, 'loopback')));
  server.script('An answer out of the box.');
  await window.say('Are you in there?');
  await answered(app.page, 'An answer out of the box.');
});

test('after a restart the chat is there, and goes on', async () => {
  expect(await app?.close()).toBe(0);
  app = await launchPackaged(executable, home);
  await expect(app.page.locator('[data-transcript]')).toContainText('An answer out of the box.', { timeout: LONG });
  server.script('Still here.');
  await windowOf(app).say('And now?');
  await answered(app.page, 'Still here.');
});

test('SE3: its search finds what was said: thread and library come out of the asar', async () => {
  const page = app?.page;
  if (!page) throw new Error('The app is not running.');
  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('combobox', { name: 'Search all sessions' }).fill('answer out of the box');
  await expect(page.locator('[data-hit]').first()).toContainText('An answer out of the box.');
  await page.keyboard.press('Escape');
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} quits it in order: the reply under way is recorded`, async () => {
    test.skip(process.platform === 'win32', 'There are no such signals.');
    app ??= await launchPackaged(executable, home);
    const begin = `${signal} came after this.`;
    const reply = `${begin} ${'word '.repeat(40)}`;
    server.script({ text: reply, chunkChars: 60, holdAt: { frame: 2, until: new Promise<void>(() => undefined) } });
    const window = windowOf(app);
    await window.say('Go on');
    await expect(window.transcript).toContainText(begin, { timeout: LONG });
    const ended = app.signal(signal);
    app = undefined;
    expect(await ended).toBe(0);
    expect(journals(home)).toContain(begin);
  });
}
