import type { RunningApp } from '../electron-app';
import type { InPage } from './stores';

const REPAINT_LIMIT_MS = 30_000;

/**
 * Runs scripts in the page through main: a driver's own handle on a page is lost for good when the page's process dies,
 * the window is not.
 */
export function throughMain({ electron }: RunningApp): InPage {
  return async (script) => {
    const answer = await electron.evaluate(({ BrowserWindow }, code) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      return contents?.mainFrame.executeJavaScript(code) as unknown;
    }, `(${script.toString()})()`);
    return answer as never;
  };
}

/** Kills the window's process with SIGKILL. Resolves with the milliseconds until the transcript is on screen again. */
export function killWindow({ electron }: RunningApp): Promise<number> {
  return electron.evaluate(async ({ BrowserWindow }, limitMs) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (!contents) throw new Error('There is no window.');
    const later = (ms: number): Promise<boolean> => new Promise((resolve) => setTimeout(() => resolve(false), ms));
    const gone = new Promise((resolve) => contents.once('render-process-gone', resolve));
    const killedAt = performance.now();
    process.kill(contents.getOSProcessId(), 'SIGKILL');
    await gone;
    const isThere = `document.querySelector('[data-transcript] [data-entry]') !== null`;
    while (performance.now() - killedAt < limitMs) {
      // A frame that has just died may never answer.
      const answer: unknown = contents.mainFrame.executeJavaScript(isThere).catch(() => false);
      if ((await Promise.race([answer, later(500)])) === true) return performance.now() - killedAt;
      await later(10);
    }
    throw new Error(`The window did not come back within ${limitMs / 1000} s.`);
  }, REPAINT_LIMIT_MS);
}

/** Kills a helper process of Chromium with SIGKILL. Returns false if there is none of that kind. */
export function killHelper({ electron }: RunningApp, type: 'GPU' | 'Utility'): Promise<boolean> {
  return electron.evaluate(({ app }, wanted) => {
    const found = app.getAppMetrics().find((metric) => metric.type === wanted);
    if (found) process.kill(found.pid, 'SIGKILL');
    return found !== undefined;
  }, type);
}
