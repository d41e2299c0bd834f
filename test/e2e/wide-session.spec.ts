import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { writeOddSession } from '../support/e2e/odd-session';
import { header } from '../support/e2e/session-files';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { MainThread, MARK } from '../support/faults/main-thread';

/** A session may be any tree: its graph is laid out in pieces and painted as far as it is seen (docs/specs/graph.md GR30). */
const files = newHome();
const CHILDREN = 100_000;
const ID = '0b0c0d0e-0000-4000-8000-000000000009';
let app: RunningApp;
let window: AppWindow;

function wideSession(): string {
  const path = join(files, 'wide.jsonl');
  const entry = (id: string, parentId: string | null, text: string): string =>
    JSON.stringify({
      ...{ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:01.000Z' },
      message: { role: 'user', content: text, timestamp: 1 },
    });
  const lines = [header(3, ID), entry('the-root', null, 'Root')];
  for (let n = 1; n <= CHILDREN; n++) lines.push(entry(n.toString(16).padStart(8, '0'), 'the-root', `Child ${n}`));
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take({ graph: true }));
  window = new AppWindow(app);
});
test.afterAll(() => {
  removeHome(files);
});

test('100,000 entries that follow one: no task of the window is long', { tag: '@tasks' }, async () => {
  const { page } = app;
  const graph = page.locator('[data-pane="graph"]');
  // Code that runs for the first time is compiled: not what is measured.
  await window.importByMenu([writeOddSession(files, 'aaaa0001', [{ type: 'text', text: 'An answer.' }])]);
  await expect(graph.getByText('What came of it?')).toBeVisible({ timeout: LONG });
  const thread = await MainThread.start(page);
  await window.importByMenu([wideSession()]);
  await expect(page.getByRole('feed').getByText(`Child ${CHILDREN}`, { exact: true })).toBeVisible({ timeout: LONG });
  await expect(page.getByRole('group', { name: new RegExp(`Child ${CHILDREN}`) })).toBeVisible({ timeout: LONG });
  // The small picture of the whole comes last, with HEAD at its right end.
  const picture = page.locator('[data-minimap] canvas');
  await expect
    .poll(() =>
      picture.evaluate((canvas: HTMLCanvasElement) =>
        canvas
          .getContext('2d')!
          .getImageData(166, 28, 8, 12)
          .data.some((part) => part > 0),
      ),
    ) // prettier-ignore
    .toBe(true);
  await page.evaluate((mark) => void performance.mark(`${mark}wide`), MARK);
  const { long, longestMs, tasks, slowness } = await thread.stop(50);
  expect(tasks).toBeGreaterThan(100);
  expect(long, `longest ${longestMs}, slowness ${slowness}`).toEqual([]);
  await window.shot('wide');
});
