import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../electron-app';
import { seriousIssues } from './axe';
import { LONG } from './chat';
import type { AppWindow } from './window';

/** A message of the transcript by its words. */
export function messageWith(window: AppWindow, text: string, kind: 'user' | 'assistant'): Locator {
  return window.transcript.locator(`[data-kind="${kind}"]`).filter({ hasText: text }).last();
}

/** Presses an action of a message; the actions show when the pointer is over it. */
export async function act(message: Locator, name: string): Promise<void> {
  const button = message.getByRole('button', { name, exact: true });
  await button.scrollIntoViewIfNeeded();
  await message.hover();
  // Pressed through what lies on it, the press would be that one's.
  await expect.poll(() => button.evaluate(isOnTop), { timeout: LONG }).toBe(true);
  // One that is not possible now is told as disabled, and says why when it is pressed all the same.
  await button.click({ force: true });
}

/** Runs in the page. */
function isOnTop(node: HTMLElement | SVGElement): boolean {
  const { x, y, width, height } = node.getBoundingClientRect();
  return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}

/**
 * Chooses an item of the menu of a message. A menu goes when its window loses the focus or its row moves from under the press: it is
 * opened again then, as by a person.
 */
export async function choose(window: AppWindow, message: Locator, item: string): Promise<void> {
  const wanted = window.page.getByRole('menuitem', { name: item });
  await expect(async () => {
    if ((await wanted.count()) === 0) await act(message, 'More actions');
    await wanted.click({ timeout: 5_000 });
  }).toPass({ timeout: LONG });
}

async function setTheme(window: AppWindow, theme: 'light' | 'dark'): Promise<void> {
  await window.request('settings.set', { key: 'appearance.theme', value: theme });
  await expect(window.page.locator('html')).toHaveAttribute('data-theme', theme);
}

async function resize(app: RunningApp, window: AppWindow, width: number, height: number): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]!.setContentSize(w, h), [
    width,
    height,
  ] as const);
  await expect.poll(() => window.page.evaluate(() => innerHeight)).toBe(height);
}

/** Both themes, both sizes, and nothing serious that axe finds in either theme: in the second one only the colours are others. */
export async function looksRight(app: RunningApp, window: AppWindow, name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await setTheme(window, theme);
    expect(await seriousIssues(window.page, { colorsOnly: theme === 'light' }), `${name}, ${theme}`).toEqual([]);
    await window.shot(`${name}-${theme}`);
  }
  if (!process.env.ESPALIER_SHOTS) return;
  await resize(app, window, 960, 640);
  await window.shot(`${name}-small`);
  await resize(app, window, 1280, 800);
}

/** The id of the entry that a row of the transcript shows. */
export async function entryId(message: Locator): Promise<string> {
  const id = await message.getAttribute('data-entry');
  if (id === null) throw new Error('A row of the transcript has no entry');
  return id;
}

/** The entry of the next row that a jump marks: asked for before the jump, because a mark goes after 1.6 s, looked for or not. */
export async function nextMark(window: AppWindow): Promise<() => Promise<string>> {
  const mark = await window.page.evaluateHandle(() => {
    const found = new Promise<string>((resolve) => {
      const observer = new MutationObserver(() => {
        const row = document.querySelector<HTMLElement>('[data-marked]');
        if (!row) return;
        observer.disconnect();
        resolve(row.dataset.entry ?? '');
      });
      observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-marked'] });
    });
    return { found };
  });
  return () => mark.evaluate(({ found }) => found);
}
