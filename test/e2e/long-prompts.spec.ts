import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG, transcript } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** A person's rows: who, when, and how much of a long prompt; and what answers one with nothing (TS12). */
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const prompt = (): Locator => window.transcript.locator('[data-kind="user"]').filter({ hasText: 'Step 1.' });
const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `Step ${at + 1}.`).join('\n');
const topOf = (element: Locator): Promise<number> => element.evaluate((one) => Math.round(one.getBoundingClientRect().top)); // prettier-ignore

async function drawn(): Promise<void> {
  await window.page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

test('TS12: a prompt of many lines folds, opens and folds again, and nothing that is read moves', async () => {
  await window.startSession('Long prompt', modelOf(endpointOn(server.url, 'loopback')));
  server.script(`${'word '.repeat(1_500)}The reply before.`);
  await window.say('Begin');
  await answered(window.page, 'The reply before.');
  server.script('The reply to it.');
  await window.say(numbered(200));
  await answered(window.page, 'The reply to it.');
  const show = prompt().getByRole('button', { name: 'Show all 200 lines' });
  await expect(prompt()).toContainText('Step 12.');
  await expect(prompt()).not.toContainText('Step 13.');
  await expect(show).toHaveAttribute('aria-expanded', 'false');
  await takeShots(app, 'prompt-folded');
  expect(await seriousIssues(window.page)).toEqual([]);

  // Also at the end, where the newest is kept in view.
  const first = prompt().getByText('Step 1.', { exact: false }).first();
  const before = await topOf(first);
  await show.press('Enter');
  await expect(prompt()).toContainText('Step 200.', { timeout: LONG });
  await drawn();
  expect(await topOf(first)).toBe(before);
  await expect(window.button('Jump to latest')).toBeVisible();
  await takeShots(app, 'prompt-open');

  // What stands below stays where it is.
  const less = prompt().getByRole('button', { name: 'Show less' });
  await transcript(window.page).evaluate((list) => list.scrollTo(0, list.scrollHeight - list.clientHeight - 30));
  await drawn();
  await expect(less).toBeInViewport();
  const reply = transcript(window.page).getByText('The reply to it.');
  const place = await topOf(reply);
  await less.click();
  await expect(prompt()).not.toContainText('Step 13.');
  await drawn();
  expect(Math.abs((await topOf(reply)) - place)).toBeLessThanOrEqual(2);
});

test('TS12: what was opened is open when its row comes back, and the end is followed again', async () => {
  await window.startSession('Comes back', modelOf(endpointOn(server.url, 'loopback')));
  server.script('The first reply.');
  await window.say(numbered(60));
  await answered(window.page, 'The first reply.');
  await prompt().getByRole('button', { name: 'Show all 60 lines' }).click();
  await expect(prompt()).toContainText('Step 60.');
  // So many rows that the list keeps it no more.
  for (const name of ['second', 'third', 'fourth', 'fifth']) {
    server.script(`${'word '.repeat(800)}The ${name} reply.`);
    await window.say('Go on');
    await answered(window.page, `The ${name} reply.`);
  }
  const list = transcript(window.page);
  const distance = (): Promise<number> => list.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
  await expect.poll(distance).toBeLessThanOrEqual(1);
  await expect(list.getByText('Step 60.')).toHaveCount(0);
  await list.press('Home');
  await expect(prompt()).toContainText('Step 60.', { timeout: LONG });
  await expect(prompt().getByRole('button', { name: 'Show less' })).toHaveAttribute('aria-expanded', 'true');
});

test('TS12: a person’s row names author and time, to the eye and to a screen reader', async () => {
  await window.startSession('Whose', modelOf(endpointOn(server.url, 'loopback')));
  server.script('Hello.');
  await window.say('Hi there');
  await answered(window.page, 'Hello.');
  const row = window.page.getByRole('article', { name: /^You, \d\d:\d\d$/ });
  await expect(row).toContainText(/You\s*\d\d:\d\d\s*Hi there/);
  // The day goes by with the window open; somebody comes back to it.
  await window.page.evaluate(() => {
    const today = Date.now;
    Object.assign(globalThis, { today });
    Date.now = () => today() + 24 * 3_600_000;
    dispatchEvent(new Event('focus'));
  });
  const later = window.page.getByRole('article', { name: /^You, \w{3} \d\d:\d\d$/ });
  await expect(later).toContainText(/You\s*\w{3} \d\d:\d\d\s*Hi there/);
  await window.page.evaluate(() => {
    Date.now = (globalThis as unknown as { today: () => number }).today;
    dispatchEvent(new Event('focus'));
  });
  await expect(row).toContainText(/You\s*\d\d:\d\d\s*Hi there/);
  await expect(row.locator('time')).toHaveAttribute('title', /\d{4} at \d\d:\d\d$/);
  await takeShots(app, 'prompt-author');
  await expect(window.page.getByRole('article', { name: /^You/ })).toHaveCount(1);
});

test('TS12: a reply without content says so, and Retry asks for another one', async () => {
  await window.startSession('Nothing', modelOf(endpointOn(server.url, 'loopback')));
  server.script([{ content: [{ type: 'text', text: '' }] }, 'Words at last.']);
  await window.say('Say something');
  const empty = window.page.getByRole('article').filter({ hasText: 'The model answered with nothing.' });
  await expect(empty).toHaveCount(1, { timeout: LONG });
  await takeShots(app, 'empty-reply');
  await empty.getByRole('button', { name: 'Retry' }).click();
  await answered(window.page, 'Words at last.');
  await expect(empty).toHaveCount(0);
});
