import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { writeOddSession } from '../support/e2e/odd-session';
import { AppWindow } from '../support/e2e/window';

/**
 * What stands in the place of what can't be drawn (docs/specs/safety.md A1). No content is known that does that, so the page
 * is broken from outside: a function of the language throws when it meets one text.
 */
const home = newHome();
let folder: string;
let app: RunningApp;
let window: AppWindow;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-boundaries-'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  const parts = ['Drawn before it.', 'Words that break the drawing.', 'Drawn after it.'];
  const content = parts.map((text) => ({ type: 'text', text }));
  await window.importByMenu([writeOddSession(folder, 'bbbb0001', content)]);
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
});
test.afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
  removeHome(home);
});

/** From here on `trim` throws for texts with these words; without words it is whole again. */
async function breakOn(words: string | null): Promise<void> {
  await window.page.evaluate((broken) => {
    const page = globalThis as { wholeTrim?: () => string };
    const whole = (page.wholeTrim ??= String.prototype.trim);
    String.prototype.trim = function (this: string) {
      if (broken !== null && this.includes(broken)) throw new Error(`Broken by the test at “${this.slice(0, 40)}”`);
      return whole.call(this);
    };
  }, words);
}

async function shots(name: string): Promise<void> {
  await window.page.emulateMedia({ colorScheme: 'dark' });
  await window.shot(`${name}-dark`);
  await window.page.emulateMedia({ colorScheme: 'light' });
  await window.shot(name);
}

test('a part of a reply: its source stands in its place, the others stay', async () => {
  const sessionId = await window.shownId();
  await window.request('sessions.create', {}).then(({ id }) => window.show(id));
  await breakOn('break the drawing');
  await window.show(sessionId);
  const fault = window.transcript.getByRole('group', { name: 'This could not be drawn' });
  await expect(fault).toBeVisible({ timeout: LONG });
  await expect(fault).toHaveCount(1);
  await expect(fault.getByLabel('Source')).toContainText('Words that break the drawing.');
  for (const text of ['Drawn before it.', 'Drawn after it.', 'The end.'])
    await expect(window.transcript.getByText(text)).toBeVisible();
  await shots('fault-row');
  await fault.getByRole('button', { name: 'Copy' }).click();
  await expect
    .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()))
    .toContain('break the drawing');
  await fault.getByRole('button', { name: 'Report' }).click();
  await expect
    .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()))
    .toContain('Broken by the test');
  // Another try comes with the row.
  await breakOn(null);
  await window.page.reload();
  await expect(window.transcript.getByText('Words that break the drawing.')).toBeVisible({ timeout: LONG });
  await expect(fault).toHaveCount(0);
});

test('a pane: the others stay, another try brings it back with what was typed', async () => {
  await breakOn('a draft that breaks');
  await window.composer.fill('a draft that breaks it');
  const alert = window.page.getByRole('alert').filter({ hasText: 'The composer could not be shown' });
  await expect(alert).toBeVisible({ timeout: LONG });
  await expect(window.transcript.getByText('The end.')).toBeVisible();
  await shots('fault-pane');
  await breakOn(null);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(window.composer).toHaveValue('a draft that breaks it');
  await window.composer.fill('');
});

test('a message beside the panes: it alone is lost', async () => {
  await window.page.evaluate(() => {
    const page = globalThis as { wholeSplit?: (...given: never[]) => string[] };
    const whole = (page.wholeSplit ??= String.prototype.split as never);
    String.prototype.split = function (this: string, ...given: never[]) {
      if (this.startsWith('A bug report was copied')) throw new Error('Broken by the test');
      return whole.apply(this, given);
    } as typeof String.prototype.split;
  });
  await breakOn('a draft that breaks');
  await window.composer.fill('a draft that breaks it');
  await window.button('Report').click();
  await expect(window.page.locator('[data-toast]', { hasText: 'A message could not be shown.' })).toBeVisible();
  await window.page.reload();
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
  await window.composer.fill('');
});

async function breakWindow(sessionId: string, title: string): Promise<void> {
  await window.page.evaluate((broken) => {
    const page = globalThis as { wholeHasOwn?: typeof Object.hasOwn };
    const whole = (page.wholeHasOwn ??= Object.hasOwn);
    Object.hasOwn = (value, key) => {
      if (key === broken) throw new Error('Broken by the test');
      return whole(value, key);
    };
  }, sessionId);
  await window.request('sessions.rename', { sessionId, title });
  const heading = window.page.getByRole('heading', { name: 'The window could not be shown' });
  await expect(heading).toBeVisible({ timeout: LONG });
}

test('the whole window: the session can be opened as text, and a reload brings it back', async () => {
  const sessionId = await window.shownId();
  await breakWindow(sessionId, 'A title that is new');
  await shots('fault-root');
  await window.page.getByRole('button', { name: 'Report' }).click();
  await expect(window.page.getByText('A bug report was copied to the clipboard')).toBeVisible();
  await window.page.evaluate(() => {
    const { wholeHasOwn } = globalThis as { wholeHasOwn?: typeof Object.hasOwn };
    if (wholeHasOwn) Object.hasOwn = wholeHasOwn;
  });
  await window.button('Open the session safely').click();
  await expect(window.page.locator('[data-safe]').getByText('The end.')).toBeVisible({ timeout: LONG });
  await window.button('Open normally').click();
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
  await window.composer.fill('still here');
  await expect(window.composer).toHaveValue('still here');
  await breakWindow(sessionId, 'Another title');
  await window.page.evaluate(() => Object.assign(globalThis, { isOldPage: true }));
  await window.button('Reload').click();
  await expect.poll(() => window.page.evaluate(() => 'isOldPage' in globalThis)).toBe(false);
  // Which session it was is known, so it is offered and not opened.
  await window.page.getByRole('button', { name: 'Open normally' }).click();
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
});
