import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { storeDraft, storedDrafts, storedFiles, storeInVersion1 } from '../support/e2e/database';
import { AppWindow } from '../support/e2e/window';

/** What is not sent, over the end of the app (CM1, CM6, SY7). The tests go on in one session. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let app: RunningApp;
let window: AppWindow;
let sessionId: string;

async function start(): Promise<void> {
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  window = new AppWindow(app);
}
test.beforeAll(async () => {
  await start();
  await window.say('A question');
  await answered(window.page, 'A question');
  sessionId = await window.shownId();
  await window.rested(sessionId);
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

const files = (): Locator => window.page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');

test('CM1: a text and an attached file survive a restart, right after they were put there', async () => {
  await window.page.locator('input[type=file][aria-label="Attach files"]').setInputFiles({
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('twelve bytes'),
  });
  await expect(files()).toHaveText(/notes\.txt/, { timeout: LONG });
  await window.composer.fill('Half a question');
  await app.close();
  await start();
  await window.show(sessionId);
  await expect(window.composer).toHaveValue('Half a question', { timeout: LONG });
  await expect(files()).toHaveText(/notes\.txt\s*12 characters/);
  expect(await storedFiles(window.page)).toBe(1);
});

test('WN6: and a kill, once they are stored', async () => {
  await window.composer.fill('Half another question');
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual(['Half another question']);
  await app.kill();
  await start();
  await window.show(sessionId);
  await expect(window.composer).toHaveValue('Half another question', { timeout: LONG });
  await expect(files()).toHaveText(/notes\.txt\s*12 characters/);
  await files().getByRole('button', { name: 'Remove notes.txt' }).click();
  await window.composer.fill('');
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual([]);
});

test('JN49: a session that was named and in which nothing was said is there after a restart, a nameless one is not', async () => {
  const { id: named } = await window.request('sessions.create', {});
  const { id: nameless } = await window.request('sessions.create', {});
  await window.request('sessions.rename', { sessionId: named, title: 'Plans' });
  for (const end of ['close', 'kill'] as const) {
    await expect(window.row(named)).toContainText('Plans', { timeout: LONG });
    await app[end]();
    await start();
  }
  await expect(window.row(named)).toContainText('Plans', { timeout: LONG });
  await expect(window.row(nameless)).toHaveCount(0);
  await window.show(named);
  await window.say('Something');
  await answered(window.page, 'Something');
  await expect(window.row(named)).toContainText('Plans');
  await window.request('sessions.delete', { sessionId: named });
  await window.show(sessionId);
});

test('CM1: of messages on their way at the end only what main has not saved is a draft again', async () => {
  const { rows } = await window.request('session.open', { sessionId });
  const saved = rows.find(({ kind }) => kind === 'user')?.id ?? '';
  const sent = [
    { itemId: saved, text: 'A question', fileIds: [] },
    { itemId: '0123456789abcdef', text: 'Never saved', fileIds: [] },
  ];
  await storeDraft(window.page, sessionId, '', [], sent);
  await window.page.reload();
  await expect(window.row(sessionId)).toHaveAttribute('aria-current', 'true', { timeout: LONG });
  await expect(window.composer).toHaveValue('Never saved', { timeout: LONG });
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual(['Never saved']);
  await expect(window.page.getByRole('group', { name: 'Texts that are not in the field' })).toHaveCount(0);
  await window.composer.fill('');
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual([]);
});

test('SY7: a database of version 1 is upgraded; its draft is there with the file that lay inside it', async () => {
  await storeInVersion1(window.page, sessionId, {
    text: 'Written long ago',
    attachments: [{ id: 'old', kind: 'text', name: 'old.txt', mimeType: 'text/plain', data: 'from version 1' }],
  });
  await app.close();
  await start();
  await window.show(sessionId);
  await expect(window.composer).toHaveValue('Written long ago', { timeout: LONG });
  await expect(files()).toHaveText(/old\.txt\s*14 characters/);
  expect(await storedFiles(window.page)).toBe(0);
  await window.composer.fill('Written on');
  await expect.poll(() => storedFiles(window.page), { timeout: LONG }).toBe(1);
  await app.close();
  await start();
  await window.show(sessionId);
  await expect(window.composer).toHaveValue('Written on', { timeout: LONG });
  await expect(files()).toHaveText(/old\.txt\s*14 characters/);
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? filesUnder(join(folder, one.name)) : [join(folder, one.name)],
  );
}

/** What the journals hold. */
function journals(): string {
  return filesUnder(join(home, 'sessions'))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
}

