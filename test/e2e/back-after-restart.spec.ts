import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG, transcript } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** What `/clear` left is gone back to in the next run of the app, after a crash as well (WN13). */
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

async function start(): Promise<void> {
  app = await launchApp({ home });
  window = new AppWindow(app);
}
test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  await start();
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('WN13: /clear, and back after a restart, and forward again after the next', async () => {
  const fresh = () => window.page.getByRole('heading', { name: 'A fresh start' });
  await window.startSession('Cleared', modelOf(endpointOn(server.url, 'loopback')));
  server.script('What was said before.');
  await window.say('Say it');
  await answered(window.page, 'What was said before.');
  await window.say('/clear');
  await expect(fresh()).toBeVisible();
  await app.close();
  await start();
  await expect(fresh()).toBeVisible({ timeout: LONG });
  await window.page.getByRole('button', { name: 'Back to the previous branch' }).first().click();
  await expect(transcript(window.page)).toContainText('What was said before.');
  await expect(window.page.getByRole('button', { name: 'Forward to the next branch' })).toBeEnabled();
  await app.kill();
  await start();
  await expect(transcript(window.page)).toContainText('What was said before.', { timeout: LONG });
  await window.page.getByRole('button', { name: 'Forward to the next branch' }).click();
  await expect(fresh()).toBeVisible();
});
