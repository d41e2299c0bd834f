import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { branchySession, writeBranchySession } from '../support/branchy-session';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** Finding: in all sessions, and in the one that is shown. */
test.describe.configure({ mode: 'serial' });

const home = sharedHome();
const SHAPE = { turns: 30, branches: 2, branchLength: 3, compactions: 1 };
const { trunk, branches } = branchySession(SHAPE);
let app: RunningApp;
let window: AppWindow;
let branchy: string;
let other: string;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take());
  window = new AppWindow(app);
  writeBranchySession(join(home, 'branchy.jsonl'), SHAPE);
  branchy = (await window.importFile(join(home, 'branchy.jsonl'))).id;
  writeFileSync(join(home, 'other.jsonl'), otherSession());
  other = (await window.importFile(join(home, 'other.jsonl'))).id;
  await window.show(other);
});

function otherSession(): string {
  const header = { type: 'session', version: 3, id: 'other', timestamp: '2026-10-02T09:00:00.000Z', cwd: '' };
  const said = (id: string, parentId: string | null, content: string) => ({
    ...{ type: 'message', id, parentId, timestamp: '2026-10-02T09:01:00.000Z' },
    message: { role: 'user', content, timestamp: 1 },
  });
  const words = 'Deadlock in the other session: enqueueJob waits. \u202eevil\u202c <b>bold</b>';
  return [header, said('0a', null, words), said('0b', '0a', 'Nothing else')]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

const resize = (width: number, height: number): Promise<void> =>
  app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]!.setContentSize(w, h), [
    width,
    height,
  ] as const);
const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const panel = (): Locator => app.page.getByRole('complementary', { name: 'Search everything' });
const field = (): Locator => panel().getByRole('combobox', { name: 'Search all sessions' });
const hits = (): Locator => panel().locator('[data-hit]');
const hit = (entryId: string): Locator => panel().locator(`[data-hit="${entryId}"]`);
const row = (entryId: string): Locator => window.transcript.locator(`[data-entry="${entryId}"]`);
const leafOf = async (sessionId: string): Promise<string | null> =>
  (await window.request('session.open', { sessionId })).leafId;

test('WN11, SE5: Ctrl+Shift+F finds in every session, with excerpts and where each hit stands', async () => {
  await window.composer.focus();
  await press('Control+Shift+F');
  await expect(field()).toBeFocused();
  await app.page.keyboard.type('deadlock');
  // The index is built while the app is used: nothing of this was searched before.
  await expect(panel()).toContainText('in 2 sessions');
  await expect(hit('0a')).toContainText('Deadlock in the other session');
  await expect(hit('0a').locator('mark')).toHaveText('Deadlock');
  await expect(hit('0a')).toContainText('word for word');
  await expect(panel().locator('[data-place="branch"][data-hit]').first()).toContainText('other branch');
  await expect(panel().getByText('still to read')).toHaveCount(0);
  await window.shot('search-all');
  // What could mislead is written out, and is nothing but text.
  await expect(hit('0a')).toContainText('U+202E');
  await expect(hit('0a')).toContainText('<b>bold</b>');
  expect(await seriousIssues(app.page)).toEqual([]);
  await app.page.emulateMedia({ colorScheme: 'dark' });
  await window.shot('search-all-dark');
  await app.page.emulateMedia({ colorScheme: 'light' });
});

test('SE5: arrows walk, Enter shows a hit of the path where it stands, and HEAD stays', async () => {
  await field().fill('Where are locks taken');
  await panel().getByRole('button', { name: 'Exact phrase' }).click();
  await expect(hit(trunk[0] ?? '')).toContainText('summarised');
  const before = await leafOf(branchy);
  await field().focus();
  await press('PageDown');
  await press('PageDown');
  const at = panel().locator('[data-hit][aria-selected="true"]');
  await expect(at).toHaveAttribute('data-hit', trunk[0] ?? '');
  await press('Enter');
  await expect(row(trunk[0] ?? '')).toBeInViewport();
  await expect(row(trunk[0] ?? '')).toHaveAttribute('data-marked', 'true');
  await expect(field()).toBeFocused();
  await window.shot('search-shown');
  expect(await leafOf(branchy)).toBe(before);
});

test('SE5, GR12: a hit on another branch is read in the transcript; going there is an act of its own, with its question', async () => {
  await field().fill('Use triggers instead 1.1');
  const found = branches[0]?.prompts[0] ?? '';
  await expect(hit(found)).toContainText('other branch');
  const before = await leafOf(branchy);
  await hit(found).click();
  await expect(app.page.getByRole('region', { name: 'Reading another branch' })).toBeVisible();
  await expect(row(found)).toBeInViewport();
  await expect(row(found)).toHaveAttribute('data-marked', 'true');
  await window.shot('search-read');
  await expect(field()).toBeFocused();
  expect(await leafOf(branchy)).toBe(before);
  const leave = app.page.getByRole('dialog', { name: 'Leave this branch?' });
  // WN7: cancelled, the keyboard is where it was.
  await press('Control+Enter');
  await expect(leave).toBeVisible();
  await press('Escape');
  await expect(leave).toHaveCount(0);
  await expect(field()).toBeFocused();
  await press('Control+Enter');
  await leave.getByText('No summary').click();
  await leave.getByRole('button', { name: 'Go', exact: true }).click();
  await expect(row(found)).toBeInViewport();
  expect(await leafOf(branchy)).toBe(branches[0]?.leafId);
  // The index hears of it: what was elsewhere is on the path.
  await expect
    .poll(async () => {
      await field().fill('Use triggers instead 1.');
      await field().fill('Use triggers instead 1.1');
      return hit(found).getAttribute('data-place');
    })
    .toBe('kept');
});

