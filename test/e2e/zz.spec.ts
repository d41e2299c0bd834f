import { mkdirSync } from 'node:fs';
import { test, expect, type Page } from '@playwright/test';
import { launchApp, newHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, approval, LONG, send } from '../support/e2e/chat';
import { endpointOn, modelOf, gate } from '../support/e2e/loopback';
import { realSessionPath } from '../support/e2e/session-files';
import { AppWindow } from '../support/e2e/window';
import { startModelServer } from '../support/model-server';

const OUT = '/tmp/shots2';
mkdirSync(OUT, { recursive: true });
let app: RunningApp;
let page: Page;
async function shots(name: string, sizes = ['1280', '960']): Promise<void> {
  for (const size of sizes) {
    const [w, h] = size === '1280' ? [1280, 800] : [960, 640];
    await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]!.setContentSize(w!, h!), [w, h]);
    await page.waitForTimeout(400);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${OUT}/${name}-${size}-${colorScheme}.png` });
    }
  }
}
test('all', async () => {
  test.setTimeout(900_000);
  const server = await startModelServer();
  const home = newHome();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home, env: { ESPALIER_DEMO_SPEED: '4000' } });
  page = app.page;
  const win = new AppWindow(app);
  await shots('01-first');
  await send(page, 'Write a haiku to notes.md');
  await expect(approval(page)).toBeVisible({ timeout: LONG });
  await shots('02-approve-write');
  await approval(page).getByRole('button', { name: 'Write once' }).click();
  await answered(page, 'is written');
  await send(page, 'Run `ls -la`');
  await expect(approval(page)).toBeVisible({ timeout: LONG });
  await shots('03-approve-run');
  await approval(page).getByRole('button', { name: 'Run once' }).click();
  await answered(page, 'It ran');
  await shots('04-tools');
  await send(page, 'Show me what you can format');
  await answered(page, 'I am a script');
  await expect(page.getByRole('img', { name: /diagram/i })).toBeVisible({ timeout: LONG });
  await page.waitForTimeout(1500);
  await shots('05-rich-end');
  await page.locator('[data-transcript]').hover();
  await page.mouse.wheel(0, -500);
  await page.waitForTimeout(800);
  await shots('06-rich-up');
  await page.mouse.wheel(0, -500);
  await page.waitForTimeout(800);
  await shots('07-rich-up2', ['1280']);
  await page.keyboard.press('Control+k');
  await page.waitForTimeout(500);
  await shots('08-palette', ['960']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('F1');
  await page.waitForTimeout(500);
  await shots('09-help', ['960']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+,');
  for (const name of ['Providers', 'Tools', 'Appearance', 'Data', 'About']) {
    await page.getByRole('tab', { name }).click();
    await page.waitForTimeout(400);
    await shots(`10-settings-${name}`, ['960']);
  }
  await page.keyboard.press('Escape');
  const id = await win.startSession('Under my hands', modelOf(endpointOn(server.url, 'loopback')));
  void id;
  server.script([{ error: 'rate-limit', retryAfter: '600' }, 'After the wait.']);
  await win.say('Am I too fast?');
  await expect(page.getByText(/Next attempt in/)).toBeVisible({ timeout: LONG });
  await shots('11-retry', ['960']);
  await page.keyboard.press('Escape');
  await page.waitForTimeout(1500);
  await shots('12-stopped-card', ['960']);
  const never = gate();
  server.script({ text: 'A long story begins here and never ends. '.repeat(20), chunkChars: 20, holdAt: { frame: 30, until: never.until } });
  await win.say('Tell me a long story');
  await expect(page.locator('[data-transcript]')).toContainText('A long story begins', { timeout: LONG });
  await page.locator('[data-composer]').fill('And then?');
  await page.locator('[data-composer]').press('Enter');
  await page.waitForTimeout(800);
  await shots('13-streaming-queue');
  await page.keyboard.press('Escape');
  never.open();
  await page.waitForTimeout(1500);
  await shots('14-held', ['960']);
  const path = realSessionPath();
  await win.importByMenu([path!]);
  await expect(page.getByText('1,018 entries. The original file is unchanged.').first()).toBeVisible({ timeout: LONG });
  await page.waitForTimeout(2500);
  await shots('15-import');
  const meter = page.getByRole('button', { name: /context/i }).filter({ hasText: '177.7k' });
  await meter.click();
  await page.waitForTimeout(500);
  await shots('16-meter');
  await page.keyboard.press('Escape');
  await page.locator('[data-transcript]').hover();
  for (let n = 0; n < 6; n++) { await page.mouse.wheel(0, -3000); await page.waitForTimeout(400); }
  await page.waitForTimeout(1500);
  await shots('17-import-up');
  await page.locator('[data-composer]').fill('/');
  await page.waitForTimeout(600);
  await shots('18-slash', ['960']);
  await page.locator('[data-composer]').fill('');
  console.log(app.problems);
  await app.close();
  await server.close();
});
