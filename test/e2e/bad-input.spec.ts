import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { closedPort, endpointOn, modelOf } from '../support/e2e/loopback';
import { exchange, header, sha256, writeLargeSession, writeSparse } from '../support/e2e/session-files';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer, type Reply } from '../support/model-server';
import { shortOrLong } from '../support/long-form';

/** Files and endpoints that are not as they should be: said in words, the file untouched, the session usable. */
const MB = 1024 * 1024;
const LARGE_MB = shortOrLong(60, 300);
const home = newHome();
let folder: string;
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-bad-'));
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  // A connection that fails is tried again once, at once: the card is what these tests are about.
  await window.request('settings.set', { key: 'retry.maxRetries', value: 1 });
  await window.request('settings.set', { key: 'retry.baseDelayMs', value: 1 });
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
  removeHome(home);
});

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function isUsable(): Promise<void> {
  server.script('Still here.');
  await window.startSession('After it', modelOf(endpointOn(server.url, 'loopback')));
  await window.say('Are you there?');
  await answered(window.page, 'Still here.');
}

/** The id of the session that is shown, once it has that many entries. */
async function shownSession(entryCount: number): Promise<string> {
  const count = async (): Promise<number> => (await window.summary(await window.shownId())).entryCount;
  await expect.poll(count, { timeout: LONG }).toBe(entryCount);
  return window.shownId();
}

test('files that are no sessions are refused one by one; those that are come in', async () => {
  const sparse = join(folder, 'empty-300-mb.jsonl');
  await writeSparse(sparse, 300 * MB);
  const refused = [
    fileOf('photo.jsonl', randomBytes(200_000)),
    fileOf('events.jsonl', '{"event":"click","at":1}\n{"event":"key","at":2}\n'),
    fileOf('nothing.jsonl', ''),
    fileOf('notes.txt', 'Just a few words.\n'),
    sparse,
  ];
  const { lines } = exchange(1, null);
  const good = fileOf('good.jsonl', `${[header(3, 'good'), ...lines].join('\n')}\n`);
  const before = await Promise.all([...refused, good].map(sha256));

  await window.importByMenu([...refused, good]);
  for (const name of ['photo.jsonl', 'events.jsonl', 'nothing.jsonl', 'notes.txt', 'empty-300-mb.jsonl']) {
    const message = `Not a session file: ${name}. Nothing was imported and the file was left as it is.`;
    await expect(window.page.getByText(message).first()).toBeVisible({ timeout: LONG });
  }
  await window.shot('not-sessions');
  await shownSession(2);
  await expect(window.transcript).toContainText('Answer 1');
  expect(await Promise.all([...refused, good].map(sha256))).toEqual(before);
  for (const name of ['gone.jsonl', '']) {
    const file = await window.handleOf(join(folder, name));
    const { message } = await window.refusal('sessions.import', { file });
    expect(message).toMatch(/was not imported: (it no longer exists|it is a folder; choose a session file in it)\./);
  }
  await isUsable();
});

test(`a session of ${LARGE_MB} MB comes in while the window stays at hand`, async () => {
  const path = join(folder, 'large.jsonl');
  const entries = await writeLargeSession(path, 'large', LARGE_MB * MB);
  const before = await sha256(path);
  const state = { done: false };
  const imported = window.importFile(path).finally(() => (state.done = true));
  // Main and window both answer, over and over, before the import is over.
  let answers = 0;
  while (!state.done) {
    await window.request('workspace.completePath', { sessionId: await window.shownId(), query: '' });
    await window.composer.fill(`${answers}`);
    answers++;
  }
  const { id, entryCount } = await imported;
  expect(answers).toBeGreaterThan(shortOrLong(1, 5));
  expect(entryCount).toBe(entries);
  expect(await sha256(path)).toBe(before);
  await window.composer.fill('');
  await window.show(id);
  await expect(window.transcript).toContainText(`Answer ${entries / 2 - 1}`, { timeout: LONG });
  await window.shot('large');
  await window.request('sessions.delete', { sessionId: id });
  await isUsable();
});

