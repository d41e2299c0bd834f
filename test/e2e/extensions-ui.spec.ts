import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { ALL_SIZES, takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** What a person sees of extensions, from a real file in a process of its own (EX16, EX17). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folder = join(home, 'extensions');
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

const SHOWS = `
export default function (pi) {
  pi.on('session_start', async (_event, ctx) => {
    ctx.ui.setStatus('todo', ctx.ui.theme.fg('success', '3') + ' of 7 done');
    ctx.ui.setWidget('todo', ['Todo', '\\u001b]0;evil\\u0007one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    ctx.ui.setWidget('below', ['under the composer'], { placement: 'belowEditor' });
    ctx.ui.setTitle('pi - todo');
  });
  const command = (name, handler) => pi.registerCommand(name, { description: name, handler });
  command('todo-pick', async (_args, ctx) => ctx.ui.notify('Picked ' + (await ctx.ui.select('Which one?', ['first', 'second', 'third']))));
  command('todo-sure', async (_args, ctx) => ctx.ui.notify('Sure: ' + (await ctx.ui.confirm('Sure?', 'It goes on.'))));
  command('todo-name-it', async (_args, ctx) => ctx.ui.notify('Named ' + (await ctx.ui.input('Name', 'feature'))));
  command('todo-plan', async (_args, ctx) => ctx.ui.notify('Plan: ' + JSON.stringify(await ctx.ui.editor('Plan', 'one'))));
  command('todo-brief', async (_args, ctx) => ctx.ui.notify('Brief: ' + (await ctx.ui.confirm('Quick?', '', { timeout: 1500 }))));
  command('todo-draft', async (_args, ctx) => setTimeout(() => ctx.ui.setEditorText('Words of the extension'), 800));
  command('todo-flood', async (_args, ctx) => { for (let at = 0; at < 5000; at++) ctx.ui.notify('no. ' + at); });
  pi.on('input', (event) => { if (event.text === 'Trip over this') throw new Error('I am no good'); });
};`;

const toast = (text: string | RegExp): Locator => window.page.locator('[data-toast]').filter({ hasText: text });
const dialog = (name: string): Locator => window.page.getByRole('dialog', { name });

test.beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'todo.ts'), SHOWS);
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  sessionId = await window.startSession('With an extension', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

test('EX16: statuses, lines around the composer and a title, in the app’s colours and without other sequences', async () => {
  const { page } = window;
  await expect(page.getByRole('list', { name: 'Extensions' })).toContainText('3 of 7 done', { timeout: LONG });
  await expect(page.getByText('under the composer')).toBeVisible();
  await expect(page.locator('[data-extension-title]')).toHaveText('pi - todo');
  const widget = page.getByRole('region', { name: 'From the extension todo' }).filter({ hasText: 'two' });
  await expect(widget).toContainText('one');
  await expect(widget).not.toContainText('evil');
  await expect(widget).not.toContainText('seven');
  await widget.getByRole('button', { name: '2 more lines' }).click();
  await expect(widget).toContainText('seven');
  await widget.getByRole('button', { name: 'Show less' }).click();
  expect(await seriousIssues(page)).toEqual([]);
  await takeShots(app, 'extension-shows', ALL_SIZES);
});

test('EX16: a list is worked with the keyboard, and its session waits for the person meanwhile', async () => {
  await window.say('/todo-pick');
  await expect(dialog('Which one?')).toBeVisible({ timeout: LONG });
  await expect(dialog('Which one?')).toContainText('The extension todo asks in “With an extension”.');
  expect((await window.summary(sessionId)).state).toBe('waiting');
  expect(await seriousIssues(window.page)).toEqual([]);
  await takeShots(app, 'extension-asks', ALL_SIZES);
  await window.page.keyboard.press('ArrowDown');
  await expect(dialog('Which one?').getByRole('option', { selected: true })).toHaveText('second');
  // Before it has stood there for a moment no key counts.
  await expect(dialog('Which one?').getByRole('button', { name: 'Choose' })).toBeEnabled();
  await window.page.keyboard.press('Enter');
  await expect(toast('todo: Picked second')).toBeVisible({ timeout: LONG });
  await window.rested(sessionId);
});

test('EX16: Escape is no answer; a yes, a line and a text are', async () => {
  await window.say('/todo-pick');
  await expect(dialog('Which one?').getByRole('button', { name: 'Choose' })).toBeEnabled({ timeout: LONG });
  await window.page.keyboard.press('Escape');
  await expect(toast('Picked undefined')).toBeVisible({ timeout: LONG });
  await window.say('/todo-sure');
  await dialog('Sure?').getByRole('button', { name: 'Yes' }).click({ timeout: LONG });
  await expect(toast('Sure: true')).toBeVisible({ timeout: LONG });
  await window.say('/todo-name-it');
  await dialog('Name').getByRole('textbox').fill('a-name');
  await dialog('Name').getByRole('button', { name: 'OK' }).click();
  await expect(toast('Named a-name')).toBeVisible({ timeout: LONG });
  await window.say('/todo-plan');
  await dialog('Plan').getByRole('textbox').fill('one\ntwo');
  await dialog('Plan').getByRole('button', { name: 'Save' }).click();
  await expect(toast(String.raw`Plan: "one\ntwo"`)).toBeVisible({ timeout: LONG });
});

test('EX16: one that has a time ends with it', async () => {
  await window.say('/todo-brief');
  await expect(dialog('Quick?')).toContainText(/It ends in \d s/, { timeout: LONG });
  await expect(toast('Brief: false')).toBeVisible({ timeout: LONG });
  await expect(dialog('Quick?')).toHaveCount(0);
});

test('EX16: a window that is loaded again asks again', async () => {
  await window.say('/todo-sure');
  await expect(dialog('Sure?')).toBeVisible({ timeout: LONG });
  await window.page.reload();
  // Its words are in the composer again, where the keyboard is: then a line leads to the question.
  const line = window.page.getByText('todo asks: Sure?');
  await expect(dialog('Sure?').or(line)).toBeVisible({ timeout: LONG });
  if (await line.isVisible()) await window.page.getByRole('button', { name: 'Answer…' }).click();
  await dialog('Sure?').getByRole('button', { name: 'No' }).click({ timeout: LONG });
  await expect(toast('Sure: false')).toBeVisible({ timeout: LONG });
});

test('EX16: in another session it waits in the list, and is asked when that is shown; who writes is not interrupted', async () => {
  await window.say('/todo-sure');
  await expect(dialog('Sure?').getByRole('button', { name: 'Later' })).toBeVisible({ timeout: LONG });
  await dialog('Sure?').getByRole('button', { name: 'Later' }).click();
  await expect(dialog('Sure?')).toHaveCount(0);
  const line = window.page.getByRole('status').filter({ hasText: 'todo asks: Sure?' });
  await expect(line).toBeVisible();
  await takeShots(app, 'extension-aside', ALL_SIZES);
  await window.composer.fill('half a thought');
  await window.page.keyboard.press('ControlOrMeta+J');
  await dialog('Sure?').getByRole('button', { name: 'No' }).click({ timeout: LONG });
  await expect(toast('Sure: false')).toBeVisible({ timeout: LONG });
  await expect(window.composer).toHaveValue('half a thought');
  await window.composer.fill('');
});

test('EX16: composer text of an extension takes nothing of the person’s away', async () => {
  await window.say('/todo-draft');
  await window.composer.fill('my own words');
  await expect(window.composer).toHaveValue('Words of the extension', { timeout: LONG });
  await toast('put another text in place').getByRole('button', { name: 'Undo' }).click();
  await expect(window.composer).toHaveValue('my own words');
  await window.composer.fill('');
});

test('EX16: a flood of notices is a few toasts and a figure', async () => {
  await window.say('/todo-flood');
  await expect(toast(/and [\d,]+ more messages/)).toBeVisible({ timeout: LONG });
  expect(await window.page.locator('[data-toast]').count()).toBeLessThanOrEqual(6);
});

test('EX17: one that fails is said once, and Settings shows what went wrong', async () => {
  server.script('No harm was done.');
  await window.say('Trip over this');
  await answered(window.page, 'No harm was done.');
  await expect(toast('I am no good')).toBeVisible({ timeout: LONG });
  await toast('I am no good').getByRole('button', { name: 'Show in Settings' }).click();
  const settings = window.page.getByRole('dialog', { name: 'Settings' });
  const row = settings.getByRole('listitem').filter({ hasText: 'todo' }).first();
  await expect(row).toContainText('running');
  await expect(row.getByRole('list', { name: 'Errors' })).toContainText('I am no good');
  await row.getByText('Stack').first().click();
  await expect(row.locator('pre').first()).toContainText('todo.ts');
  await expect(row).toContainText('/todo-pick');
  expect(await seriousIssues(window.page)).toEqual([]);
  await takeShots(app, 'extension-pane', ALL_SIZES);
  await row.getByRole('switch', { name: 'Use todo' }).click();
  await expect(row).toContainText('off');
  await window.page.keyboard.press('Escape');
  await expect(window.page.getByText('under the composer')).toHaveCount(0);
  await expect(window.page.locator('[data-extension-title]')).toHaveCount(0);
});
