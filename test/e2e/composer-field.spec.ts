import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { storeDraft } from '../support/e2e/database';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { writeOddSession } from '../support/e2e/odd-session';
import { takeShots } from '../support/e2e/shots';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** The composer's field: how much it draws, and whose text is in it (CM6, CM7, CM8). */
const BOUND = 50_000;
let folder: string;
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async ({ shared }) => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-field-'));
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const region = (): Locator => window.page.getByRole('region', { name: 'Message', exact: true });
const files = (): Locator => window.page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
const card = (): Locator => window.page.getByRole('group', { name: 'Texts that are not in the field' });
const begin = (title: string): Promise<string> =>
  window.startSession(title, modelOf(endpointOn(server.url, 'loopback')));

async function paste(text: string): Promise<void> {
  await app.electron.evaluate(({ clipboard }, words) => clipboard.writeText(words), text);
  await window.composer.press('Control+v');
}

/** As by a paste that is no longer one: the driver types line by line, which takes it minutes. */
async function putIn(text: string): Promise<void> {
  await window.composer.evaluate((field: HTMLTextAreaElement, value) => {
    field.setRangeText(value, 0, field.value.length, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, text);
}

/** Numbered lines: what is missing of them would be seen. */
function linesOf(length: number): string {
  let text = '';
  for (let n = 0; text.length < length; n++) text += `line ${n}\n`;
  return text.slice(0, length);
}

test('CM4: what is no command, or cannot act now, is neither sent nor lost', async () => {
  await begin('Commands');
  const asked = server.requests.length;
  const enter = async (text: string): Promise<void> => {
    await window.composer.fill(text);
    await window.composer.press('Enter');
  };
  await enter('/fork');
  await expect(region().getByRole('alert')).toContainText('This session has no messages yet.');
  await expect(window.composer).toHaveValue('/fork');
  await enter('/lable the plan');
  await expect(region().getByRole('alert')).toContainText('No command /lable. Did you mean /label?');
  await takeShots(app, 'unknown-command');
  await window.composer.press('End');
  await window.composer.press('!');
  await expect(region().getByRole('alert')).toHaveCount(0);
  await enter('/nam Plan B');
  await region().getByRole('button', { name: 'Use /name' }).click();
  await expect(window.page.getByRole('main').getByText('Plan B').first()).toBeVisible();
  await expect(window.composer).toHaveValue('');
  expect(server.requests.length).toBe(asked);
  server.script('A path, then.');
  await enter('/usr is full');
  await expect(region().getByRole('alert')).toContainText('No command /usr.');
  await region().getByRole('button', { name: 'Send as text' }).click();
  await answered(window.page, 'A path, then.');
  await expect(window.composer).toHaveValue('');
});

test('CM7: a paste of a megabyte is a file that is sent whole, a small one is text', async () => {
  await begin('Pastes');
  await paste('Look at this: ');
  await expect(window.composer).toHaveValue('Look at this: ');
  const text = linesOf(1_000_000);
  await paste(text);
  await expect(files()).toHaveText(/^pasted text\s*1,000,000 characters$/, { timeout: LONG });
  await expect(window.composer).toHaveValue('Look at this: ');
  await takeShots(app, 'pasted-file');
  server.script('Seen.');
  await window.composer.press('Enter');
  await answered(window.page, 'Seen.');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(JSON.stringify(text).slice(1, -1));
  // What ↑ brings back are the person’s words.
  await window.composer.press('ArrowUp');
  await expect(window.composer).toHaveValue('Look at this: ');
  await window.composer.fill('');
});

test('CM5: a long paste is attached, is put into the field and taken back, and is sent as the text that it is', async () => {
  await begin('Long pastes');
  await paste(linesOf(10_000));
  await expect(window.composer).toHaveValue(linesOf(10_000));
  await expect(files()).toHaveCount(0);
  await window.composer.fill('Look: and say what it is');
  await window.composer.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(6, 6));
  const text = linesOf(12_345);
  await paste(text);
  await expect(files()).toHaveText(/^pasted text\s*12,345 characters\s*Insert as text$/);
  await expect(window.composer).toHaveValue('Look: and say what it is');
  await takeShots(app, 'paste-attached');
  // The first undo is of the paste.
  await window.composer.press('Control+z');
  await expect(files()).toHaveCount(0);
  await window.composer.press('Control+Shift+z');
  await expect(files()).toHaveCount(1);
  await expect(window.composer).toHaveValue('Look: and say what it is');

  await files().getByRole('button', { name: 'Insert as text: pasted text' }).click();
  const whole = `Look: ${text}and say what it is`;
  await expect(window.composer).toHaveValue(whole);
  await expect(window.composer).toBeFocused();
  await expect(files()).toHaveCount(0);
  await window.composer.press('Control+z');
  await expect(window.composer).toHaveValue('Look: and say what it is');
  await expect(files()).toHaveCount(1);
  await window.composer.press('Control+Shift+z');
  await expect(window.composer).toHaveValue(whole);
  await expect(files()).toHaveCount(0);
  await window.composer.press('Control+z');
  await expect(files()).toHaveCount(1);

  await expect(window.composer).toHaveValue('Look: and say what it is');
  server.script('It is lines.');
  await window.composer.press('Enter');
  await answered(window.page, 'It is lines.');
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent).toContain(JSON.stringify(`<attachment name="pasted text">\n${text}\n</attachment>`).slice(1, -1));
});

