import { expect, type Page } from '@playwright/test';
import type { RunningApp } from '../electron-app';
import { LONG } from './chat';

/** In Electron, and in a browser that knows no scheme of the app's. */
const CONSENT = /^(app:\/\/consent|http:\/\/consent\.localhost)\//;

/** The page of main's question that is open now, or is about to be. */
export async function consentPage(app: RunningApp): Promise<Page> {
  const find = (): Page | undefined =>
    app.electron.windows().find((page) => !page.isClosed() && CONSENT.test(page.url()));
  await expect.poll(() => find() !== undefined, { message: 'Main asks nothing', timeout: LONG }).toBe(true);
  const page = find() as Page;
  await page.locator('body[data-consent]').waitFor({ timeout: LONG });
  return page;
}

/**
 * Answers main's question as a person would: waits for its window, reads to the end, presses the button of that name and waits
 * until the window is gone. Returns the text that was shown.
 */
export async function answerConsent(app: RunningApp, button: string): Promise<string> {
  const page = await consentPage(app);
  const text = await page.locator('main').innerText();
  await page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
  const closed = page.waitForEvent('close');
  // It goes while the button is still down.
  const click = page.getByRole('button', { name: button, exact: true }).click();
  await click.catch((error: unknown) => {
    if (!page.isClosed()) throw error;
  });
  await closed;
  return text;
}

/** Closes main's question with Escape, as a person would, and waits until the window is gone. */
export async function dismissConsent(app: RunningApp): Promise<void> {
  const page = await consentPage(app);
  const closed = page.waitForEvent('close');
  // It goes while the key is still down.
  await page.keyboard.press('Escape').catch(() => undefined);
  await closed;
}
