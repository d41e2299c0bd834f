import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** Prompt templates behind a slash (EX19, CM3), from the person's folder and from one that is trusted. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const folder = realpathSync(newHome());
const endpoint = endpointOn('', 'loopback');
let server: ModelServer;
let app: RunningApp;
let win: AppWindow;
let sessionId: string;

const list = () => win.page.getByRole('listbox', { name: 'Commands' });
const lastSaid = () => sentMessages(server.requests.at(-1)!).at(-1)?.text ?? '';

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, { ...endpoint, baseUrl: `${server.url}/v1` });
  mkdirSync(join(home, 'prompts'), { recursive: true });
  writeFileSync(
    join(home, 'prompts', 'review.md'),
    '---\ndescription: Review staged changes\nargument-hint: "[focus]"\n---\nReview the staged changes. Focus on ${1:-correctness}.\n',
  );
  writeFileSync(join(home, 'prompts', 'compact.md'), 'The app’s own command wins.');
  mkdirSync(join(folder, '.pi', 'prompts'), { recursive: true });
  writeFileSync(join(folder, '.pi', 'prompts', 'release-notes.md'), 'Write the notes of $1 for ${@:2}.\n');
  app = await launchApp({ home });
  win = new AppWindow(app);
  sessionId = await win.startSession('Templates', modelOf(endpoint));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
  removeHome(folder);
});

test('EX19: a template is completed with the app’s commands, and what it says is sent in its place', async () => {
  await win.composer.fill('/re');
  await expect(list().getByRole('option', { name: '/review [focus]' })).toContainText('Review staged changes');
  await win.composer.press('Enter');
  await expect(win.composer).toHaveValue('/review ');
  server.script(['Looked at it.']);
  await win.say('/review "error handling" and more');
  await answered(win.page, 'Looked at it.');
  expect(lastSaid()).toBe('Review the staged changes. Focus on error handling.');
  await expect(win.transcript).toContainText('Focus on error handling.');
  server.script(['Looked again.']);
  await win.composer.fill('/review');
  await win.composer.press('Enter');
  await answered(win.page, 'Looked again.');
  expect(lastSaid()).toBe('Review the staged changes. Focus on correctness.');
});

test('CM3: the app’s own command wins, and what is no command is told with the nearest', async () => {
  await win.composer.fill('/comp');
  await expect(list().getByRole('option')).toHaveCount(1);
  await win.composer.fill('/reviw x');
  await win.composer.press('Enter');
  await expect(win.page.getByText('No command /reviw. Did you mean /review?')).toBeVisible();
  await win.button('Use /review').waitFor();
  server.script(['Meant that.']);
  await win.button('Use /review').click();
  await answered(win.page, 'Meant that.');
  expect(lastSaid()).toBe('Review the staged changes. Focus on x.');
});

test('EX19: those of a folder are there once the person trusts it, and gone when they no longer do', async () => {
  await win.composer.fill('/rel');
  await expect(list()).toBeHidden();
  await win.setWorkspace(sessionId, folder);
  const option = list().getByRole('option', { name: '/release-notes' });
  await expect(option).toContainText('.pi/prompts');
  await win.composer.fill('/re');
  await takeShots(app, 'templates');
  server.script(['Notes.']);
  await win.say('/release-notes 1.2 our users');
  await answered(win.page, 'Notes.');
  expect(lastSaid()).toBe('Write the notes of 1.2 for our users.');
  const { trusted } = await win.request('trust.list', {});
  await win.request('trust.withdraw', { folderId: trusted[0]!.id });
  await win.composer.fill('/rel');
  await expect(list()).toBeHidden();
  await win.composer.fill('/release-notes 1.2');
  await win.composer.press('Enter');
  await expect(win.page.getByText('No command /release-notes')).toBeVisible();
  await expect(win.composer).toHaveValue('/release-notes 1.2');
});

test('EX19: a template that was written while the text stood there is used; one that says nothing gives the text back', async () => {
  writeFileSync(join(home, 'prompts', 'brand-new.md'), 'Just written: $@');
  server.script(['New.']);
  await win.composer.fill('/brand-new today');
  await win.composer.press('Enter');
  await answered(win.page, 'New.');
  expect(lastSaid()).toBe('Just written: today');
  writeFileSync(join(home, 'prompts', 'brand-new.md'), '---\ndescription: none\n---\n');
  await win.composer.fill('/brand-new today');
  await win.composer.press('Enter');
  await expect(win.page.getByText('The template brand-new.md says nothing.')).toBeVisible();
  await expect(win.composer).toHaveValue('/brand-new today');
});
