import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { GraphPage } from '../support/e2e/graph';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** The list of sessions by workspace and by time, what stands in it, the name of the window, and a folder that is gone. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folders = realpathSync(newHome());
const orders = join(folders, 'work', 'orders');
const other = join(folders, 'old', 'orders');
const parser = join(folders, 'parser');
const KEY = 'sk-never-in-a-log-0123456789';
let server: ModelServer;
let app: RunningApp;
let win: AppWindow;
const model = () => modelOf(endpointOn(server.url, 'loopback'));

test.beforeAll(async () => {
  for (const folder of [orders, other, parser]) mkdirSync(folder, { recursive: true });
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  win = new AppWindow(app);
  await win.request('settings.set', { key: 'retry.enabled', value: false });
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
  removeHome(folders);
});

const heads = () => win.page.getByRole('list', { name: 'Sessions' }).getByRole('heading');
const titles = () =>
  app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.getTitle()));

test('WN12: sessions stand below their workspaces; folders of one name are told apart', async () => {
  const sessions: [string, string][] = [
    ['Move the queue', orders],
    ['Old queue', other],
    ['Rewrite the parser', parser],
    ['Faster parser', parser],
  ];
  for (const [title, folder] of sessions) {
    const id = await win.startSession(title, model());
    await win.setWorkspace(id, folder, title === 'Faster parser' ? null : 'Trust this folder');
    await win.say('Hello');
    await answered(win.page, 'OK.');
  }
  await expect(heads()).toHaveText(['parser', 'old/orders', 'work/orders', 'Scratch']);
  const list = win.page.getByRole('list', { name: 'Sessions' });
  await expect(list.locator('[data-session], h2')).toContainText([
    ...['parser', 'Faster parser', 'Rewrite the parser'],
    ...['old/orders', 'Old queue', 'work/orders', 'Move the queue', 'Scratch', 'New session'],
  ]);
  await expect(heads().first()).toHaveAttribute('title', parser);
  await takeShots(app, 'list-by-workspace');
  // The keyboard walks over the heads, from one workspace to the next.
  await list.locator('[data-session]').first().focus();
  await win.page.keyboard.press('ArrowDown');
  await expect(list.locator('[data-session]:focus')).toContainText('Rewrite the parser');
  await win.page.keyboard.press('ArrowDown');
  await expect(list.locator('[data-session]:focus')).toContainText('Old queue');
  await win.page.keyboard.press('Control+PageDown');
  await expect(list.locator('[aria-current]')).toContainText('Rewrite the parser');
});

test('WN12: by time instead, with the folder on each, and that is remembered', async () => {
  await win.page.getByRole('button', { name: 'Group by time' }).click();
  await expect(heads()).toHaveText(['Today']);
  await expect(win.page.locator('[data-session]').filter({ hasText: 'Old queue' })).toContainText('old/orders');
  await takeShots(app, 'list-by-time');
  await app.page.reload();
  await expect(heads()).toHaveText(['Today'], { timeout: LONG });
  await win.page.getByRole('button', { name: 'Group by workspace' }).click();
  await expect(heads()).toHaveText(['parser', 'old/orders', 'work/orders', 'Scratch']);
});

test('a session that gets another name keeps its place', async () => {
  const rows = win.page.getByRole('list', { name: 'Sessions' }).locator('[data-session]');
  const order = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.session));
  const before = await order();
  await rows.filter({ hasText: 'Rewrite the parser' }).click();
  const id = await win.shownId();
  expect(before[0]).not.toBe(id);
  const { updatedAt } = await win.summary(id);
  await win.row(id).press('F2');
  const field = win.page.getByRole('list', { name: 'Sessions' }).getByRole('textbox');
  await field.fill('Rewrite the lexer');
  await field.press('Enter');
  await expect(win.row(id)).toContainText('Rewrite the lexer');
  await win.request('sessions.rename', { sessionId: id, title: 'Rewrite the parser' });
  await expect(win.row(id)).toContainText('Rewrite the parser');
  expect((await win.summary(id)).updatedAt).toBe(updatedAt);
  expect(await order()).toEqual(before);
});

test('WN12: the window is called as its session and what that does', async () => {
  const id = await win.startSession('Fix\u202e the lexer', model());
  await expect.poll(titles).toContain('Fix⟨U+202E⟩ the lexer — Espalier');
  const held = gate();
  server.script({ text: 'Done with it.', chunkChars: 4, holdAt: { frame: 2, until: held.until } });
  await win.say('Go on');
  await expect.poll(titles, { timeout: LONG }).toContain('Fix⟨U+202E⟩ the lexer — running — Espalier');
  held.open();
  await answered(win.page, 'Done with it.');
  await expect.poll(titles).toContain('Fix⟨U+202E⟩ the lexer — Espalier');
  server.script({ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'true' } }] });
  await win.say('Run it');
  await approval(win.page).first().waitFor({ timeout: LONG });
  await expect.poll(titles).toContain('(1) Fix⟨U+202E⟩ the lexer — waiting for you — Espalier');
  await win.request('session.stop', { sessionId: id });
  await win.rested(id);
});

