import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, composer, LONG, transcript } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { writeOddSession } from '../support/e2e/odd-session';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Right click, and Select all, on what is read and written (WN23). */
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const REPLY = [
  '# Findings',
  '',
  'The **parser** fails on `a_b` and on [the page](https://example.org/docs).',
  '',
  '- one',
  '- two',
  '',
  '```ts',
  'const a = 1;',
  '```',
  '',
  '| Name | Count |',
  '| --- | --- |',
  '| left | 2 |',
  '',
  '> quoted',
  '',
  'The area is $a^2$.',
].join('\n');

/** A session of which only the end is drawn. */
const LONG_ID = '0198c0de-0000-7000-8000-000000000001';
const MESSAGES = 300;

function writeLongSession(): void {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const idOf = (at: number): string => (1_000_000 + at).toString(16).padStart(16, 'a');
  const header = { type: 'session', version: 3, id: LONG_ID, timestamp, cwd: '/' };
  const messages = Array.from({ length: MESSAGES }, (_, at) => ({
    ...{ type: 'message', id: idOf(at), parentId: at === 0 ? null : idOf(at - 1), timestamp },
    message: { role: 'user', content: `Message ${at} ends`, timestamp: 1 },
  }));
  mkdirSync(join(home, 'sessions'), { recursive: true });
  const lines = [header, ...messages].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(home, 'sessions', `${LONG_ID}.jsonl`), lines.join(''));
}