test('CM5: a paste that the field has no room for has no way back, and twenty files leave it text', async () => {
  await begin('No way back');
  await putIn(linesOf(45_000));
  await paste(linesOf(10_001));
  await expect(files()).toHaveText(/^pasted text\s*10,001 characters$/);
  await window.composer.fill('short');
  await expect(files()).toHaveText(/Insert as text$/);
  await files().getByRole('button', { name: 'Remove pasted text' }).click();
  // Nor has one that would stop the window while it is laid out.
  await paste('aก'.repeat(20_000));
  await expect(files()).toHaveText(/^pasted text\s*40,000 characters$/);
  for (let n = 1; n < 20; n++) await paste(linesOf(10_001));
  await expect(files()).toHaveCount(20);
  await window.composer.fill('');
  await paste(linesOf(10_001));
  await expect(window.composer).toHaveValue(linesOf(10_001));
  await window.composer.fill('');
  for (let n = 0; n < 20; n++) await files().first().getByRole('button', { name: 'Remove pasted text' }).click();
  await expect(files()).toHaveCount(0);
});

test('CM7: what no message takes is refused with what to do; a full field says so and keeps what it has', async () => {
  await begin('Full');
  await paste(linesOf(1_100_000));
  await expect(region().getByRole('alert')).toContainText('Save it as a file in the workspace', { timeout: LONG });
  await expect(files()).toHaveCount(0);
  await takeShots(app, 'paste-refused');
  const full = linesOf(BOUND);
  await putIn(full);
  await expect(window.composer).toHaveValue(full, { timeout: LONG });
  await expect(region().getByRole('alert')).toHaveCount(0);
  await window.composer.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(4, 4));
  await window.page.keyboard.press('x');
  await expect(region().getByRole('alert')).toContainText('The field is full: it takes 50,000 characters.');
  await expect(window.composer).toHaveValue(full);
  expect(await window.composer.evaluate((field: HTMLTextAreaElement) => field.selectionStart)).toBe(4);
  await takeShots(app, 'field-full');
  // In place of something it has room.
  await window.composer.press('Control+a');
  await paste('short');
  await expect(window.composer).toHaveValue('short');
  await expect(region().getByRole('alert')).toHaveCount(0);
  await window.composer.fill('');
});

test('CM7: a stored draft that is too long is a card, which is copied and discarded, and comes back by Undo', async () => {
  const sessionId = await begin('Long draft');
  const text = linesOf(1_000_000);
  await storeDraft(window.page, sessionId, text);
  await window.page.reload();
  await expect(window.row(sessionId)).toHaveAttribute('aria-current', 'true', { timeout: LONG });
  await expect(card()).toContainText('A text of 1,000,000 characters', { timeout: LONG });
  await expect(window.composer).toHaveValue('');
  await window.composer.fill('typed beside it');
  await takeShots(app, 'long-draft');
  await card().getByRole('button', { name: 'Copy' }).click();
  await expect.poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()), { timeout: LONG }).toBe(text);
  await card().getByRole('button', { name: 'Discard' }).click();
  await expect(card()).toHaveCount(0);
  await window.button('Undo').click();
  await expect(card()).toContainText('A text of 1,000,000 characters');
  await expect(window.composer).toHaveValue('typed beside it');
  await card().getByRole('button', { name: 'Discard' }).click();
  // As the card says: pasted it is a file.
  await window.composer.press('Control+v');
  await expect(files()).toHaveText(/^pasted text\s*1,000,000 characters$/, { timeout: LONG });
  await files().getByRole('button', { name: 'Remove pasted text' }).click();
  await window.composer.fill('');
});

