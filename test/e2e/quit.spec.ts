import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint } from '../support/electron-app';
import { answered, approval, composer, LONG, send, stopButton, transcript } from '../support/e2e/chat';
import { journals } from '../support/e2e/files';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { spinOnQuit } from '../support/e2e/spin';
import { AppWindow } from '../support/e2e/window';
import { startModelServer } from '../support/model-server';

/** docs/specs/safety.md A11: the app's process ends after a quit, whatever its threads do, and loses nothing. */
test.skip(process.platform === 'win32', 'There is no guard on Windows.');

for (const how of ['loop', 'thread'] as const) {
  test(`a quit that hangs in ${how === 'loop' ? 'main’s own thread' : 'a thread that nothing can interrupt'} ends`, async () => {
    const home = newHome();
    const app = await launchApp({ home });
    await send(app.page, 'What is kept');
    // The end of the answer: the words of the prompt stand there before it is accepted.
    await answered(app.page, 'For a real model, add a key');
    await spinOnQuit(app.electron, how);
    const main = app.electron.process();
    const ended = new Promise<string | null>((resolve) => main.once('exit', (_code, signal) => resolve(signal)));
    // Not waited for: main never answers.
    app.electron.evaluate(({ app: it }) => it.quit()).catch(() => undefined);
    expect(await ended).toBe('SIGKILL');
    const log = (): string => readFileSync(join(home, 'logs', 'main.log'), 'utf8');
    await expect.poll(log).toMatch(/The app did not end within 15 s after it was quit.+ Threads at work: \S/);
    await expect.poll(log).toContain('That quit stood at: ending the process.');
    const again = await launchApp({ home });
    await expect(transcript(again.page)).toContainText('What is kept');
    await again.close();
    // One that ends is not noted.
    expect(log().match(/That quit stood at/g)).toHaveLength(1);
    removeHome(home);
  });
}

test('JN25: killed right after its first message, a session has its title in the first list', async () => {
  const home = newHome();
  const app = await launchApp({ home });
  await send(app.page, 'What grows here');
  await expect.poll(() => journals(home), { timeout: LONG }).toContain('What grows here');
  await app.kill();
  const again = await launchApp({ home });
  const row = again.page.locator('[data-session]', { hasText: 'What grows here' });
  await expect(row).toBeVisible({ timeout: LONG });
  await expect(row).not.toContainText('New session');
  await again.close();
  removeHome(home);
});

test('a page that wants to be asked first does not keep its window open', async () => {
  const home = newHome();
  const app = await launchApp({ home });
  // Without a gesture Chromium takes no such handler seriously.
  await composer(app.page).click();
  await app.page.keyboard.type('typed');
  await app.page.evaluate(() => {
    addEventListener('beforeunload', (event) => {
      event.preventDefault();
      event.returnValue = 'stay';
    });
  });
  const main = app.electron.process();
  const ended = new Promise<number | null>((resolve) => main.once('exit', resolve));
  app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()).catch(() => undefined);
  try {
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 60_000, 'still open'))])).toBe(0);
  } finally {
    main.kill();
    removeHome(home);
  }
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} quits in order: the reply under way is recorded`, async () => {
    const home = newHome();
    const server = await startModelServer();
    const endpoint = endpointOn(server.url, 'loopback');
    writeEndpoint(home, endpoint);
    const never = new Promise<void>(() => undefined);
    const reply = `It begins here. ${'word '.repeat(40)}`;
    server.script({ text: reply, chunkChars: 60, holdAt: { frame: 2, until: never } });
    const app = await launchApp({ home });
    const main = app.electron.process();
    try {
      const window = new AppWindow(app);
      await window.startSession('Under way', modelOf(endpoint));
      await window.say('Go on');
      await expect(window.transcript).toContainText('It begins here.', { timeout: LONG });
      const ended = new Promise<unknown>((resolve) => main.once('exit', (code, by) => resolve(by ?? code)));
      // A second one while it quits: a terminal and what it runs both send one, and whoever ends a session of the system may not wait.
      await app.electron.evaluate(({ app: it }, again) => {
        it.once('before-quit', () => process.kill(process.pid, again));
      }, signal);
      process.kill(main.pid!, signal);
      expect(await ended).toBe(0);
      expect(journals(home)).toContain('It begins here.');
    } finally {
      main.kill('SIGKILL');
      await server.close();
      removeHome(home);
    }
  });
}

const notice = (window: AppWindow) => window.page.getByText('This turn has no complete answer');

test('AG8: a turn that was stopped at a question is not told as cut off at the next start; one that a quit or a kill ended is', async () => {
  const home = newHome();
  const server = await startModelServer();
  const endpoint = endpointOn(server.url, 'loopback');
  writeEndpoint(home, endpoint);
  let app = await launchApp({ home });
  let window = new AppWindow(app);
  const again = async (): Promise<void> => {
    app = await launchApp({ home });
    window = new AppWindow(app);
  };
  const asked = async (): Promise<void> => {
    const calls = ['touch one', 'touch two'].map((command) => ({
      type: 'toolCall' as const,
      name: 'bash',
      arguments: { command },
    }));
    await window.startSession('Asks', modelOf(endpoint));
    server.script({ content: calls });
    await window.say('Go');
    await approval(window.page).first().waitFor({ timeout: LONG });
  };
  try {
    await asked();
    await stopButton(window.page).click();
    await expect(window.transcript.locator('[data-status="notRun"]')).toHaveCount(2, { timeout: LONG });
    await expect(stopButton(window.page)).toHaveCount(0, { timeout: LONG });
    await app.close();
    await again();
    await expect(window.transcript.locator('[data-status="notRun"]')).toHaveCount(2, { timeout: LONG });
    await expect(notice(window)).toHaveCount(0);

    await asked();
    await app.close();
    await again();
    const calls = window.transcript.locator('[data-status="notRun"]');
    await expect(calls.nth(0)).toContainText('stopped', { timeout: LONG });
    await expect(calls.nth(1)).toContainText('interrupted');
    await expect(notice(window)).toBeVisible();

    await window.startSession('Streams', modelOf(endpoint));
    const never = new Promise<void>(() => undefined);
    server.script({
      text: `Words that were seen. ${'word '.repeat(40)}`,
      chunkChars: 60,
      holdAt: { frame: 2, until: never },
    });
    await window.say('Tell me');
    await expect(window.transcript).toContainText('Words that were seen.', { timeout: LONG });
    await app.kill();
    await again();
    await expect(notice(window)).toBeVisible({ timeout: LONG });
    await expect(window.page.getByText('What the session’s file has of it is shown.')).toBeVisible();
    await expect(window.transcript).not.toContainText('Words that were seen.');
    await window.shot('cut-off');
  } finally {
    await app.kill();
    await server.close();
    removeHome(home);
  }
});
