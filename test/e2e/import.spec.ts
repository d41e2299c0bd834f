import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { expectedContext } from '../support/e2e/expected-context';
import { dropFile } from '../support/e2e/drop';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { sha256 } from '../support/e2e/session-files';
import { oldSessions, writeSession } from '../support/golden-sessions';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** Long sessions of an older program: imported, shown with the figures of their lines, and gone on with. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const files = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

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
  removeHome(files);
});

for (const session of oldSessions()) {
  const { name, figures, firstWords } = session;
  const entries = figures.entries.toLocaleString('en-US');
  const reported = `${(figures.reported / 1000).toFixed(1)}k`;
  let path: string;
  let sessionId: string;

  test(`${name}: File → Import shows ${entries} entries and the last words, the file unchanged`, async () => {
    path = writeSession(files, session);
    const before = await sha256(path);
    await window.importByMenu([path]);
    await expect(window.page.getByText(`${entries} entries. The original file is unchanged.`).first()).toBeVisible({
      timeout: LONG,
    });
    sessionId = await window.shownId();
    expect(await window.summary(sessionId)).toMatchObject({
      entryCount: figures.entries,
      compactions: 0,
      damage: [],
      state: 'idle',
    });
    await expect(window.transcript).not.toBeEmpty({ timeout: LONG });
    await window.shot('import');
    expect(await sha256(path)).toBe(before);
  });

  test(`${name}: the meter shows what the provider reported: ${reported} of 200,000 tokens`, async () => {
    const meter = window.page.getByRole('button', { name: /context/i }).filter({ hasText: reported });
    await expect(meter).toContainText(`${reported} / 200k`, { timeout: LONG });
    await meter.click();
    const details = window.page.getByRole('dialog', { name: 'Context usage' });
    await expect(details).toContainText('of 200k · reported by the provider');
    await window.shot('import-meter');
    await window.page.keyboard.press('Escape');
    const { usage, rows, rowsBefore } = await window.request('session.open', { sessionId });
    expect(usage).toMatchObject({ tokens: figures.reported, window: 200_000, exact: true });
    // A run of state entries has rows of its own.
    expect(rows.length + rowsBefore).toBe(figures.entries);
  });

  test(`${name}: its first message can be reached`, async () => {
    const transcript = window.page.locator('[data-transcript]');
    await expect(async () => {
      await transcript.press('Home');
      await expect(transcript).toContainText(firstWords, { timeout: 2_000 });
    }).toPass({ timeout: LONG });
    await transcript.press('End');
  });

  test(`${name}: going on sends exactly the context of the spec`, async () => {
    await window.request('session.setModel', { sessionId, ...modelOf(endpointOn(server.url, 'loopback')) });
    server.script('The session goes on.');
    const before = server.requests.length;
    await window.say('What was the last thing we did?');
    await answered(window.page, 'The session goes on.');
    // A second request names the session; the first is ours.
    const request = server.requests[before];
    expect(request && sentMessages(request)).toEqual(expectedContext(path, 'What was the last thing we did?'));
  });

  test(`${name}: dropped on the window it is imported a second time, as a session of its own`, async () => {
    await dropFile(window.page, path);
    await expect.poll(() => window.shownId(), { timeout: LONG }).not.toBe(sessionId);
    const dropped = await window.shownId();
    expect(await window.summary(dropped)).toMatchObject({ entryCount: figures.entries });
    const { usage } = await window.request('session.open', { sessionId: dropped });
    expect(usage).toMatchObject({ tokens: figures.reported, exact: true });
  });
}
