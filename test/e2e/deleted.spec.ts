import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG } from '../support/e2e/chat';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';

/** WN13: deleted sessions are found again after a restart, restored, or deleted for good once main's own question is answered. */
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

const dialog = (): Locator => window.page.getByRole('dialog', { name: 'Recently deleted' });
const rows = (): Locator => dialog().getByRole('listitem');

async function deleteWith(words: string): Promise<string> {
  await window.button('New session').click();
  await expect(window.composer).toHaveValue('');
  await window.say(words);
  await answered(window.page, words);
  const id = await window.shownId();
  await window.rested(id);
  await window.row(id).focus();
  await window.page.keyboard.press('Delete');
  await expect(window.row(id)).toHaveCount(0);
  // Another one is shown by then: what is written next is written there.
  await expect(window.page.locator('[data-session][aria-current="true"]')).toHaveCount(1, { timeout: LONG });
  await window.rested(await window.shownId());
  return id;
}

/** What main's box is answered; it says what it was asked. */
async function answerBox(response: number): Promise<void> {
  await app.electron.evaluate(({ dialog: boxes }, answer) => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    boxes.showMessageBox = ((...given: unknown[]) => {
      asked.push((given.at(-1) as { message: string }).message);
      return Promise.resolve({ response: answer, checkboxChecked: false });
    }) as typeof boxes.showMessageBox;
  }, response);
}
const asked = (): Promise<string[]> =>
  app.electron.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);

test('a deleted session is found after a restart and comes back', async () => {
  const id = await deleteWith('About the garden');
  await deleteWith('About the kitchen');
  await app.close();
  await start();
  await window.button('Recently deleted').click();
  await expect(rows()).toHaveCount(2);
  await expect(rows().first()).toContainText('kitchen');
  await expect(rows().first()).toContainText(/deleted (just now|\d+ min ago) ·/);
  expect(await seriousIssues(window.page)).toEqual([]);
  await takeShots(app, 'deleted');
  await rows()
    .last()
    .getByRole('button', { name: /^Restore/ })
    .click();
  await expect(dialog()).toHaveCount(0);
  await expect(window.row(id)).toHaveAttribute('aria-current', 'true');
  await expect(window.transcript).toContainText('About the garden');
});

test('deleted for good is asked by main, and is gone', async () => {
  await window.button('Recently deleted').click();
  await expect(rows()).toHaveCount(1);
  await answerBox(1);
  await rows()
    .getByRole('button', { name: /^Delete for good/ })
    .click();
  await expect.poll(asked).toHaveLength(1);
  expect((await asked())[0]).toMatch(/^Delete “.+” for good\?$/);
  await expect(rows()).toHaveCount(1);
  await answerBox(0);
  await rows()
    .getByRole('button', { name: /^Delete for good/ })
    .click();
  await expect(rows()).toHaveCount(0);
  await expect(dialog()).toContainText('No recently deleted sessions.');
  await window.page.keyboard.press('Escape');
  await expect(dialog()).toHaveCount(0);
});
