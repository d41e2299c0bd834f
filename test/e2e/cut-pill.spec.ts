import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { takeShots } from '../support/e2e/shots';

/** W3, TS8: the pill that the cut line is taken by covers no word of the line. */
const home = newHome();
let app: RunningApp;

test.beforeAll(async () => {
  const env = { ESPALIER_NO_TOUR: '0', ESPALIER_DEMO_SPEED: '100000' };
  app = await launchApp({ home, env, graph: true, size: { width: 1280, height: 800 } });
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

test('at each size of the window', async () => {
  const { page } = app;
  const cut = page.locator('[data-kind="cut"]');
  const before = (await cut.getAttribute('data-holds')) ?? '';
  await page.getByRole('button', { name: 'Drag the cut line' }).click();
  await page
    .getByRole('dialog', { name: 'Compact this session' })
    .getByRole('button', { name: 'Compact', exact: true })
    .click();
  // Its own, not the one of the tour.
  await expect(cut).not.toHaveAttribute('data-holds', before, { timeout: LONG });
  // The longest that the line says.
  await expect(cut).toContainText('word for word', { timeout: LONG });
  for (const [width, height] of [
    [1280, 800],
    [1920, 1200],
    [960, 640],
  ] as const) {
    await app.electron.evaluate(
      ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(...size),
      [width, height] as [number, number],
    );
    await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(width);
    await cut.hover();
    await expect(cut.locator('[data-cut-grip]')).toBeAttached({ timeout: LONG });
    const words = await cut.evaluate((element) => {
      const pill = element.querySelector('[data-cut-grip]')!;
      const text = [...pill.parentElement!.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      const range = document.createRange();
      const box = pill.getBoundingClientRect();
      return text.flatMap((node) => {
        range.selectNodeContents(node);
        return [...range.getClientRects()].map(({ right }) => Math.round(box.left - right));
      });
    });
    expect(words.length, `${width}`).toBeGreaterThan(0);
    expect(Math.min(...words), `${width}`).toBeGreaterThanOrEqual(0);
  }
  await takeShots(app, 'cut-pill');
});
