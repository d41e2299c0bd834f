import { expect, test, type Page } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { findNothingSerious } from '../support/e2e/axe';
import { answerCard, answered, approval, LONG, send } from '../support/e2e/chat';
import { takeShots } from '../support/e2e/shots';

/** Light, dark and system, and in both of them nothing that axe calls serious. */
const home = newHome();
const launch = (): Promise<RunningApp> => launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
let app: RunningApp;
let page: Page;

test.beforeAll(async () => {
  app = await launch();
  page = app.page;
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset.theme);
const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('the first screen', () => findNothingSerious(page));

test('approval cards of a change and of a command', async () => {
  await send(page, 'Write a haiku to notes.md');
  await expect(approval(page)).toBeVisible({ timeout: LONG });
  await findNothingSerious(page);
  await answerCard(page, 'Write once');
  await answered(page, 'is written');
  await send(page, 'Run `ls -la`');
  await expect(approval(page)).toBeVisible({ timeout: LONG });
  await findNothingSerious(page);
  await answerCard(page, 'Run once');
  await answered(page, 'It ran');
});

test('a transcript with text, code, math, a table and a diagram', async () => {
  await send(page, 'Show me what you can format');
  await answered(page, 'I am a script');
  await expect(page.getByRole('img', { name: /diagram/i })).toBeVisible({ timeout: LONG });
  await findNothingSerious(page);
});

test('WN6: where no page is, as after a crash, the window has the color of the theme', async () => {
  const behind = (): Promise<string> =>
    app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.getBackgroundColor().toLowerCase());
  const set = (value: 'dark' | 'light' | 'system'): Promise<unknown> =>
    page.evaluate((it) => window.espalier?.request('settings.set', { key: 'appearance.theme', value: it }), value);
  await set('dark');
  await expect.poll(behind).toBe('#1c1b18');
  await set('light');
  await expect.poll(behind).toBe('#faf8f4');
  await set('system');
});

test('palette and help', async () => {
  await page.keyboard.press('Control+k');
  await expect(page.getByPlaceholder('What do you want to do?')).toBeFocused();
  await findNothingSerious(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('F1');
  const help = page.getByRole('dialog', { name: 'Shortcuts and commands' });
  await expect(help).toBeVisible();
  // WN7: keys that belong to the window and to no command stand there as well.
  for (const line of [/^Next pane\s*F6$/, /^Go to the notices\s*F8$/])
    await expect(help.locator('dl > div').filter({ hasText: line })).toHaveCount(1);
  await takeShots(app, 'help');
  await findNothingSerious(page);
  await page.keyboard.press('Escape');
});

for (const name of ['Providers', 'Tools', 'Context', 'Appearance', 'Shortcuts', 'Notifications', 'Storage', 'About']) {
  test(`settings: ${name}`, async () => {
    await page.keyboard.press('Control+,');
    await page.getByRole('tab', { name }).click();
    await expect(page.getByRole('tabpanel').getByRole('heading', { name, exact: true })).toBeVisible();
    await findNothingSerious(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  });
}

test('the theme of the settings wins over the desktop at once and over a restart', async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(theme).toBe('light');
  const light = await paper();
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Appearance' }).click();
  await page.getByRole('button', { name: /^Theme:/ }).click();
  await page.getByRole('menuitemradio', { name: 'dark' }).click();
  await expect.poll(theme).toBe('dark');
  expect(await paper()).not.toBe(light);
  expect(await app.electron.evaluate(({ nativeTheme }) => nativeTheme.shouldUseDarkColors)).toBe(true);

  await app.close();
  expect(app.problems).toEqual([]);
  app = await launch();
  page = app.page;
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(theme, { timeout: LONG }).toBe('dark');
  expect(await paper()).not.toBe(light);
});
