import type { RunningApp } from '../electron-app';

/** Notes from here on which requests main gets of the page; bulk streams count as `bulk`. The log is in main itself: the page can't leave anything out. */
export async function listenToRequests(app: RunningApp): Promise<void> {
  await app.electron.evaluate(({ ipcMain }) => {
    type Handler = (...args: unknown[]) => unknown;
    const { _invokeHandlers: handlers } = ipcMain as unknown as { _invokeHandlers: Map<string, Handler> };
    const asked: string[] = [];
    for (const [channel, handler] of handlers) {
      const kind = channel.replace(/^espalier:/, '');
      handlers.set(channel, (event, message, ...rest) => {
        asked.push(kind === 'request' ? (message as { name: string }).name : kind);
        return handler(event, message, ...rest);
      });
    }
    Object.assign(globalThis, { asked });
  });
}

/** Every message that came since the last time. */
export async function allAsked(app: RunningApp): Promise<string[]> {
  return app.electron.evaluate(() => (globalThis as unknown as { asked: string[] }).asked.splice(0));
}

/** What was asked of sessions since the last time. */
export async function askedOfSessions(app: RunningApp): Promise<string[]> {
  return (await allAsked(app)).filter((name) => name.startsWith('session.') || name === 'bulk');
}
