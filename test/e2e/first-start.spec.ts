import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval, composer, LONG, send, sessionRows, transcript } from '../support/e2e/chat';
import { journals, loggedProblems } from '../support/e2e/files';

/** From nothing to a first answer, a first allowed change, and the same session again after a restart. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const notes = join(home, 'workspaces', 'scratch', 'notes.md');
const launch = (): Promise<RunningApp> => launchApp({ home, env: { ESPALIER_DEMO_SPEED: '2000' } });
let app: RunningApp;

/** Kind and id of every entry on screen, in order. */
const entriesShown = (page: Page): Promise<string[]> =>
  transcript(page)
    .locator('[data-entry]')
    .evaluateAll((rows) => rows.map((row) => `${row.getAttribute('data-kind')} ${row.getAttribute('data-entry')}`));

test.beforeAll(async () => {
  app = await launch();
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

test('without a key the demo model is there and says that it is scripted', async () => {
  const { page } = app;
  await expect(page.getByRole('heading', { name: 'Long sessions that forget nothing' })).toBeVisible({ timeout: LONG });
  await expect(page.getByText('a script that is built in and works offline')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use your own model' })).toBeVisible();
  await expect(sessionRows(page)).toHaveCount(1);
});

test('a suggestion makes the agent ask with the exact change; nothing is written before it is allowed', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Write a haiku to notes.md' }).click();
  const card = approval(page);
  await expect(card).toBeVisible({ timeout: LONG });
  await expect(card.getByRole('heading', { name: 'Create notes.md?' })).toBeVisible();
  await expect(card).toContainText('Branches on three wires:');
  await expect(sessionRows(page).first()).toContainText('Write notes.md');
  await expect(sessionRows(page).first().getByRole('img', { name: 'waiting for you' })).toBeVisible();
  expect(existsSync(notes)).toBe(false);

  await answerCard(page, 'Write once');
  await answered(page, 'Done: notes.md is written');
  await expect(approval(page)).toHaveCount(0);
  expect(readFileSync(notes, 'utf8')).toContain('nothing pruned is ever lost');
});

test('a command that is denied does not run, and the session goes on', async () => {
  const { page } = app;
  await send(page, 'Run `touch denied.txt`');
  await expect(approval(page).locator('[data-visible]')).toHaveText('touch denied.txt', { timeout: LONG });
  await answerCard(page, 'Decline');
  await answered(page, 'You declined that');
  expect(existsSync(join(home, 'workspaces', 'scratch', 'denied.txt'))).toBe(false);
  await send(page, 'List the files in this folder');
  await answered(page, 'I found 1 entry');
});

test('after a restart history, title, draft and pane size are there', async () => {
  const { page } = app;
  const title = await sessionRows(page).first().locator('span').nth(1).innerText();
  await page.getByRole('separator', { name: 'Resize sessions' }).press('Shift+ArrowRight');
  const width = await page.getByRole('separator', { name: 'Resize sessions' }).getAttribute('aria-valuenow');
  await composer(page).fill('half a thought');
  // The newest ones: output that was watched is folded after a restart, so more may be on screen.
  const shown = (await entriesShown(page)).slice(-4);
  expect(shown).toHaveLength(4);

  await app.close();
  expect(app.problems).toEqual([]);
  app = await launch();

  const again = app.page;
  await expect(transcript(again)).toContainText('I found 1 entry', { timeout: LONG });
  expect((await entriesShown(again)).slice(-4)).toEqual(shown);
  await expect(transcript(again)).toContainText('Done: notes.md is written');
  await expect(composer(again)).toHaveValue('half a thought', { timeout: LONG });
  await expect(sessionRows(again)).toHaveCount(1);
  await expect(sessionRows(again).first()).toContainText(title);
  await expect(again.getByRole('separator', { name: 'Resize sessions' })).toHaveAttribute('aria-valuenow', width ?? '');
  expect(journals(home)).toContain('nothing pruned is ever lost');
});

test('a session goes on where it was', async () => {
  await send(app.page, 'Read notes.md');
  await answered(app.page, 'The file has 3 lines with text');
});

test('all of this logs no warning and no error', () => {
  expect(app.problems).toEqual([]);
  expect(
    app
      .output()
      .split('\n')
      .filter((line) => /warn|error/i.test(line)),
  ).toEqual([]);
  expect(loggedProblems(home)).toEqual([]);
});
