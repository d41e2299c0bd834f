import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { looksRight } from '../support/e2e/branches';
import { answered, LONG, transcript } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { sentContext, startModelServer, type CapturedRequest, type ModelServer } from '../support/model-server';

/** Nobody who may be asked writes the summary: the person is offered another model, and it alone gets the session, once. */
test.describe.configure({ mode: 'serial' });

const SUMMARY = '## Goal\nShip the parser.';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let other: ModelServer;
let sessionId: string;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const card = (): Locator => window.page.getByRole('alert', { name: 'Compaction' });
const another = (within: Locator): Locator => within.getByRole('button', { name: 'Try with Sonata' });

test.beforeAll(async () => {
  [server, other] = await Promise.all([startModelServer(), startModelServer()]);
  other.script(SUMMARY);
  const own = endpointOn(server.url, 'own');
  const far = { ...endpointOn(other.url, 'far'), name: 'The other one' };
  const models = far.models.map((model) => ({ ...model, name: 'Sonata' }));
  writeEndpoint(home, own, { ...far, models });
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  sessionId = await window.startSession('A long one', modelOf(own));
  for (let turn = 0; turn < 4; turn++) {
    server.script((request) => (isSummary(request) ? ' ' : `Answer ${turn}. ${WORDS}`));
    await window.say(`Question ${turn}: ${WORDS}`);
    await answered(window.page, `Answer ${turn}.`);
  }
  await window.rested(sessionId);
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await Promise.all([server.close(), other.close()]);
  removeHome(home);
});

test('WN9: what a compaction failed of is said to who reads above, and leads to its card', async () => {
  await transcript(window.page).press('Home');
  await expect(window.page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
  await window.say('/compact look at the scanner');
  const bar = window.page.locator('[data-off-screen="failed"]');
  await expect(bar).toContainText('The session was not compacted', { timeout: LONG });
  await expect(card()).not.toBeInViewport();
  await takeShots(app, 'failed-below');
  await bar.getByRole('button', { name: 'Show' }).click();
  await expect(card()).toBeInViewport();
  await expect(bar).toHaveCount(0);
  await card().getByRole('button', { name: 'Dismiss' }).click();
  await expect(card()).toHaveCount(0);
});

test('a compaction: the card says why and who else can, and outlives the window', async () => {
  await window.say('/compact look at the parser');
  await expect(card()).toContainText('Summarization failed: empty summary', { timeout: LONG });
  await expect(card()).toContainText('The other one · free, on this computer');
  await looksRight(app, window, 'summary-offer');
  await window.page.reload();
  await expect(another(card())).toBeVisible({ timeout: LONG });
  expect(other.requests).toEqual([]);
  // Again asks those who were asked, and nobody else.
  const asked = server.requests.length;
  await card().getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => server.requests.length, { timeout: LONG }).toBeGreaterThan(asked);
  expect(JSON.stringify(server.requests.at(-1))).toContain('look at the parser');
  await window.rested(sessionId);
  await expect(card()).toContainText('Summarization failed: empty summary', { timeout: LONG });
  expect(other.requests).toEqual([]);
  await another(card()).click();
  await expect(window.transcript.getByText(/Compacted \d+ messages/)).toBeVisible({ timeout: LONG });
  await expect(card()).toHaveCount(0);
  expect(other.requests).toHaveLength(1);
  expect(JSON.stringify(other.requests[0])).toContain('look at the parser');
});

test('a handoff: the dialog comes back with the goal, the reason and the offer', async () => {
  await window.rested(sessionId);
  await window.say('/handoff build the scanner');
  const dialog = window.page.getByRole('dialog', { name: 'Hand off to a new session' });
  await expect(dialog).toContainText('Summarization failed: empty summary', { timeout: LONG });
  await expect(dialog.getByRole('textbox')).toHaveValue('build the scanner');
  await looksRight(app, window, 'summary-offer-handoff');
  expect(other.requests).toHaveLength(1);
  await another(dialog).click();
  await expect(window.composer).toHaveValue(/Ship the parser/, { timeout: LONG });
  expect(other.requests).toHaveLength(2);
});
