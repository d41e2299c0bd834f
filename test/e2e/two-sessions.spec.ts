import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type CapturedRequest, type ModelServer } from '../support/model-server';

/** Two sessions stream at the same time; each shows its own words, whichever is in the window. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const half = gate();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let first: string;
let second: string;

/** One reply for each session, in two parts; both wait in the middle until the test lets them go on. */
const wordsOf = (name: string): { begin: string; end: string } => ({
  begin: `${name} begins. `.padEnd(60, '.'),
  end: `${name} ends.`,
});

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  server.script((request) => {
    const name = askedOf(request);
    const { begin, end } = wordsOf(name);
    return { text: begin + end, chunkChars: 60, holdAt: { frame: 2, until: half.until } };
  });
});
test.afterAll(async () => {
  half.open();
  await app.close();
  await server.close();
  removeHome(home);
});

function askedOf(request: CapturedRequest): string {
  return /^Tell me of (\w+)$/.exec(sentMessages(request).at(-1)?.text ?? '')?.[1] ?? 'something else';
}

test('both stream, and each shows only its own words', async () => {
  const model = modelOf(endpointOn(server.url, 'loopback'));
  first = await window.startSession('Apples', model);
  await window.say('Tell me of apples');
  await expect(window.transcript).toContainText('apples begins.', { timeout: LONG });
  second = await window.startSession('Pears', model);
  await window.say('Tell me of pears');
  await expect(window.transcript).toContainText('pears begins.', { timeout: LONG });
  await expect(window.transcript).not.toContainText('apples');

  for (const id of [first, second])
    await expect(window.row(id).getByRole('img', { name: 'answering' })).toBeVisible({ timeout: LONG });
  expect(server.requests.map(askedOf)).toEqual(['apples', 'pears']);
  await window.shot('two-sessions');
  await window.show(first);
  await expect(window.transcript).toContainText('apples begins.');
  await expect(window.transcript).not.toContainText('apples ends.');
  await expect(window.transcript).not.toContainText('pears');
});

test('the one that is not shown goes on and is whole when it is shown again', async () => {
  half.open();
  await expect(window.transcript).toContainText('apples ends.', { timeout: LONG });
  for (const id of [first, second]) expect(await window.rested(id)).toMatchObject({ state: 'idle' });
  await window.show(second);
  await expect(window.transcript).toContainText('pears ends.', { timeout: LONG });
  await expect(window.transcript).not.toContainText('apples');
  for (const id of [first, second]) await expect(window.row(id).getByRole('img', { name: 'answering' })).toHaveCount(0);
});

test('WN7: a click on a row opens its session to write in; keys stay in the list, and a second click renames', async () => {
  await window.row(first).click();
  await expect(window.composer).toBeFocused();
  await expect(window.row(first)).toHaveAttribute('aria-current', 'true');
  await window.page.keyboard.type('Written at once');
  await expect(window.composer).toHaveValue('Written at once');
  await window.composer.fill('');
  // The one that is shown already, too.
  await window.row(first).click();
  await expect(window.composer).toBeFocused();

  // The click leads to the composer once more in its frame; what a person does next comes later than that.
  await window.page.evaluate(() => new Promise(requestAnimationFrame));
  await window.row(second).focus();
  await window.page.keyboard.press('Enter');
  await expect(window.row(second)).toHaveAttribute('aria-current', 'true');
  await expect(window.transcript).toContainText('pears ends.', { timeout: LONG });
  await expect(window.row(second)).toBeFocused();
  // Which of them ended last, and stands above, is chance.
  const order = await window.page
    .locator('[data-session]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-session')));
  await window.page.keyboard.press(order.indexOf(second) < order.indexOf(first) ? 'ArrowDown' : 'ArrowUp');
  await expect(window.row(first)).toBeFocused();

  const title = window.page.getByRole('textbox', { name: 'Session title' });
  await window.row(first).dblclick();
  await expect(title).toBeFocused();
  await window.page.keyboard.type('Apples by hand');
  await window.page.keyboard.press('Enter');
  await expect(window.row(first)).toContainText('Apples by hand');
});