test('CM6: an earlier draft waits beside what is typed, and goes in front of it', async () => {
  const sessionId = await begin('Two drafts');
  await storeDraft(window.page, sessionId, 'and this came after', ['This was first', linesOf(60_000)]);
  await window.page.reload();
  await expect(window.row(sessionId)).toHaveAttribute('aria-current', 'true', { timeout: LONG });
  await expect(card()).toContainText('An earlier draft', { timeout: LONG });
  await expect(window.composer).toHaveValue('and this came after');
  await takeShots(app, 'earlier-draft');
  await card().getByRole('button', { name: 'Put into the field' }).click();
  await expect(window.composer).toHaveValue('This was first\n\nand this came after');
  await expect(window.composer).toBeFocused();
  await card().getByRole('button', { name: 'Discard' }).click();
  await expect(card()).toHaveCount(0);
  await window.composer.fill('');
});

test('CM7: a message that is longer than the field is not edited there, and says what to do', async () => {
  await window.importByMenu([
    writeOddSession(folder, 'bbbb0001', [{ type: 'text', text: 'Long.' }], [], linesOf(60_000)),
  ]);
  const asked = window.transcript.locator('[data-kind="user"]');
  await expect(asked).toContainText('line 0', { timeout: LONG });
  await asked.hover();
  await asked.getByRole('button', { name: 'Edit and resend' }).click();
  await expect(window.page.getByText('This message is longer than the 50,000 characters')).toBeVisible({
    timeout: LONG,
  });
  await expect(window.composer).toHaveValue('');
  await takeShots(app, 'edit-refused');
});

test('CM8: who writes while an import ends writes on in the same session, and is offered the other one', async () => {
  await begin('Written in');
  const path = writeOddSession(folder, 'bbbb0002', [{ type: 'text', text: 'Imported meanwhile.' }]);
  await app.electron.evaluate(({ dialog }) => {
    dialog.showOpenDialog = () =>
      new Promise((resolve) => {
        (globalThis as unknown as { choose: (filePaths: string[]) => void }).choose = (filePaths) =>
          resolve({ canceled: false, filePaths });
      });
  });
  await window.clickMenu('File', 'Import…');
  await expect.poll(() => app.electron.evaluate(() => 'choose' in globalThis), { timeout: LONG }).toBe(true);
  await window.composer.click();
  await window.page.keyboard.type('half a ');
  await app.electron.evaluate(
    (_electron, chosen) => (globalThis as unknown as { choose: (filePaths: string[]) => void }).choose([chosen]),
    path,
  );
  await expect(window.button('Open it')).toBeVisible({ timeout: LONG });
  await window.page.keyboard.type('thought');
  await expect(window.composer).toHaveValue('half a thought');
  await takeShots(app, 'import-offered');
  await window.button('Open it').click();
  await expect(window.transcript).toContainText('Imported meanwhile.', { timeout: LONG });
  await expect(window.composer).toHaveValue('');
});

test('CM8: no key is lost while a new session opens: each is in the one or in the other', async () => {
  // A session with nothing in it would be taken as the new one.
  await window.importByMenu([writeOddSession(folder, 'bbbb0003', [{ type: 'text', text: 'Written in first.' }])]);
  await expect(window.transcript).toContainText('Written in first.', { timeout: LONG });
  const before = await window.shownId();
  await window.composer.click();
  // No frame comes until all is typed: a key can come before the next one.
  const frames = await window.page.evaluateHandle(() => {
    const real = globalThis.requestAnimationFrame;
    const held: FrameRequestCallback[] = [];
    globalThis.requestAnimationFrame = (callback) => held.push(callback);
    return {
      release() {
        globalThis.requestAnimationFrame = real;
        for (const callback of held) real(callback);
      },
    };
  });
  await window.page.keyboard.press('Control+n');
  const keys = 'abcdefghijklmnopqrstuvwxyz';
  await window.page.keyboard.type(keys);
  await expect(window.row(before)).not.toHaveAttribute('aria-current', 'true', { timeout: LONG });
  const after = await window.shownId();
  await window.page.keyboard.type('!');
  await expect(window.composer).toHaveValue(/!$/);
  await frames.evaluate(({ release }) => release());
  const there = await window.composer.inputValue();
  await window.show(before);
  expect(((await window.composer.inputValue()) + there).toLowerCase()).toBe(`${keys}!`);
  await window.show(after);
  await expect(window.composer).toHaveValue(there);
});