test('JN33: broken lines are named and skipped, the rest is there and goes on', async () => {
  const one = exchange(1, null);
  const two = exchange(2, one.leafId);
  const lines = [header(3, 'broken'), ...one.lines, '{"type":"message","id":', 'not json at all', ...two.lines];
  const path = fileOf('broken.jsonl', `${lines.join('\n')}\n{"type":"message","id":"0000`);
  const before = await sha256(path);
  await window.importByMenu([path]);
  const sessionId = await shownSession(4);
  const notice = window.transcript.getByRole('alert');
  await expect(notice).toContainText('2 lines could not be read and were left in place (lines 4 and 5).');
  await expect(notice).toContainText(
    'The last line was cut off in the middle of writing and was left in place (line 8).',
  );
  await expect(notice).toContainText('The conversation before them may appear as a separate branch');
  await expect(notice.getByRole('button', { name: 'Show branches' })).toBeVisible();
  await expect(notice).not.toContainText('Everything else');
  await expect(window.transcript).toContainText('Answer 2');
  await window.shot('broken-lines');
  await goesOn(sessionId);
  expect(await sha256(path)).toBe(before);
  const journal = readFileSync(join(home, 'sessions', `${sessionId}.jsonl`), 'utf8');
  expect(journal.startsWith(`${readFileSync(path, 'utf8')}\n`)).toBe(true);
});

test('JN33: a second record with an id is a row with its text, before and after a restart', async () => {
  const one = exchange(1, null);
  const two = exchange(2, one.leafId);
  const second = one.lines[0]!.replace('Question 1', 'Something 9');
  const lines = [header(3, 'twice'), one.lines[0], second, one.lines[1], ...two.lines];
  await window.importByMenu([fileOf('twice.jsonl', `${lines.join('\n')}\n`)]);
  const sessionId = await shownSession(4);
  const isShown = async (): Promise<void> => {
    await expect(window.transcript.getByRole('alert')).toContainText(
      '1 entry has the id of an earlier one and says something else (line 3).',
    );
    await expect(window.transcript).toContainText('Answer 2');
    const row = window.transcript.getByRole('note');
    await expect(row).toHaveCount(1);
    await expect(row).toContainText('A second record with the id 00000002, which says something else.');
    await row.getByRole('button', { name: 'Show its text' }).click();
    await expect(row.getByLabel('Text of the record')).toHaveText(second);
    await expect(row.getByRole('button', { name: 'Copy its text' })).toBeVisible();
    await expect(window.transcript).toContainText('Question 1');
  };
  await isShown();
  await window.shot('second-record');
  await goesOn(sessionId);
  await app.close();
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.show(sessionId);
  await isShown();
});

test('a file of a later version says so, shows what is known and goes on', async () => {
  const { lines } = exchange(1, null);
  const unknown = JSON.stringify({
    type: 'hologram',
    id: '0000ffff',
    parentId: '00000003',
    timestamp: '2031-01-01T00:00:00.000Z',
  });
  const path = fileOf('future.jsonl', `${[header(9, 'future'), ...lines, unknown].join('\n')}\n`);
  const before = await sha256(path);
  await window.importByMenu([path]);
  const sessionId = await shownSession(3);
  await expect(window.transcript.getByRole('alert')).toContainText(
    'It was written by a later program (version 9) and is read as version 3.',
  );
  await expect(window.transcript).toContainText('Answer 1');
  await window.shot('future-version');
  await goesOn(sessionId);
  expect(await sha256(path)).toBe(before);
});

/** A prompt in the imported session is answered. */
async function goesOn(sessionId: string): Promise<void> {
  server.script('It goes on.');
  await window.request('session.setModel', { sessionId, ...modelOf(endpointOn(server.url, 'loopback')) });
  await window.say('Go on');
  await answered(window.page, 'It goes on.');
}

interface Failing {
  name: string;
  reply: Reply;
  title: string;
  detail: string;
  buttons: string[];
}

const FAILING: Failing[] = [
  {
    name: 'wrong key',
    reply: { error: 'bad-key' },
    title: 'Loopback loopback refused the key',
    detail: 'Enter it again in the provider settings.',
    buttons: ['Open settings', 'Choose another model', 'Retry', 'Dismiss'],
  },
  {
    name: 'web page',
    reply: { error: { status: 200, body: '<!doctype html><html><body>Sign in</body></html>' } },
    title: 'Loopback loopback is not a model endpoint',
    detail: 'answered with a web page, not with a model',
    buttons: ['Open settings', 'Choose another model', 'Retry', 'Dismiss'],
  },
  {
    name: 'model that the provider removed',
    reply: { error: 'no-model' },
    title: 'The model is not available',
    detail: 'It may have been removed or renamed. Choose another model; the session stays unchanged.',
    buttons: ['Choose another model', 'Retry', 'Dismiss'],
  },
];

