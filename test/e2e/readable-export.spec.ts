import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** SF26: a session exported for reading, by the menu of its row, opened as a person would. */
const recorded = join(__dirname, '../fixtures/recorded-session/session.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'readable-'));
let app: RunningApp;
let window: AppWindow;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take());
  window = new AppWindow(app);
  await window.importByMenu([recorded]);
  const { id } = JSON.parse(readFileSync(recorded, 'utf8').split('\n', 1)[0] ?? '') as { id: string };
  await expect(window.row(id)).toHaveAttribute('aria-current', 'true', { timeout: LONG });
});
test.afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function exportAs(item: string, name: string): Promise<string> {
  await app.electron.evaluate(
    ({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
    },
    join(folder, name),
  );
  await window.page.locator('[aria-current=true]').first().click({ button: 'right' });
  await window.page.getByRole('menuitem', { name: item }).click();
  await expect(window.page.getByText(`Exported to ${join(folder, name)}`)).toBeVisible({ timeout: LONG });
  return readFileSync(join(folder, name), 'utf8');
}

test('SF26: as a web page: all branches, each turn of the graph leads to its words, and nothing runs', async () => {
  const text = await exportAs('Export as a web page…', 'copy.html');
  expect(text).not.toContain('<script');
  const found = await app.electron.evaluate(
    async ({ BrowserWindow }, path) => {
      const page = new BrowserWindow({
        width: 1280,
        height: 800,
        show: false,
        webPreferences: { offscreen: true, partition: 'reader' },
      });
      await page.loadFile(path);
      const found: unknown = await page.webContents.executeJavaScript(
        `({
          sections: document.querySelectorAll('section').length,
          broken: [...document.querySelectorAll('nav a')].filter((a) => !document.getElementById(a.hash.slice(1))).length,
          loaded: performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('data:')).length,
          styled: getComputedStyle(document.querySelector('nav')).width,
        })`,
      );
      page.destroy();
      return found;
    },
    join(folder, 'copy.html'),
  );
  expect(found).toEqual({ sections: 1122, broken: 0, loaded: 0, styled: '300px' });
});

test('SF26: as Markdown: the branch that is shown', async () => {
  const text = await exportAs('Export as Markdown…', 'copy.md');
  expect(text).toMatch(/^# /);
  expect(text).toContain('## You');
  expect(text).not.toContain('A branch, level');
});
