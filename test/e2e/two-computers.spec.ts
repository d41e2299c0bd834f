import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** docs/specs/safety.md E1, E2: another computer's journal in the place of ours, while a reply streams and while the app is closed. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const reply = gate();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let id: string;

const journal = (): string => join(home, 'sessions', `${id}.jsonl`);
const notice = () =>
  window.page.getByRole('alert').filter({ hasText: /There are two versions of|was continued in two places/ });

const VERSION = /“Garden \(version(?: \d)? of \d+ \p{L}+, \d\d:\d\d\)”/u;
const told = (there: number, here: number): RegExp =>
  new RegExp(
    `“Garden” is the file that another program put in its place; it has ${there} messages that the other lacks\\. ` +
      `${VERSION.source} is what Espalier had saved; it has ${here} messages? that the other lacks\\.`,
    'u',
  );

/** The journal as the other computer has it: ours up to a record, and then what was said there. */
function otherJournal(keep: number, texts: readonly string[]): string {
  const lines = readFileSync(journal(), 'utf8').trimEnd().split('\n').slice(0, keep);
  for (const [n, text] of texts.entries()) {
    const { id: parentId } = JSON.parse(lines.at(-1) ?? '{}') as { id: string };
    const entry = `${keep}${n}`.padStart(16, 'f');
    const message = { role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() };
    lines.push(JSON.stringify({ type: 'message', id: entry, parentId, timestamp: new Date().toISOString(), message }));
  }
  return `${lines.join('\n')}\n`;
}

async function start(): Promise<void> {
  app = await launchApp({ home, size: { width: 1280, height: 800 }, graph: true });
  window = new AppWindow(app);
}

/** What is to be seen, in both themes, at two sizes. */
async function shots(name: string): Promise<void> {
  if (!process.env.ESPALIER_SHOTS) return;
  for (const theme of ['dark', 'light'] as const) {
    await window.request('settings.set', { key: 'appearance.theme', value: theme });
    await expect(window.page.locator('html')).toHaveAttribute('data-theme', theme);
    for (const [width, height] of [
      [960, 640],
      [1280, 800],
    ] as const) {
      await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w, h), [width, height] as const); // prettier-ignore
      await expect.poll(() => window.page.evaluate(() => innerWidth)).toBe(width);
      await window.shot(`${name}-${theme}-${width}`);
    }
  }
}

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  await start();
  server.script((request) => {
    const asked = sentMessages(request).at(-1)?.text ?? '';
    const text = `Answer to ${asked}`.padEnd(60, '.') + ' whole.';
    return asked.startsWith('slow') ? { text, chunkChars: 60, holdAt: { frame: 2, until: reply.until } } : text;
  });
});
test.afterAll(async () => {
  reply.open();
  await app.close();
  await server.close();
  removeHome(home);
});

test('while a reply streams: it is finished in a session of its own, which the window goes on with', async () => {
  id = await window.startSession('Garden', modelOf(endpointOn(server.url, 'loopback')));
  await window.say('first question');
  await expect(window.transcript).toContainText('Answer to first question', { timeout: LONG });
  const common = readFileSync(journal(), 'utf8').trimEnd().split('\n').length;
  await window.say('slow question');
  await expect(window.transcript).toContainText('Answer to slow question', { timeout: LONG });
  const graph = window.page.locator('[data-pane="graph"]');
  await expect(graph).toContainText('slow question', { timeout: LONG });
  const other = otherJournal(common, ['said on the other computer', 'and once more']);
  writeFileSync(journal(), other);
  reply.open();

  await expect(notice()).toBeVisible({ timeout: LONG });
  const current = window.page.locator('[data-session][aria-current="true"]');
  await expect(current).toContainText(/Garden.*version of \d+ \p{L}+, \d\d:\d\d · Answer/u, { timeout: LONG });
  await expect(window.transcript).toContainText('whole.');
  await expect(window.transcript).toContainText('first question');
  expect(readFileSync(journal(), 'utf8')).toBe(other);
  await expect(notice()).toContainText(told(2, 2));
  await expect(window.row(id)).toContainText('and once more');
  await shots('conflict');
  // In a window as low as that the notice is a line, and its list goes with what it opened.
  const zoom = (factor: number): Promise<void> =>
    app.electron.evaluate(({ BrowserWindow }, by) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(by), factor); // prettier-ignore
  await zoom(2);
  await window.page.locator('[data-folded-notices]').getByRole('button').click();
  const list = window.page.getByRole('dialog', { name: 'Notices' });
  await list.getByRole('button', { name: 'Open “Garden”', exact: true }).click();
  await expect(list).toHaveCount(0);
  await zoom(1);
  await expect(window.transcript).toContainText('and once more', { timeout: LONG });
  await expect(window.transcript).not.toContainText('slow question');
  await expect(notice()).toBeVisible();
  // GR26: so is its graph.
  await expect(graph).toContainText('and once more', { timeout: LONG });
  await expect(graph).not.toContainText('slow question');
});