for (const { name, reply, title, detail, buttons } of FAILING) {
  test(`${name}: a card says what to do, and Retry goes on`, async () => {
    await window.startSession(name, modelOf(endpointOn(server.url, 'loopback')));
    server.script(reply);
    await window.say('Hello');
    await expect(window.failure.getByRole('heading', { name: title })).toBeVisible({ timeout: LONG });
    await expect(window.failure).toContainText(detail);
    expect(await window.failure.getByRole('button').allInnerTexts()).toEqual(buttons);
    await window.shot(`failure-${name.replaceAll(' ', '-')}`);
    server.script('Now it works.');
    await window.failure.getByRole('button', { name: 'Retry' }).click();
    await answered(window.page, 'Now it works.');
    await expect(window.failure).toHaveCount(0);
  });
}

test('no network: the card names the address, and the message is kept', async () => {
  const closed = endpointOn(`http://127.0.0.1:${await closedPort()}`, 'nowhere');
  await window.saveEndpoint(closed);
  const sessionId = await window.startSession('No network', modelOf(closed));
  await window.say('Hello?');
  await expect(window.failure.getByRole('heading', { name: 'Loopback nowhere is not running' })).toBeVisible({
    timeout: LONG,
  });
  await expect(window.failure).toContainText(
    `Nothing answers at ${closed.baseUrl}. Start the server, or check the base URL.`,
  );
  await window.shot('failure-no-network');
  await goesOnWithRetry(sessionId, 'Hello?');
});

test('a model whose endpoint was removed: nothing is sent, another model goes on', async () => {
  const gone = endpointOn(server.url, 'gone');
  await window.request('endpoints.save', { endpoint: gone });
  const sessionId = await window.startSession('Removed', modelOf(gone));
  server.script('First words.');
  await window.say('Hello');
  await answered(window.page, 'First words.');
  await window.request('endpoints.remove', { endpointId: 'gone' });
  const before = server.requests.length;
  await window.say('And again');
  await expect(window.failure.getByRole('heading', { name: 'loopback is not available' })).toBeVisible({
    timeout: LONG,
  });
  await expect(window.failure).toContainText('Nothing was sent, and your message is kept.');
  expect(server.requests).toHaveLength(before);
  await window.shot('failure-removed');
  await goesOnWithRetry(sessionId, 'And again');
});

/** Another model is chosen, then Retry: the message that failed is answered. */
async function goesOnWithRetry(sessionId: string, text: string): Promise<void> {
  server.script('Now it works.');
  await window.request('session.setModel', { sessionId, ...modelOf(endpointOn(server.url, 'loopback')) });
  await expect(window.transcript).toContainText(text);
  await window.failure.getByRole('button', { name: 'Retry' }).click();
  await answered(window.page, 'Now it works.');
  await expect(window.failure).toHaveCount(0);
}

test('a data folder that can’t be used: the window says so, and Try again goes on when it can', async () => {
  const broken = newHome();
  writeFileSync(join(broken, 'sessions'), 'a file where a folder belongs');
  const other = await launchApp({ home: broken, waitReady: false });
  const page = other.page;
  await expect(page.getByText('Espalier could not start')).toBeVisible({ timeout: LONG });
  await expect(
    page.getByText(
      /keeps its files in .*sessions.* is not a folder\. Move it away and try again\. Nothing was changed\./,
    ),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Espalier could not start')).toBeVisible();
  await expect(page.getByText('The second copy of a session')).toHaveCount(0);
  await new AppWindow(other).shot('could-not-start');
  await rm(join(broken, 'sessions'));
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator('[data-composer]')).toBeVisible({ timeout: LONG });
  expect(other.problems).toEqual([]);
  await other.close();
  removeHome(broken);
});

for (const folder of ['outputs', 'trash', 'workspaces'])
  test(`a file where the folder ${folder} belongs: the window says what is in the way`, async () => {
    const broken = newHome();
    writeFileSync(join(broken, folder), 'a file where a folder belongs');
    const other = await launchApp({ home: broken, waitReady: false });
    await expect(other.page.getByText('Espalier could not start')).toBeVisible({ timeout: LONG });
    await expect(
      other.page.getByText(`but ${join(broken, folder)} is not a folder. Move it away and try again.`),
    ).toBeVisible();
    await rm(join(broken, folder));
    await other.page.getByRole('button', { name: 'Try again' }).click();
    await expect(other.page.locator('[data-composer]')).toBeVisible({ timeout: LONG });
    await other.close();
    removeHome(broken);
  });
