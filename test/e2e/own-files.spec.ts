import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval, LONG, send } from '../support/e2e/chat';
import { exchange, header } from '../support/e2e/session-files';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { noisePng } from '../support/pictures';

/** docs/specs/safety.md A5: the app's own files at the start, whatever became of them. */

let home: string;
let app: RunningApp;
let window: AppWindow;

const own = (name: string): string => join(home, name);
const session = (name: string): string => join(home, 'sessions', name);
const asides = (): string[] => readdirSync(home).filter((name) => name.includes('.bad-'));
const notices = () => app.page.getByRole('alert').filter({ has: app.page.getByRole('button', { name: 'Dismiss' }) });

async function start(): Promise<void> {
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  window = new AppWindow(app);
}

test.beforeEach(() => {
  home = newHome();
  mkdirSync(join(home, 'sessions'), { recursive: true });
});
test.afterEach(async () => {
  await app.close();
  removeHome(home);
});

test('damaged endpoints: the app starts, says what is where, and says it once', async () => {
  writeFileSync(own('endpoints.json'), '{"endpoints":[{"id');
  await start();
  await expect(notices()).toContainText('The saved endpoints could not be read: the file is damaged.');
  expect(asides()).toHaveLength(1);
  await expect(notices()).toContainText(`The old file is kept as ${asides()[0]!}.`);
  await takeShots(app, 'own-files-damaged');
  await send(app.page, 'Hello');
  await answered(app.page, 'Hello');
  await app.close();
  await start();
  await expect(window.transcript).toContainText('Hello');
  await expect(notices()).toHaveCount(0);
});

test('settings, rules and keys that can’t be read: left alone, everything asks, and what would change them is refused', async () => {
  for (const name of ['settings.json', 'approvals.json', 'credentials.json']) mkdirSync(own(name));
  await start();
  await expect(notices()).toHaveCount(1);
  for (const what of ['The settings', 'The approval rules', 'The saved keys'])
    await expect(notices()).toContainText(`${what} could not be read: there is a folder in its place.`);
  await expect(notices()).toContainText('so Espalier asks about everything and trusts no folder until the next start');
  await takeShots(app, 'own-files-unread');
  // Reading in the app's own workspace asks as well.
  await send(app.page, 'Read notes.md');
  await expect(approval(app.page)).toBeVisible({ timeout: LONG });
  await answerCard(app.page, 'Decline');
  expect((await window.refusal('settings.set', { key: 'appearance.theme', value: 'dark' })).message).toContain(
    'they are not overwritten',
  );
  expect(asides()).toEqual([]);
  expect(readdirSync(own('settings.json'))).toEqual([]);
});

test('files among the sessions that are none: each is a row that says what it is, and can be removed and taken back', async () => {
  writeFileSync(session('notes.jsonl'), 'Buy bread.\nCall the joiner.\n');
  writeFileSync(session('holiday.jsonl'), noisePng(20, 20));
  writeFileSync(session('nothing.jsonl'), '');
  mkdirSync(session('folder.jsonl'));
  writeFileSync(session('talk.jsonl'), `${[header(3, 'talk'), ...exchange(1, null).lines].join('\n')}\n`);
  await start();
  // The first screen is a session.
  await expect(window.composer).toBeVisible();
  await expect(window.row('notes')).toContainText('notes.jsonl');
  await expect(window.row('notes')).toContainText('not a session: plain text');
  await expect(window.row('holiday')).toContainText('not a session: a picture (PNG)');
  await expect(window.row('folder')).toContainText('not a session: a folder');
  await expect(window.row('nothing')).toContainText('no messages yet');

  await window.row('holiday').click();
  await expect(app.page.getByRole('heading', { name: 'holiday.jsonl' })).toBeVisible();
  await expect(app.page.getByRole('heading', { name: 'This isn’t a session' })).toBeVisible();
  await expect(window.composer).toHaveCount(0);
  await takeShots(app, 'foreign-file');
  // What a session can do is not offered; a hidden list can be shown again.
  await app.page.keyboard.press('ControlOrMeta+k');
  const commands = app.page.getByRole('dialog', { name: 'Command palette' }).getByRole('option');
  await expect(commands.filter({ hasText: 'Delete this session' })).toHaveCount(1);
  for (const name of [
    'Pin or unpin',
    'Archive or unarchive',
    'Rename this',
    'Choose the',
    'Export this',
    'Compact',
    'branch',
  ])
    await expect(commands.filter({ hasText: new RegExp(`^${name}`, 'i') }), name).toHaveCount(0);
  await app.page.keyboard.press('Escape');
  await app.page.keyboard.press('ControlOrMeta+b');
  await takeShots(app, 'foreign-file-alone');
  await window.button('Show sessions').click();
  await expect(window.button('Show sessions')).toHaveCount(0);
  await app.electron.evaluate(({ shell }) => {
    shell.showItemInFolder = (path) => void Object.assign(globalThis, { shownInFolder: path });
  });
  await window.button('Show in folder').click();
  await expect
    .poll(() => app.electron.evaluate(() => (globalThis as { shownInFolder?: string }).shownInFolder))
    .toBe(session('holiday.jsonl'));

  const bytes = readFileSync(session('holiday.jsonl'));
  await window.button('Remove').click();
  await expect(window.row('holiday')).toHaveCount(0);
  await expect(window.composer).toBeVisible();
  expect(existsSync(session('holiday.jsonl'))).toBe(false);
  await window.button('Undo').click();
  await expect(app.page.getByRole('heading', { name: 'This isn’t a session' })).toBeVisible();
  await expect(window.row('holiday')).toContainText('not a session: a picture (PNG)');
  expect(readFileSync(session('holiday.jsonl')).equals(bytes)).toBe(true);

  await window.show('nothing');
  await window.show('talk');
  await expect(window.transcript).toContainText('Answer 1');
  await app.close();
  await start();
  await expect(window.row('holiday')).toContainText('not a session: a picture (PNG)');
  await expect(window.composer).toBeVisible();
});

test('WN9: many notices at the start are one line, its list has all of them, and all go at once', async () => {
  for (let n = 1; n <= 6; n += 1) {
    writeFileSync(session(`s${n}.jsonl`), `${[header(3, `s${n}`), ...exchange(n, null).lines].join('\n')}\n`);
    const conflict = { with: 'talk', there: 1, here: 2, since: null, isRead: false };
    const meta = {
      ...{ title: `Talk ${n}`, titleSource: 'person', workspace: '', pinned: false, archived: false },
      ...{ createdAt: 1, updatedAt: 2, preview: 'p', demo: false, conflict },
    };
    writeFileSync(session(`s${n}.meta.json`), JSON.stringify(meta));
  }
  await start();
  // With the one that tells of the new database.
  await window.button('6 more').click();
  await expect(notices()).toHaveCount(7);
  await takeShots(app, 'many-notices');
  await window.page.keyboard.press('Escape');
  await app.close();
  await start();
  // What nobody has dismissed comes again.
  await window.button('5 more').click();
  await expect(notices()).toHaveCount(6);
  await window.button('Dismiss all').click();
  await expect(notices()).toHaveCount(0);
  await app.close();
  await start();
  await expect(notices()).toHaveCount(0);
});
