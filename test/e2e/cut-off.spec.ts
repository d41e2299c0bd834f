import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { PATIENCE } from '../support/patience';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { writeLargeSession } from '../support/e2e/session-files';
import { AppWindow } from '../support/e2e/window';

/** The app is killed in the middle of an import and of an export: the next start clears away what these left, and nothing else. */
test.describe.configure({ mode: 'serial' });

const BYTES = 200 * 1024 * 1024;
const home = newHome();
const folder = mkdtempSync(join(tmpdir(), 'espalier-cut-off-'));
const large = join(folder, 'large.jsonl');
let app: RunningApp;
let window: AppWindow;

async function start(): Promise<void> {
  app = await launchApp({ home });
  window = new AppWindow(app);
}
test.beforeAll(async () => {
  await writeLargeSession(large, 'large', BYTES);
  await start();
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
  await rm(folder, { recursive: true, force: true });
});

const ends = (dir: string, end: string): string[] => readdirSync(dir).filter((name) => name.endsWith(end));
/** The large file that is being written; the small ones are whole at once. */
const parts = (dir: string): string[] => ends(dir, '.part').filter((name) => name.includes('.jsonl.'));
const sessions = join(home, 'sessions');

/** Kills the app as soon as a part is there. */
async function killAtPart(dir: string): Promise<void> {
  await expect.poll(() => parts(dir), { intervals: [5], timeout: LONG }).toHaveLength(1);
  await app.kill();
  expect(parts(dir)).toHaveLength(1);
}

test('JN28: an import leaves nothing behind the next start, and can be done again', async () => {
  await window.importByMenu([large]);
  await killAtPart(sessions);
  expect(ends(sessions, '.import.json')).toEqual(['large.import.json']);
  await start();
  expect([ends(sessions, '.part'), ends(sessions, '.import.json')]).toEqual([[], []]);
  await window.importByMenu([large]);
  await expect(window.row('large')).toHaveAttribute('aria-current', 'true', { timeout: 120_000 * PATIENCE });
});

test('JN30: so does an export', async () => {
  const out = mkdtempSync(join(folder, 'out-'));
  await app.electron.evaluate(
    ({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
    },
    join(out, 'copy.jsonl'),
  );
  // The app ends before it answers.
  window.request('sessions.export', { sessionId: 'large', as: 'session' }).catch(() => undefined);
  await killAtPart(out);
  await start();
  await expect(window.row('large')).toBeVisible({ timeout: LONG });
  await expect.poll(() => readdirSync(out), { timeout: LONG }).toEqual([]);
});