test.beforeAll(async () => {
  writeLongSession();
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  await window.startSession('Right click', modelOf(endpointOn(server.url, 'loopback')));
  server.script(REPLY);
  await window.say('What is wrong? **Look** at it.');
  await answered(window.page, 'The area is');
  await expect(reply().locator('.katex')).toBeVisible();
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

const reply = (): Locator => transcript(window.page).locator('[data-kind="assistant"]').first();
const prompt = (): Locator => transcript(window.page).locator('[data-kind="user"]').first();
const menu = (): Locator => window.page.getByRole('menu');
const clipboard = (): Promise<string> => app.electron.evaluate(({ clipboard: board }) => board.readText());
const selected = (): Promise<string> => window.page.evaluate(() => String(document.getSelection()));
const entries = (): Promise<string[]> => menu().getByRole('menuitem').allTextContents();

async function choose(name: string): Promise<void> {
  await menu().getByRole('menuitem', { name, exact: true }).click();
  await expect(menu()).toBeHidden();
}

/** Selects from the beginning of one element to the end of another, as a drag does. */
async function select(from: Locator, to = from): Promise<void> {
  const [first, last] = [await from.elementHandle(), await to.elementHandle()];
  await window.page.evaluate(
    ([start, end]) => {
      const range = document.createRange();
      range.setStart(start!, 0);
      range.setEnd(end!, end!.childNodes.length);
      document.getSelection()!.removeAllRanges();
      document.getSelection()!.addRange(range);
    },
    [first, last],
  );
}

test('WN23: a message is copied as it was written, quoted and selected, and its actions stand there too', async () => {
  await reply().getByText('The area is').click({ button: 'right' });
  expect((await entries()).slice(0, 3)).toEqual(['Copy as Markdown', 'Quote', 'Select message']);
  expect(await entries()).toEqual(expect.arrayContaining(['Regenerate reply', 'Fork to a new session']));
  await takeShots(app, 'text-menu-message');
  await choose('Copy as Markdown');
  await expect.poll(clipboard).toBe(REPLY);

  await prompt().getByText('Look').click({ button: 'right' });
  await choose('Quote');
  await expect(composer(window.page)).toHaveValue('> What is wrong? **Look** at it.\n\n');
  await expect(composer(window.page)).toBeFocused();
  await window.page.keyboard.type('Yes');
  await expect(composer(window.page)).toHaveValue('> What is wrong? **Look** at it.\n\nYes');
  await composer(window.page).fill('');

  await reply().getByText('The area is').click({ button: 'right' });
  await choose('Select message');
  await expect.poll(selected).toContain('Findings');
  await window.page.keyboard.press('ControlOrMeta+c');
  await expect.poll(clipboard).toContain('const a = 1;');
  const text = await clipboard();
  // The interface around it is not copied.
  for (const word of ['Assistant', 'Copy code', 'example.org']) expect(text).not.toContain(word);
});

test('WN23: what is selected is copied as it reads, or as the Markdown that draws it', async () => {
  await select(reply().getByText('Findings'), reply().getByText('The area is'));
  await reply().getByText('quoted').click({ button: 'right' });
  expect(await entries()).toEqual(['Copy', 'Copy as Markdown', 'Quote', 'Select message']);
  await takeShots(app, 'text-menu-selection');
  await choose('Copy as Markdown');
  await expect.poll(clipboard).toBe(REPLY);

  await select(reply().locator('strong'));
  await reply().locator('strong').click({ button: 'right' });
  await choose('Quote');
  await expect(composer(window.page)).toHaveValue('> **parser**\n\n');
  await composer(window.page).fill('');
  await select(reply().locator('pre'));
  await reply().locator('pre').click({ button: 'right' });
  await choose('Copy');
  await expect.poll(clipboard).toBe('const a = 1;');
  await reply().locator('pre').click({ button: 'right' });
  await choose('Copy as Markdown');
  await expect.poll(clipboard).toBe('```ts\nconst a = 1;\n```');
});

test('WN23: over several messages the menu copies what the key for it copies', async () => {
  await select(prompt().getByText('Look'), reply().getByText('quoted'));
  await window.page.keyboard.press('Control+c');
  await expect.poll(clipboard).toContain('quoted');
  const byKey = await clipboard();
  expect(byKey).toContain('Look');
  await app.electron.evaluate(({ clipboard: board }) => board.writeText('nothing yet'));
  await reply().getByText('quoted').click({ button: 'right' });
  await choose('Copy');
  await expect.poll(clipboard).toBe(byKey);
  for (const word of ['Assistant', 'Copy code']) expect(byKey).not.toContain(word);
});

test('WN23: a link is copied, and opened by the same question as with the other button', async () => {
  await window.page.evaluate(() => document.getSelection()!.removeAllRanges());
  await app.electron.evaluate(({ dialog }) => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    dialog.showMessageBox = ((_window: unknown, { detail }: { detail: string }) => {
      asked.push(detail);
      return Promise.resolve({ response: 1, checkboxChecked: false });
    }) as unknown as typeof dialog.showMessageBox;
  });
  await reply().getByText('the page').click({ button: 'right' });
  expect((await entries()).slice(0, 2)).toEqual(['Open link…', 'Copy link']);
  await choose('Copy link');
  await expect.poll(clipboard).toBe('https://example.org/docs');
  await reply().getByText('the page').click({ button: 'right' });
  await choose('Open link…');
  const asked = (): Promise<string[]> =>
    app.electron.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
  await expect.poll(asked).toEqual([expect.stringContaining('https://example.org/docs')]);
});

test('WN23: Select all means the message, then the transcript with all of its messages, never the interface', async () => {
  await reply().getByText('quoted').click();
  await window.page.keyboard.press('Control+a');
  expect(await selected()).toContain('Findings');
  expect(await selected()).not.toContain('What is wrong?');
  await window.page.keyboard.press('Control+a');
  expect(await selected()).toContain('What is wrong?');
  expect(await selected()).not.toContain('Right click');
  await window.page.keyboard.press('Control+c');
  await expect.poll(clipboard).toBe(`**You**\n\nWhat is wrong? **Look** at it.\n\n**Assistant**\n\n${REPLY}`);
  // From the list of sessions it is the transcript at once; in a field, its own text.
  await window.page.locator('[data-session]').first().focus();
  await window.page.keyboard.press('Control+a');
  expect(await selected()).toContain('What is wrong?');
  expect(await selected()).not.toContain('New session');
  await composer(window.page).fill('mine');
  await window.page.keyboard.press('Control+a');
  await window.page.keyboard.type('x');
  await expect(composer(window.page)).toHaveValue('x');
  await composer(window.page).fill('');
});

test('WN23: once all is selected, the menu means all of it too, also what is not drawn', async () => {
  await window.row(LONG_ID).click();
  const last = transcript(window.page).getByText(`Message ${MESSAGES - 1} ends`);
  await last.click();
  const count = async (): Promise<number> => (await clipboard()).match(/Message \d+ ends/g)?.length ?? 0;
  for (const item of ['Copy', 'Copy as Markdown']) {
    await app.electron.evaluate(({ clipboard: board }) => board.writeText('nothing yet'));
    await window.page.keyboard.press('Control+a');
    await window.page.keyboard.press('Control+a');
    await last.click({ button: 'right' });
    await choose(item);
    await expect.poll(count, item).toBe(MESSAGES);
    expect(await clipboard()).toMatch(/^\*\*You\*\*\n\nMessage 0 ends\n\n/);
  }
  await last.click({ button: 'right' });
  await choose('Quote');
  await expect(composer(window.page)).toHaveValue(/> Message 0 ends[^]*> Message 299 ends\n\n$/);
  await composer(window.page).fill('');
  // A part of it is that part again.
  await select(last);
  await last.click({ button: 'right' });
  await choose('Copy as Markdown');
  await expect.poll(clipboard).toBe('Message 299 ends');
  await window.page.locator('[data-session]').first().click();
  await expect(reply().getByText('quoted')).toBeVisible();
});

test('WN23: by the keyboard, and back to where it was', async () => {
  await window.page.evaluate(() => document.getSelection()!.removeAllRanges());
  await reply().getByRole('link', { name: 'the page' }).focus();
  await window.page.keyboard.press('Shift+F10');
  await expect(menu().getByRole('menuitem', { name: 'Open link…' })).toBeVisible();
  await window.page.keyboard.press('Escape');
  await expect(menu()).toBeHidden();
  await expect(reply().getByRole('link', { name: 'the page' })).toBeFocused();
});

test('WN23: a field has the system’s menu, and what it pastes comes from there alone', async () => {
  await app.electron.evaluate(async ({ Menu, clipboard: board }) => {
    await board.writeText('from elsewhere');
    // What the system would draw: the test presses in it.
    Menu.prototype.popup = function popup(this: Electron.Menu) {
      Object.assign(globalThis, { shown: this });
    };
  });
  const shown = (): Promise<(string | undefined)[] | null> =>
    app.electron.evaluate(() => {
      const { shown: found } = globalThis as unknown as { shown?: Electron.Menu };
      return found ? found.items.map(({ role, type }) => role ?? type) : null;
    });
  await composer(window.page).fill('one ');
  await composer(window.page).click({ button: 'right' });
  await expect.poll(shown).toEqual(['cut', 'copy', 'paste', 'separator', 'selectall']);
  await app.electron.evaluate(({ BrowserWindow }) => {
    const { shown: found } = globalThis as unknown as { shown: Electron.Menu };
    const [window] = BrowserWindow.getAllWindows();
    const paste = found.items.find(({ role }) => role === 'paste')!;
    (paste.click as unknown as (event: unknown, window: unknown, contents: unknown) => void)(
      {},
      window,
      window!.webContents,
    );
  });
  await expect(composer(window.page)).toHaveValue(/from elsewhere/);
  await composer(window.page).fill('');
});

test('WN23: a message that is selected is copied whole, also what is not drawn of it', async () => {
  const files = newHome();
  const id = '0b0c0d0e-0000-4000-8000-000000000051';
  const asked = Array.from({ length: 60 }, (_, n) => `Line ${n} of the question`).join('\n');
  const text = Array.from({ length: 4_000 }, (_, n) => `Paragraph ${n} of the answer.`).join('\n\n');
  await window.importFile(writeOddSession(files, id, [{ type: 'text', text }], [], asked));
  await window.show(id);
  await transcript(window.page).press('Home');
  await prompt().getByText('Line 3 of').click({ button: 'right' });
  await choose('Select message');
  await window.page.keyboard.press('ControlOrMeta+c');
  await expect.poll(clipboard).toBe(asked);
  // Where it is drawn as a whole, it is copied as it reads.
  await prompt().getByRole('button', { name: 'Show all 60 lines' }).click();
  await expect(prompt()).toContainText('Line 59 of');
  await prompt().getByText('Line 3 of').click({ button: 'right' });
  await choose('Select message');
  await app.electron.evaluate(({ clipboard: board }) => board.clear());
  await window.page.keyboard.press('ControlOrMeta+c');
  await expect.poll(clipboard).toContain('Line 59 of');

  const more = reply().getByText('This message is very long.');
  await expect(more).toHaveCount(1, { timeout: LONG });
  await reply().getByText('Paragraph 0 of').click({ button: 'right' });
  await choose('Select message');
  expect(await selected()).toContain('Paragraph 1 of');
  expect(await selected()).not.toContain('Paragraph 3999 of');
  expect(await selected()).not.toContain('This message is very long.');
  await window.page.keyboard.press('ControlOrMeta+c');
  await expect.poll(clipboard).toBe(text);
  // A part of it is copied as a part.
  await select(reply().getByText('Paragraph 1 of'));
  await window.page.keyboard.press('ControlOrMeta+c');
  await expect.poll(clipboard).toBe('Paragraph 1 of the answer.');
  removeHome(files);
});
