import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG, transcript } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelReply, type ModelServer } from '../support/model-server';

/** A stream that is cut again and again leaves one row with what came last in front (TS6). */
test.describe.configure({ mode: 'serial' });
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

const PARAGRAPH = 'The river rises in the hills and runs west to the sea.';
const cut = (text: string): ModelReply => ({ text, omitEnd: 'all', ending: 'reset' });

async function start(): Promise<void> {
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
}
test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'retry.baseDelayMs': 100, 'retry.maxDelayMs': 100 }));
  await start();
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

const replies = (): Locator =>
  transcript(window.page).locator('[role="article"][data-kind="assistant"], [data-kind="live"]');
const paragraphs = (): Locator => transcript(window.page).getByText(PARAGRAPH);
const attempts = (count: number): Locator => transcript(window.page).getByRole('button', { name: `${count} attempts` });

test('TS6: what is cut is folded under the reply that is being written, and after it', async () => {
  const hold = gate();
  sessionId = await window.startSession('Rivers', modelOf(endpointOn(server.url, 'loopback')));
  server.script([
    cut(`${PARAGRAPH} It`),
    cut(`${PARAGRAPH} There`),
    { text: `${PARAGRAPH} There it ends.`, holdAt: { frame: 6, until: hold.until } },
  ]);
  await window.say('Tell me of the river');
  await expect(attempts(3)).toBeVisible({ timeout: LONG });
  // While it streams there is one of them as well.
  await expect(replies()).toHaveCount(1);
  hold.open();
  await answered(window.page, 'There it ends.');
  await expect(replies()).toHaveCount(1);
  await expect(paragraphs()).toHaveCount(1);
  await takeShots(app, 'attempts-folded');

  await attempts(3).press('Enter');
  await expect(paragraphs()).toHaveCount(3);
  await expect(transcript(window.page).getByRole('region', { name: 'Attempt 2 failed' })).toContainText('There');
  await expect(attempts(3)).toHaveAttribute('aria-expanded', 'true');
  await takeShots(app, 'attempts-open');
  expect(await seriousIssues(window.page)).toEqual([]);
  await attempts(3).click();
  await expect(paragraphs()).toHaveCount(1);
});

test('TS6: a reply that was stopped and asked for again is an attempt, and a hit in one opens them', async () => {
  const never = gate();
  server.script([
    { text: 'A lighthouse stands there, and', holdAt: { frame: 2, until: never.until } },
    'Ships pass it.',
  ]);
  await window.say('And at the sea?');
  await expect(transcript(window.page)).toContainText('A lighthouse', { timeout: LONG });
  await window.button('Stop').first().click();
  await window.rested(sessionId);
  never.open();
  await transcript(window.page).getByRole('button', { name: 'Retry' }).click();
  await answered(window.page, 'Ships pass it.');
  await expect(attempts(2)).toBeVisible();
  await expect(transcript(window.page)).not.toContainText('A lighthouse');
  await window.page.keyboard.press('Control+f');
  await window.page.keyboard.type('lighthouse');
  await window.page.keyboard.press('Enter');
  await expect(transcript(window.page).getByRole('region', { name: 'Attempt 1 stopped' })).toContainText('lighthouse', {
    timeout: LONG,
  });
  await window.page.keyboard.press('Escape');
});

test('TS6: the fold is there after a restart, and the model is sent the last of each', async () => {
  await app.close();
  await start();
  await expect(attempts(3)).toBeVisible({ timeout: LONG });
  await expect(attempts(2)).toBeVisible();
  await expect(paragraphs()).toHaveCount(1);
  server.script('Good night.');
  await window.say('Good night');
  await answered(window.page, 'Good night.');
  const sent = JSON.stringify(server.requests.at(-1)!.body);
  expect(sent.split(PARAGRAPH)).toHaveLength(2);
  expect(sent).not.toContain('lighthouse');
});