test('the notice comes again until it was read, and both can be gone on with', async () => {
  await app.close();
  await start();
  await expect(notice()).toBeVisible({ timeout: LONG });
  await expect(notice()).toHaveCount(1);
  await notice().getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice()).toHaveCount(0);
  await window.show(id);
  await window.say('and here');
  await expect(window.transcript).toContainText('Answer to and here', { timeout: LONG });
  await app.close();
  await start();
  await expect(window.row(id)).toBeVisible({ timeout: LONG });
  await expect(window.page.locator('[data-session]')).toHaveCount(2);
  await expect(notice()).toHaveCount(0);
});

test('while the app is closed, with the index lost: the database’s copy becomes a session', async () => {
  await app.close();
  const count = readFileSync(journal(), 'utf8').trimEnd().split('\n').length;
  writeFileSync(
    journal(),
    otherJournal(count - 2, ['longer there 1', 'longer there 2', 'longer there 3', 'longer there 4']),
  );
  rmSync(join(home, 'sessions', `${id}.index`));
  await start();
  await expect(notice()).toBeVisible({ timeout: LONG });
  await expect(window.page.locator('[data-session]')).toHaveCount(3);
  await expect(notice()).toContainText(told(4, 2));
  await expect(window.row(id)).toContainText('longer there 4');
  await shots('conflict-closed');
  await notice().getByRole('button', { name: VERSION }).click();
  await expect(window.transcript).toContainText('Answer to and here', { timeout: LONG });
  await window.show(id);
  await expect(window.transcript).toContainText('longer there 4', { timeout: LONG });
});

test('E1: a version whose file came from outside in its turn: both buttons name another one', async () => {
  await notice().getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice()).toHaveCount(0);
  const garden = id;
  id =
    (await window.page.locator('[data-session]', { hasText: 'Answer to and here' }).getAttribute('data-session')) ?? '';
  await app.close();
  const count = readFileSync(journal(), 'utf8').trimEnd().split('\n').length;
  writeFileSync(journal(), otherJournal(count - 2, ['a version of the version']));
  await start();
  await expect(notice()).toHaveCount(1, { timeout: LONG });
  const names = await notice().getByRole('button', { name: VERSION }).allTextContents();
  expect(new Set(names).size).toBe(2);
  // Which one it is stands before how it ended: both ended alike.
  const end = `version(?: \\d)? of \\d+ \\p{L}+, \\d\\d:\\d\\d`;
  await expect(window.row(id).locator('span[dir="auto"]').last()).toHaveText(
    new RegExp(`^${end} · stopped early · a version`, 'u'),
  );
  await shots('conflict-again');
  await notice()
    .getByRole('button', { name: names[1] ?? '', exact: true })
    .click();
  await expect(window.transcript).toContainText('a version of the version', { timeout: LONG });
  await notice()
    .getByRole('button', { name: names[0] ?? '', exact: true })
    .click();
  await expect(window.transcript).toContainText('Answer to and here', { timeout: LONG });
  id = garden;
});

test('cut while the app is closed: it is whole again', async () => {
  await app.close();
  const before = readFileSync(journal(), 'utf8');
  writeFileSync(journal(), before.slice(0, before.length / 2));
  await start();
  await expect.poll(() => readFileSync(journal(), 'utf8'), { timeout: LONG }).toBe(before);
  await expect(window.page.locator('[data-session]')).toHaveCount(4);
});
