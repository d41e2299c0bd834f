import { spawn } from 'node:child_process';
import { expect, test } from '@playwright/test';
import {
  chromiumFlags,
  electronExecutable,
  launchApp,
  newHome,
  removeHome,
  type RunningApp,
} from '../support/electron-app';
import { answered, composer, LONG, send, sessionRows, stopButton, transcript } from '../support/e2e/chat';
import { storedDrafts } from '../support/e2e/database';
import { killWindow, throughMain } from '../support/faults/crash-window';

/** The window itself: stopping, its place, a second start, and its process dying in the middle of an answer. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
// Slow enough to be stopped, and to crash, in the middle of an answer.
const launch = (): Promise<RunningApp> => launchApp({ home, env: { ESPALIER_DEMO_SPEED: '150' } });
let app: RunningApp;

test.beforeAll(async () => {
  app = await launch();
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

test('Escape stops a streaming answer; what came stays, marked as stopped', async () => {
  const { page } = app;
  await send(page, 'Show me what you can format');
  await expect(transcript(page)).toContainText('Here is a sampler', { timeout: LONG });
  await page.keyboard.press('Escape');
  await expect(transcript(page)).toContainText('Stopped', { timeout: LONG });
  await expect(stopButton(page)).toHaveCount(0);
  await expect(transcript(page)).toContainText('Here is a sampler');
  await expect(transcript(page)).not.toContainText('I am a script');
  await expect(composer(page)).toBeFocused();
});

test('Escape that closes a tooltip stops the answer as well', async () => {
  const { page } = app;
  await send(page, 'Show me what you can format');
  await expect(stopButton(page)).toBeVisible({ timeout: LONG });
  await page.getByRole('feed', { name: 'Transcript' }).focus();
  await page.getByRole('button', { name: /^(Show|Hide) branches/ }).hover();
  await expect(page.getByRole('tooltip').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('tooltip')).toHaveCount(0);
  await expect(stopButton(page)).toHaveCount(0, { timeout: LONG });
  await expect(page.getByRole('article').last()).toContainText('Stopped');
  await composer(page).focus();
});

test('WN1: a second start shows the first window and ends by itself', async () => {
  await app.electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    const focus = window!.focus.bind(window);
    window!.focus = () => {
      Object.assign(globalThis, { focusCalls: ((globalThis as { focusCalls?: number }).focusCalls ?? 0) + 1 });
      focus();
    };
  });
  const second = spawn(electronExecutable(), [process.cwd(), ...chromiumFlags()], {
    env: { ...process.env, ESPALIER_HOME: home, ESPALIER_NO_TOUR: '1' },
    stdio: 'ignore',
  });
  const code = await new Promise((resolve) => second.once('exit', resolve));
  expect(code).toBe(0);
  await expect
    .poll(() => app.electron.evaluate(() => (globalThis as { focusCalls?: number }).focusCalls), { timeout: LONG })
    .toBe(1);
  expect(await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

test('place, size and hidden sessions are kept over a restart', async () => {
  const bounds = { x: 40, y: 30, width: 1010, height: 690 };
  await app.electron.evaluate(
    ({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]!.setBounds(wanted),
    bounds,
  );
  await app.page.keyboard.press('Control+b');
  await expect(sessionRows(app.page)).toBeHidden();
  await app.close();
  expect(app.problems).toEqual([]);
  app = await launch();
  expect(await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.getBounds())).toEqual(
    bounds,
  );
  await expect(app.page.getByRole('button', { name: 'Show sessions' })).toBeVisible({ timeout: LONG });
  await app.page.keyboard.press('Control+b');
  await expect(sessionRows(app.page)).toBeVisible();
  await expect(transcript(app.page)).toContainText('Stopped', { timeout: LONG });
});

test('WN6: when the window’s process dies the answer goes on and the window comes back with it and the draft', async () => {
  const { page } = app;
  await send(page, 'Tell me about yourself');
  await expect(transcript(page)).toContainText('I am the demo model', { timeout: LONG });
  await composer(page).fill('half a thought');
  // Written a moment after the last key; a crash may lose no more than that.
  await expect.poll(() => storedDrafts(page), { timeout: LONG }).toEqual(['half a thought']);
  await killWindow(app);

  const read = throughMain(app);
  const shown = (): Promise<string> => read(() => document.querySelector('[data-transcript]')?.textContent ?? '');
  await expect.poll(shown, { timeout: LONG }).toContain('This is turn 3 of this session.');
  const draft = (): Promise<string> => read(() => document.querySelector('textarea')?.value ?? '');
  await expect.poll(draft, { timeout: LONG }).toBe('half a thought');
  const busy = (): Promise<string | null> =>
    read(() => document.querySelector('[data-transcript]')?.getAttribute('aria-busy') ?? null);
  await expect.poll(busy, { timeout: LONG }).toBe('false');
  expect((await shown()).match(/I am the demo model: a script/g)).toHaveLength(1);
  expect(await shown()).toContain('Stopped');
});

test('after the crash the session goes on over a restart', async () => {
  await app.close();
  app = await launch();
  await expect(composer(app.page)).toHaveValue('half a thought', { timeout: LONG });
  await send(app.page, 'Hello again');
  await answered(app.page, 'This is turn 4 of this session.');
});
