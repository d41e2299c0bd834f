import type { RunningApp } from '../electron-app';

/**
 * The value of an expression in the window. For what comes after the window's process died: Playwright gives up a page
 * that crashed, though the app loads it again. Undefined while the page is not there.
 */
export function runInWindow(app: RunningApp, expression: string): Promise<unknown> {
  return app.electron.evaluate(async ({ BrowserWindow }, code) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (!contents || contents.isCrashed() || contents.isLoading()) return undefined;
    return (await contents.executeJavaScript(code).catch(() => undefined)) as unknown;
  }, expression);
}
