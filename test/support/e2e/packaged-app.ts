import { spawn } from 'node:child_process';
import { chromium, type Browser, type Page } from '@playwright/test';
import { chromiumFlags, cleanEnvironment, QUIT_MS } from '../electron-app';
import { PATIENCE } from '../patience';

export interface PackagedApp {
  page: Page;
  output(): string;
  /** Quits, by the browser's own port as well, and resolves with the exit code, or the signal that ended it. */
  close(): Promise<number | string>;
  /** Sends main a signal, twice, and resolves as `close` does. */
  signal(signal: NodeJS.Signals): Promise<number | string>;
}

/**
 * Starts a packaged app. Its fuses let no debugger into main, so it is driven over the browser's own port, and nothing of main can
 * be reached from here.
 */
export async function launchPackaged(executable: string, home: string): Promise<PackagedApp> {
  const args = [...chromiumFlags(), '--remote-debugging-port=0', '--inspect=0'];
  // Chromium says where it listens at a level that is not shown otherwise.
  const child = spawn(
    executable,
    args.filter((flag) => !flag.startsWith('--log-level')),
    {
      env: { ...cleanEnvironment(), ESPALIER_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let printed = '';
  const gone = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? String(signal))),
  );
  const address = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(printed);
      if (found?.[1]) resolve(found[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void gone.then((code) => reject(new Error(`The packaged app ended with ${code}:\n${printed}`)));
  });
  // The app's own window as it is: Electron knows no downloads of a browser.
  const connect = async (): Promise<{ browser: Browser; page: Page }> => {
    const browser = await chromium.connectOverCDP(await address, { noDefaults: true });
    const [context] = browser.contexts();
    if (!context) throw new Error('The packaged app has no browser context');
    const page = context.pages()[0] ?? (await context.waitForEvent('page'));
    await page.locator('[data-composer]').waitFor({ timeout: 60_000 * PATIENCE });
    return { browser, page };
  };
  const { browser, page } = await connect().catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const ended = async (): Promise<number | string> => {
    const limit = setTimeout(() => child.kill('SIGKILL'), QUIT_MS);
    const code = await gone;
    clearTimeout(limit);
    await browser.close();
    return code;
  };
  return {
    page,
    output: () => printed,
    async close() {
      const session = await browser.newBrowserCDPSession();
      // It goes with the answer on its way, or without one.
      await session.send('Browser.close').catch(() => undefined);
      return ended();
    },
    signal(signal) {
      // Who ends a whole session of the system may not wait.
      child.kill(signal);
      child.kill(signal);
      return ended();
    },
  };
}
