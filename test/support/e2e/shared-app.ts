import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test as base } from '@playwright/test';
import { defaultSettings } from '../../../src/shared/settings';
import { closeBranches, launchApp, newHome, removeHome, type RunningApp, writeEndpoint } from '../electron-app';
import { startModelServer, type ModelServer } from '../model-server';
import { LONG } from './chat';
import { emptyDatabase } from './database';
import { endpointOn } from './loopback';
import { AppWindow } from './window';

/** Where the app of this worker keeps its files, known before it is started. */
let home: string | undefined;
export const sharedHome = (): string => (home ??= newHome());

interface Taken {
  app: RunningApp;
  /** Behind the endpoint `loopback`, answering "OK." */
  server: ModelServer;
}

/**
 * One app for all specs of a worker whose subject is neither its start nor its end (docs/decisions/0041-one-app.md). Each finds it as
 * after a first start: one blank session, the settings' defaults, nothing remembered, no rule, a window of 1280×800.
 */
class SharedApp {
  #taken: Taken | undefined;

  /** The app as new. `graph` leaves the branches open, as in `LaunchOptions`. */
  async take({ graph = false }: { graph?: boolean } = {}): Promise<Taken> {
    if (this.#taken) await asNew(this.#taken);
    else this.#taken = await start();
    if (!graph) await closeBranches(this.#taken.app.page);
    return this.#taken;
  }

  async close(): Promise<void> {
    await this.#taken?.app.close();
    await this.#taken?.server.close();
    removeHome(sharedHome());
  }
}

async function start(): Promise<Taken> {
  const server = await startModelServer();
  writeEndpoint(sharedHome(), endpointOn(server.url, 'loopback'));
  return { server, app: await launchApp({ home: sharedHome(), graph: true, size: { width: 1280, height: 800 } }) };
}

/** What specs can change in the app without starting it again is put back, and the window is loaded anew. */
async function asNew({ app, server }: Taken): Promise<void> {
  const window = new AppWindow(app);
  server.forget();
  const { sessions, settings } = await window.request('app.bootstrap', {});
  // First of all: where the last one is deleted the window makes another, beside the one that its next start would make.
  const fresh = await window.request('sessions.create', {});
  for (const { id } of sessions) await window.request('sessions.delete', { sessionId: id });
  const defaults = defaultSettings();
  for (const key of Object.keys(settings) as (keyof typeof settings)[])
    if (!isDeepStrictEqual(settings[key], defaults[key])) await window.request('settings.reset', { key });
  for (const { id } of (await window.request('approvals.rules', {})).rules)
    await window.request('approvals.removeRule', { ruleId: id });
  for (const folder of ['trash', 'workspaces/scratch']) empty(join(sharedHome(), folder));
  await app.electron.evaluate(({ BrowserWindow, clipboard }) => {
    clipboard.clear();
    const [shown] = BrowserWindow.getAllWindows();
    shown?.setContentSize(1280, 800);
    shown?.webContents.setZoomLevel(0);
  });
  await app.page.mouse.move(0, 0);
  await app.page.emulateMedia({ colorScheme: null });
  await expect(window.row(fresh.id)).toHaveAttribute('aria-current', 'true', { timeout: LONG });
  await emptyDatabase(app.page);
  await app.page.reload();
  await expect(window.row(fresh.id)).toHaveAttribute('aria-current', 'true', { timeout: LONG });
  await window.composer.waitFor({ timeout: LONG });
  app.problems.length = 0;
}

function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Playwright's `test` with `shared`: the worker's one app. */
export const test = base.extend<object, { shared: SharedApp }>({
  shared: [
    // Playwright reads from the pattern what a fixture needs.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const shared = new SharedApp();
      await use(shared);
      await shared.close();
    },
    { scope: 'worker' },
  ],
});
