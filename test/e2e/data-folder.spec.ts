import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered } from '../support/e2e/chat';
import { answerConsent, dismissConsent } from '../support/e2e/consent';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';

/** The data folder of a person who set no ESPALIER_HOME, moved to another place (SY13). */
test.describe.configure({ mode: 'serial' });
const base = newHome();
const [old, target] = [join(base, '.espalier'), join(base, 'disk')];
let app: RunningApp;
let window: AppWindow;
let sessionId: string;

async function start(): Promise<void> {
  const env = { ESPALIER_HOME: '', HOME: base, XDG_CONFIG_HOME: join(base, 'config') };
  app = await launchApp({ home: base, env });
  window = new AppWindow(app);
}
test.beforeAll(async () => {
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'theirs'), 'stays');
  await start();
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(base);
});

const storage = (): Locator => window.page.getByRole('dialog', { name: 'Settings' }).getByRole('tabpanel');
async function openStorage(): Promise<void> {
  await window.page.keyboard.press('Control+,');
  await window.page.getByRole('tab', { name: 'Storage' }).click();
}
async function pick(folder: string): Promise<void> {
  await app.electron.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
  }, folder);
  await storage().getByRole('button', { name: 'Move…' }).click();
}

test('SY13: main asks, copies, and the app goes on in the old folder', async () => {
  sessionId = await window.startSession('About the garden', { provider: 'demo', modelId: 'demo' });
  await window.say('Before the move');
  await answered(window.page, 'Before the move');
  await window.rested(sessionId);
  await openStorage();
  await expect(storage()).toContainText(old);
  await pick(old);
  await expect(window.page.getByText('This folder is in the one that is to be moved.')).toBeVisible();
  await pick(target);
  await dismissConsent(app);
  await expect(storage().getByRole('button', { name: 'Move…' })).toBeVisible();
  await pick(target);
  const question = await answerConsent(app, 'Copy');
  for (const words of ['Move your files to this folder?', old, join(target, 'Espalier')])
    expect(question).toContain(words);
  await expect(storage()).toContainText('From the next start they are in');
  await expect(storage().getByRole('button', { name: 'Restart now' })).toBeVisible();
  await takeShots(app, 'storage-move-waits');
  expect(await seriousIssues(window.page)).toEqual([]);
  await window.page.keyboard.press('Escape');
  await window.say('After the copy');
  await answered(window.page, 'After the copy');
  await window.rested(sessionId);
});

test('SY13: the next start is in the new folder, with what was said after the copy', async () => {
  await app.close();
  await start();
  await expect(window.transcript).toContainText('After the copy');
  await window.say('After the move');
  await answered(window.page, 'After the move');
  await window.rested(sessionId);
  const journal = (folder: string): string => readFileSync(join(folder, 'sessions', `${sessionId}.jsonl`), 'utf8');
  expect(journal(join(target, 'Espalier'))).toContain('After the move');
  expect(journal(old)).toContain('After the copy');
  expect(journal(old)).not.toContain('After the move');
  expect(readFileSync(join(target, 'theirs'), 'utf8')).toBe('stays');
  // The session works in the scratch folder of the new place.
  const { sessions, scratchDir } = await window.request('app.bootstrap', {});
  expect(scratchDir).toContain(target);
  expect(sessions.find(({ id }) => id === sessionId)?.workspace).toBe(scratchDir);
  await openStorage();
  await expect(storage()).toContainText('Where they were before');
  await takeShots(app, 'storage-moved');
  // Once the person has removed it, nothing is said of it.
  await app.close();
  rmSync(old, { recursive: true });
  await start();
  await expect(window.transcript).toContainText('After the move');
  await openStorage();
  await expect(storage()).toContainText(join(target, 'Espalier'));
  await expect(storage()).not.toContainText('Where they were before');
  expect(existsSync(old)).toBe(false);
});
