import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG, transcript } from '../support/e2e/chat';
import { writeOddSession } from '../support/e2e/odd-session';
import { header } from '../support/e2e/session-files';
import { takeShots } from '../support/e2e/shots';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { MainThread, MARK } from '../support/faults/main-thread';

/** However often a reply was tried, its fold draws some of the attempts at a time (docs/specs/transcript.md TS6). */
const files = newHome();
const ATTEMPTS = 3_000;
const PAGE = 20;
const idOf = (n: number): string => `0b0c0d0e-0000-4000-8000-00000000004${n}`;
let app: RunningApp;
let window: AppWindow;

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: NO_COST };
const MODEL = { api: 'openai-completions', provider: 'somebody', model: 'm', usage: USAGE };

/** A reply that came after so many failed ones. Entries of all such sessions have the same ids. */
function tried(id: string, count: number): string {
  const lines = [header(3, id)];
  const add = (message: object): void => {
    const at = lines.length;
    const ids = { id: `entry-${at}`, parentId: at === 1 ? null : `entry-${at - 1}` };
    lines.push(JSON.stringify({ type: 'message', ...ids, timestamp: '2026-01-01T00:00:01.000Z', message }));
  };
  add({ role: 'user', content: 'Go', timestamp: 1 });
  for (let n = 1; n <= count; n++) {
    const text = `Try ${n}${n === 2_507 ? ' zebra' : ''} ${'words '.repeat(40)}`;
    const failed = { stopReason: 'error', errorMessage: 'cut', timestamp: 2 };
    add({ role: 'assistant', content: [{ type: 'text', text }], ...MODEL, ...failed });
  }
  add({ role: 'assistant', content: [{ type: 'text', text: 'The end.' }], ...MODEL, stopReason: 'stop', timestamp: 3 });
  const path = join(files, `${id}.jsonl`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const list = (): Locator => transcript(window.page);
const attempt = (n: number): Locator => list().getByRole('region', { name: `Attempt ${n} failed`, exact: true });
const fold = (count: number): Locator => list().getByRole('button', { name: `${count.toLocaleString('en')} attempts` });

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take());
  window = new AppWindow(app);
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
  removeHome(files);
});

test(
  'TS6: 3,000 attempts open a page at a time, find leads to the page of a hit, and no task is long',
  { tag: '@tasks' },
  async () => {
    const { page } = app;
    // Code that runs for the first time is compiled: not what is measured.
    await window.importByMenu([writeOddSession(files, 'aaaa0001', [{ type: 'text', text: 'An answer.' }])]);
    await expect(list()).toContainText('The end.', { timeout: LONG });
    await window.importByMenu([tried(idOf(1), ATTEMPTS)]);
    await window.show(idOf(1));
    await expect(fold(ATTEMPTS + 1)).toBeVisible({ timeout: LONG });
    await expect(list()).toContainText('The end.');

    const thread = await MainThread.start(page);
    await fold(ATTEMPTS + 1).click();
    await expect(attempt(PAGE)).toContainText(`Try ${PAGE} words`, { timeout: LONG });
    await expect(list().locator('section[data-entry]')).toHaveCount(PAGE);
    await list().getByRole('button', { name: 'Show 20 more of 2,980' }).click();
    await expect(attempt(2 * PAGE)).toContainText(`Try ${2 * PAGE} words`);
    await expect(list().getByRole('button', { name: 'Show 20 more of 2,960' })).toBeVisible();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('zebra');
    await expect(attempt(2_507)).toBeInViewport({ timeout: LONG });
    await expect(attempt(2_507)).toContainText('zebra');
    await expect(list().locator('section[data-entry]')).toHaveCount(PAGE);
    await page.evaluate((mark) => void performance.mark(`${mark}attempts`), MARK);
    const { long, longestMs, tasks, slowness } = await thread.stop(50);
    expect(tasks).toBeGreaterThan(100);
    expect(long, `longest ${longestMs}, slowness ${slowness}`).toEqual([]);
    await takeShots(app, 'many-attempts-found');
    await page.keyboard.press('Escape');
    await list().getByRole('button', { name: 'Show 20 earlier of 2,500' }).click();
    await expect(attempt(2_481)).toContainText('Try 2481 words');
    await takeShots(app, 'many-attempts-earlier');
  },
);

test('TS6: beyond 200 that are drawn the first ones go, and what is read stays where it is', async () => {
  await window.importByMenu([tried(idOf(4), 500)]);
  await window.show(idOf(4));
  await fold(501).click({ timeout: LONG });
  const more = list().getByRole('button', { name: /^Show 20 more of/ });
  for (let last = PAGE; last < 200; last += PAGE) {
    await expect(attempt(last)).toContainText(`Try ${last} words`, { timeout: LONG });
    await more.click();
  }
  await expect(attempt(200)).toContainText('Try 200 words');
  await more.evaluate((button) => button.scrollIntoView({ block: 'center' }));
  // It is where it will stay.
  const placeOf = (): Promise<number> => attempt(200).evaluate((section) => section.getBoundingClientRect().top);
  await expect.poll(async () => Math.round((await placeOf()) - (await placeOf()))).toBe(0);
  const before = await placeOf();
  await more.click();
  await expect(attempt(220)).toContainText('Try 220 words');
  await expect(list().locator('section[data-entry]')).toHaveCount(200);
  await expect(attempt(20)).toHaveCount(0);
  expect(Math.abs((await placeOf()) - before)).toBeLessThan(2);
  await expect(list().getByRole('button', { name: 'Show 20 earlier of 20' })).toHaveCount(1);
});

test('TS6: a fold that is open in one session is not in another with entries of the same ids', async () => {
  await window.importByMenu([tried(idOf(2), 3)]);
  await window.show(idOf(2));
  await fold(4).click({ timeout: LONG });
  await expect(attempt(3)).toContainText('Try 3 words');
  await window.importByMenu([tried(idOf(3), 4)]);
  await window.show(idOf(3));
  await expect(fold(5)).toHaveAttribute('aria-expanded', 'false', { timeout: LONG });
  await window.show(idOf(2));
  await expect(fold(4)).toHaveAttribute('aria-expanded', 'true', { timeout: LONG });
});
