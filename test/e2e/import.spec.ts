import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { expectedContext } from '../support/e2e/expected-context';
import { dropFile } from '../support/e2e/drop';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { realSessionPath, sha256 } from '../support/e2e/session-files';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** The real session: imported, shown with the figures of engine.md 21, and gone on with. */
test.describe.configure({ mode: 'serial' });

const source = realSessionPath();
test.skip(source === null, 'the real session is not here');
const path = source ?? '';
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

test('File → Import shows 1,018 entries and the last words, the file unchanged', async () => {
  const before = await sha256(path);
  await window.importByMenu([path]);
  await expect(window.page.getByText('1,018 entries. The original file is unchanged.').first()).toBeVisible({
    timeout: LONG,
  });
  sessionId = await window.shownId();
  expect(await window.summary(sessionId)).toMatchObject({
    entryCount: 1018,
    compactions: 0,
    damage: [],
    state: 'idle',
  });
  await expect(window.transcript).not.toBeEmpty({ timeout: LONG });
  await window.shot('import');
  expect(await sha256(path)).toBe(before);
});

test('the meter shows what the provider reported: 177,657 of 200,000 tokens', async () => {
  const meter = window.page.getByRole('button', { name: /context/i }).filter({ hasText: '177.7k' });
  await expect(meter).toContainText('177.7k / 200k', { timeout: LONG });
  await meter.click();
  const details = window.page.getByRole('dialog', { name: 'What fills the context' });
  await expect(details).toContainText('of 200k · reported by the provider');
  await window.shot('import-meter');
  await window.page.keyboard.press('Escape');
  const { usage, rows, rowsBefore } = await window.request('session.open', { sessionId });
  expect(usage).toMatchObject({ tokens: 177_657, window: 200_000, exact: true });
  // Of the 1,018 entries 914 are messages; a run of state entries has rows of its own.
  expect(rows.length + rowsBefore).toBe(1018);
});

test('the first message of the session can be reached', async () => {
  const transcript = window.page.locator('[data-transcript]');
  await expect(async () => {
    await transcript.press('Home');
    await expect(transcript).toContainText('we still need to port over user-message-selector.ts', { timeout: 2_000 });
  }).toPass({ timeout: LONG });
  await transcript.press('End');
});

test('going on sends exactly the context of the spec', async () => {
  await window.request('session.setModel', { sessionId, ...modelOf(endpointOn(server.url, 'loopback')) });
  server.script('The session goes on.');
  await window.say('What was the last thing we did?');
  await answered(window.page, 'The session goes on.');
  // A second request names the session; the first is ours.
  const request = server.requests[0];
  expect(request && sentMessages(request)).toEqual(expectedContext(path, 'What was the last thing we did?'));
});

test('dropped on the window it is imported a second time, as a session of its own', async () => {
  await dropFile(window.page, path);
  await expect.poll(() => window.shownId(), { timeout: LONG }).not.toBe(sessionId);
  const dropped = await window.shownId();
  expect(await window.summary(dropped)).toMatchObject({ entryCount: 1018 });
  const { usage } = await window.request('session.open', { sessionId: dropped });
  expect(usage).toMatchObject({ tokens: 177_657, exact: true });
});