test('TS14: titles, first words and the graph show no Markdown; a title that was typed stays as typed', async () => {
  const { id } = await win.request('sessions.create', {});
  await win.request('session.setModel', { sessionId: id, ...model() });
  await win.show(id);
  server.script('## Plan\n\n- **one** of [them](https://a.b/c)\n- `two`');
  await win.say('# Fix **this**\n\n- in `parser.ts`');
  await answered(win.page, 'two');
  const row = win.row(id);
  await expect(row).toContainText('Fix this in parser.ts');
  await expect(row).toContainText('Plan one of them two');
  await expect.poll(titles).toContain('Fix this in parser.ts — Espalier');
  await win.page.getByRole('button', { name: 'Show branches' }).click();
  const graph = win.page.locator('[data-pane="graph"]');
  await new GraphPage(win.page).switchOutline();
  await expect(graph.locator('[data-outline]')).toContainText('Fix this', { timeout: LONG });
  await expect(graph.locator('[data-outline]')).not.toContainText(/[*#`]/);
  await takeShots(app, 'no-markdown');
  await win.page.getByRole('button', { name: 'Hide branches' }).click();
  await win.request('sessions.rename', { sessionId: id, title: '**mine** #1' });
  await expect(row).toContainText('**mine** #1');
});

test('WN14: a folder that is gone is said before the first message, and no new session begins in it', async () => {
  const id = await win.startSession('Gone', model());
  // A name that no list has room for stands on one line all the same.
  const gone = join(folders, `gone ${'and away '.repeat(20)}`.trim());
  mkdirSync(gone);
  await win.setWorkspace(id, gone);
  await win.say('Hello');
  await answered(win.page, 'two');
  const strip = win.page.locator('[data-folder-strip]');
  await expect(strip).toHaveCount(0);
  const head = await heads().filter({ hasText: 'gone and away' }).boundingBox();
  expect(head?.height).toBeLessThan(40);
  rmSync(gone, { recursive: true });
  // As when the person comes back from where they deleted it.
  await win.page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(strip).toContainText('This session’s folder does not exist here:');
  await expect(strip).toContainText('/gone');
  await takeShots(app, 'folder-gone');
  await win.chooseInDialog([parser]);
  await win.page.keyboard.press('Control+n');
  await expect(win.row(id)).not.toHaveAttribute('aria-current', 'true');
  const made = await win.summary(await win.shownId());
  expect(made.workspace).toMatch(/[/]workspaces[/]scratch$/);
  const toast = win.page.locator('[data-toast]').filter({ hasText: 'does not exist here' });
  await takeShots(app, 'folder-gone-new');
  await toast.getByRole('button', { name: 'Choose folder…' }).click();
  await expect.poll(async () => (await win.summary(made.id)).workspace).toBe(parser);
  // From a session whose folder is here it is taken over, as ever.
  await win.request('session.setModel', { sessionId: made.id, ...model() });
  await win.say('Hello');
  await answered(win.page, 'two');
  await win.page.keyboard.press('Control+n');
  await expect.poll(async () => await win.shownId()).not.toBe(made.id);
  expect((await win.summary(await win.shownId())).workspace).toBe(parser);
  await win.page.getByRole('button', { name: 'Group by time' }).click();
  await expect(win.row(id)).toContainText('gone and away');
  await takeShots(app, 'long-name-by-time');
  await win.page.getByRole('button', { name: 'Group by workspace' }).click();
});

test('WN19: a failure of a provider is one line in the log, without content and key', async () => {
  const log = (): string[] =>
    readFileSync(join(home, 'logs', 'main.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('A request to a model failed'));
  expect(log()).toEqual([]);
  await win.request('providers.setKey', { provider: 'loopback', key: KEY, keep: 'session' });
  const body = { error: { message: `Said it: ${KEY}, a secret question`, type: 'server_error' } };
  server.script({ error: { status: 500, body }, headers: { 'x-request-id': `req_1_${KEY}` } });
  await win.startSession('Fails', model());
  await win.say('A secret question');
  await expect(win.failure).toBeVisible({ timeout: LONG });
  const [line, ...more] = log();
  expect(more).toEqual([]);
  expect(line).toContain('provider "loopback", model "loopback", status 500, request "req_1_[key]", kind server-error');
  expect(line).not.toMatch(/secret question|sk-never/i);
});