test('SE5: places and more hits; letters as typed; Esc gives the keyboard back', async () => {
  await panel().getByRole('button', { name: 'Exact phrase' }).click();
  await field().fill('table');
  await expect(panel().getByRole('button', { name: /more$/ })).toBeVisible();
  const shown = await hits().count();
  await panel().getByRole('button', { name: /more$/ }).click();
  await expect.poll(() => hits().count()).toBeGreaterThan(shown);
  await panel()
    .getByRole('button', { name: /^Other branches/ })
    .click();
  await expect(panel().locator('[data-hit]:not([data-place="branch"])')).toHaveCount(0);
  await expect(hits().first()).toBeVisible();
  await panel()
    .getByRole('button', { name: /^All places/ })
    .click();
  await field().fill('WAITS');
  await expect(hits()).toHaveCount(1);
  await panel().getByRole('button', { name: 'Match case' }).click();
  await expect(hits()).toHaveCount(0);
  await field().fill('enqueueJob');
  await expect(hits()).toHaveCount(1);
  await panel().getByRole('button', { name: 'Match case' }).click();
  await press('Escape');
  await expect(panel()).toHaveCount(0);
  await expect(window.composer).toBeFocused();
});

test('SE3: what is said and deleted while it runs is found and no longer found', async () => {
  await window.show(other);
  await window.say('A zebra crossed the index');
  await press('Control+Shift+F');
  await field().fill('zebra');
  await expect(hits().first()).toContainText('A zebra crossed the index');
  await window.request('sessions.delete', { sessionId: other });
  await field().fill('zebr');
  await expect(panel()).toContainText('0 hits in 0 sessions');
  await window.request('sessions.restore', { sessionId: other });
  await expect
    .poll(async () => {
      await field().fill('zebra');
      await field().fill('zebra ');
      return hits().count();
    })
    .toBeGreaterThan(0);
  await press('Escape');
});

const bar = (): Locator => app.page.getByRole('search', { name: 'Find in this session' });
const findField = (): Locator => bar().getByRole('textbox', { name: 'Find in this session' });
/** What is marked in the message at which one is. */
const markedNow = (): Promise<string[]> =>
  app.page.evaluate(() => [...(CSS.highlights.get('found-now') ?? [])].map((range) => String(range)));

test('WN11, SE1: Ctrl+F walks the hits of this session, marks them, counts those elsewhere, moves nothing', async () => {
  await window.show(branchy);
  const before = await leafOf(branchy);
  await window.composer.focus();
  await press('Control+f');
  await expect(findField()).toBeFocused();
  // At once: the hits of half the words would be counted as well.
  await findField().fill('locks taken');
  await expect(bar()).toContainText(/\d of \d/);
  const count = Number(/of (\d+)/.exec(await bar().innerText())?.[1]);
  expect(count).toBeGreaterThan(1);
  await expect(bar()).toContainText(`${count} of ${count}`);
  await press('Enter');
  await expect(bar()).toContainText(`1 of ${count}`);
  await expect(row(trunk[0] ?? '')).toBeInViewport();
  await expect.poll(markedNow).toEqual(['locks', 'taken']);
  await expect(findField()).toBeFocused();
  await window.shot('find');
  expect(await seriousIssues(app.page)).toEqual([]);
  await press('Shift+Enter');
  await expect(bar()).toContainText(`${count} of ${count}`);
  await press('F3');
  await expect(bar()).toContainText(`1 of ${count}`);
  await press('Shift+F3');
  await expect(bar()).toContainText(`${count} of ${count}`);
  await expect(window.button('Back to where you were')).toBeVisible();
  expect(await leafOf(branchy)).toBe(before);
  // In what is folded it opens: the output of a command.
  await findField().fill('48 passed');
  await expect.poll(markedNow).toEqual(['48', 'passed']);
  // Elsewhere: counted here, listed there.
  await findField().fill('Deadlock under load 2.1');
  await expect(bar()).toContainText('No hits');
  await expect(bar().getByRole('button', { name: /hits? on other branches/ })).toBeVisible();
  // With nothing here, the key for the next hit goes there like the button.
  await press('Enter');
  await expect(bar()).toHaveCount(0);
  await expect(panel().getByRole('button', { name: 'Search all sessions instead of this one' })).toBeVisible();
  await expect(hits().first()).toBeVisible();
  await expect(panel().locator('[data-hit]:not([data-place="branch"])')).toHaveCount(0);
  // Nothing there: it says where it looked, and leads on.
  await field().fill('waits');
  await expect(panel()).toContainText('No hits among “Other branches” in this one session');
  await panel().getByRole('button', { name: 'Search everywhere' }).click();
  await expect(hits().first()).toBeVisible();
  await field().focus();
  await press('Escape');
  // Opened anew, what was asked is there to be typed over.
  await press('Control+Shift+F');
  await expect(field()).toHaveValue('waits');
  await app.page.keyboard.type('zebra');
  await expect(field()).toHaveValue('zebra');
  await press('Escape');
  // Esc gives the keyboard back, and nothing stays marked.
  await window.composer.focus();
  await press('Control+f');
  await findField().fill('nothing like it');
  await expect(bar()).toContainText('No hits');
  await press('Escape');
  await expect(bar()).toHaveCount(0);
  await expect(window.composer).toBeFocused();
  expect(await app.page.evaluate(() => CSS.highlights.size)).toBe(0);
});

