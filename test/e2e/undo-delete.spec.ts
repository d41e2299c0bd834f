import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answered } from '../support/e2e/chat';
import { storedDrafts } from '../support/e2e/database';
import { AppWindow } from '../support/e2e/window';

/** A session is deleted and taken back with what was being written in it. */

const DRAFT = 'Half a question';
const home = newHome();
let app: RunningApp;
let window: AppWindow;

async function start(): Promise<void> {
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  window = new AppWindow(app);
}
test.beforeAll(start);
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

async function deleteShown(id: string): Promise<void> {
  await window.row(id).focus();
  await window.page.keyboard.press('Delete');
  await expect(window.row(id)).toHaveCount(0);
}

test('JN49: a new session comes back with its title and what was written, and goes on', async () => {
  const id = await window.shownId();
  await window.request('sessions.rename', { sessionId: id, title: 'Garden' });
  await window.composer.fill(DRAFT);
  await deleteShown(id);
  await expect(window.composer).toHaveValue('');
  await window.button('Undo').click();
  await expect(window.row(id)).toHaveAttribute('aria-current', 'true');
  await expect(window.row(id)).toContainText('Garden');
  await expect(window.composer).toHaveValue(DRAFT);
  await window.composer.press('Enter');
  await answered(window.page, DRAFT);
  await expect(window.row(id)).toContainText('Garden');
});

test('JN49: so does one of several messages, and its draft is kept over a restart', async () => {
  const id = await window.shownId();
  await window.rested(id);
  await window.composer.fill('Another half');
  await deleteShown(id);
  await window.button('Undo').click();
  await expect(window.transcript).toContainText(DRAFT);
  await expect(window.composer).toHaveValue('Another half');
  await expect.poll(() => storedDrafts(window.page)).toEqual(['Another half']);
  await app.close();
  await start();
  await window.show(id);
  await expect(window.composer).toHaveValue('Another half');
});