test('CM1, A4: kills right after Enter: the messages are there, no draft offers them again, and the session is opened', async () => {
  await files().getByRole('button', { name: 'Remove old.txt' }).click();
  for (const text of ['Sent right before an end', 'Sent right before the next', 'Sent right before the third']) {
    await window.composer.fill(text);
    await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual([text]);
    await window.composer.press('Enter');
    await expect.poll(() => journals(), { timeout: LONG, intervals: [5] }).toContain(text);
    await app.kill();
    await start();
    expect(await window.shownId()).toBe(sessionId);
    await expect(window.transcript.getByText(text, { exact: true })).toHaveCount(1, { timeout: LONG });
    await expect(window.composer).toHaveValue('');
    await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual([]);
  }
});

test('CM1: a file that the disk no longer has takes neither the words with it nor what is typed next', async () => {
  await window.page.locator('input[type=file][aria-label="Attach files"]').setInputFiles({
    name: 'long.txt',
    mimeType: 'text/plain',
    // Chromium keeps what is longer than 64 KB in a file of its own.
    buffer: Buffer.from('a line of the file\n'.repeat(20_000)),
  });
  await expect(files()).toHaveText(/long\.txt/, { timeout: LONG });
  await window.composer.fill('Words beside a lost file');
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual(['Words beside a lost file']);
  await expect.poll(() => storedFiles(window.page), { timeout: LONG }).toBe(1);
  await app.close();
  const blobs = filesUnder(home).filter((file) => file.includes('indexeddb.blob'));
  expect(blobs).not.toEqual([]);
  for (const file of blobs) rmSync(file);
  await start();
  await window.show(sessionId);
  await expect(window.composer).toHaveValue('Words beside a lost file', { timeout: LONG });
  await expect(window.page.getByText('1 attached file of this draft could not be read back.')).toBeVisible();
  await window.composer.fill('Typed after it');
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual(['Typed after it']);
  await window.composer.fill('');
  await expect.poll(() => storedDrafts(window.page), { timeout: LONG }).toEqual([]);
});

for (const end of ['close', 'kill'] as const)
  test(`CM1: so does what was written in a new session: ${end}`, async () => {
    const base = newHome();
    let own = await launchApp({ home: base, env: { ESPALIER_DEMO_SPEED: '4000' } });
    try {
      let shown = new AppWindow(own);
      await shown.say('Something said');
      await answered(own.page, 'Something said');
      const said = await shown.shownId();
      await shown.rested(said);
      await own.page.keyboard.press('Control+n');
      await expect.poll(() => shown.shownId()).not.toBe(said);
      const fresh = await shown.shownId();
      await shown.composer.fill('Ten minutes of words');
      await expect.poll(() => storedDrafts(own.page), { timeout: LONG }).toEqual(['Ten minutes of words']);
      await own[end]();
      own = await launchApp({ home: base, env: { ESPALIER_DEMO_SPEED: '4000' } });
      shown = new AppWindow(own);
      await expect(shown.composer).toHaveValue('Ten minutes of words', { timeout: LONG });
      expect(await shown.shownId()).toBe(fresh);
      await shown.composer.press('Enter');
      await answered(own.page, 'Ten minutes of words');
      await expect(shown.row(said)).toBeVisible();
      expect(own.problems).toEqual([]);
    } finally {
      await own.close();
      removeHome(base);
    }
  });