test('SE5: filters by folder, author and time, by key and by mouse, are said and let go of', async () => {
  await press('Control+Shift+F');
  await field().fill('lock');
  await expect(panel()).toContainText(/hits? in/);
  const count = async (): Promise<number> =>
    Number(/([\d,]+) hits?/.exec(await panel().getByRole('status').innerText())?.[1]?.replace(',', '') ?? Number.NaN);
  await expect.poll(count).toBeGreaterThan(7);
  const all = await count();
  const filters = panel().getByRole('group', { name: 'Filters' });
  const clear = filters.getByRole('button', { name: 'Clear filters' });
  await expect(clear).toHaveCount(0);
  // By key: the chips are behind the field.
  await filters.getByRole('button', { name: 'From: anyone' }).focus();
  await press('Enter');
  await expect(app.page.locator('[role="menu"] :focus, [role="menu"]:focus')).toHaveCount(1);
  await press('ArrowDown');
  await press('Enter');
  await expect(filters.getByRole('button', { name: 'From: you' })).toBeFocused();
  await expect.poll(count).toBeLessThan(all);
  for (const line of await hits().locator('small').allInnerTexts()) expect(line).toMatch(/^You/);
  await window.shot('search-filters');
  expect(await seriousIssues(app.page)).toEqual([]);
  // By mouse.
  await filters.getByRole('button', { name: 'Any time' }).click();
  await app.page.getByRole('menuitemcheckbox', { name: 'Past day' }).click();
  await expect(panel()).toContainText(/No hits from you in the past day|hits? in/);
  await clear.click();
  await expect(field()).toBeFocused();
  await expect.poll(count).toBe(all);
  await filters.getByRole('button', { name: 'All folders' }).click();
  await expect(app.page.getByRole('menuitemcheckbox')).not.toHaveCount(1);
  await app.page.getByRole('menuitemcheckbox').nth(1).click();
  await expect(filters.getByRole('button', { name: 'Clear filters' })).toBeVisible();
  await field().focus();
  await press('Escape');
  // Opened anew it looks everywhere.
  await press('Control+Shift+F');
  await expect(filters.getByRole('button', { name: 'All folders' })).toBeVisible();
  await press('Escape');
});

test('WN22: the search in windows of other sizes', async () => {
  for (const width of [960, 1920]) {
    await resize(width, width === 960 ? 640 : 1200);
    await press('Control+Shift+F');
    await field().fill('deadlock');
    await expect(hits().first()).toBeVisible();
    await window.shot(`search-${width}`);
    await press('Escape');
    await expect(panel()).toHaveCount(0);
  }
  await resize(1280, 800);
  // The branches give way to the search, and come back.
  const branchPane = app.page.locator('[data-pane="graph"]');
  if ((await branchPane.count()) === 0) await press('Control+Shift+G');
  await expect(branchPane).toHaveCount(1);
  await press('Control+Shift+F');
  await expect(field()).toBeFocused();
  await expect(branchPane).toHaveCount(0);
  await window.shot('search-1280');
  await press('Escape');
  await expect(branchPane).toHaveCount(1);
  await press('Control+f');
  await findField().fill('table');
  await expect(bar()).toContainText(/\d of \d/);
  const branchHits = bar().getByRole('button', { name: /hits? on other branches/ });
  for (const width of [1280, 960]) {
    await resize(width, width === 960 ? 640 : 800);
    if (width === 960) await press('Control+Shift+G');
    await findField().focus();
    await expect.poll(async () => (await findField().boundingBox())?.width).toBeGreaterThanOrEqual(100);
    // Nothing of it is cut off.
    const [inner, outer] = [await branchHits.boundingBox(), await bar().boundingBox()];
    expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width);
    expect(
      await bar()
        .locator('> span')
        .evaluateAll((all) => all.every((one) => one.scrollWidth <= one.clientWidth)),
    ).toBe(true);
    await window.shot(`find-${width}`);
  }
  await press('Escape');
  await resize(1280, 800);
});
