import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { RunningApp } from '../electron-app';

type Sizes = readonly (readonly [width: number, height: number])[];
const TWO_SIZES: Sizes = [
  [960, 640],
  [1280, 800],
];
export const ALL_SIZES: Sizes = [[1920, 1200], ...TWO_SIZES];

/** What is to be seen, in both themes and at several sizes, kept only where `ESPALIER_SHOTS` names a folder. The theme is the system's. */
export async function takeShots({ electron, page }: RunningApp, name: string, sizes = TWO_SIZES): Promise<void> {
  const folder = process.env.ESPALIER_SHOTS;
  if (!folder) return;
  for (const [width, height] of sizes) {
    await electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w, h), [
      width,
      height,
    ] as const);
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
    }
  }
}
