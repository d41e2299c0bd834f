import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG, transcript } from '../support/e2e/chat';
import { header } from '../support/e2e/session-files';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** Rows that come at once are drawn by several frames (docs/specs/transcript.md). */
const files = newHome();
const MESSAGES = 400;
const ID = '0b0c0d0e-0000-4000-8000-00000000000b';
let app: RunningApp;
let window: AppWindow;

function session(): string {
  const path = join(files, 'many.jsonl');
  const lines = [header(3, ID)];
  for (let n = 0; n < MESSAGES; n += 1) {
    const ids = { id: `row${n}`.padEnd(8, '-'), parentId: n === 0 ? null : `row${n - 1}`.padEnd(8, '-') };
    const message = { role: 'user', content: `Message ${n}.`, timestamp: n + 1 };
    lines.push(JSON.stringify({ type: 'message', ...ids, timestamp: '2026-01-01T00:00:01.000Z', message }));
  }
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take());
  window = new AppWindow(app);
  await window.importByMenu([session()]);
  await window.show(ID);
});
test.afterAll(() => {
  removeHome(files);
});

test('after a jump no task draws a whole screen of rows', async () => {
  const list = transcript(window.page);
  await expect(list).toContainText(`Message ${MESSAGES - 1}.`, { timeout: LONG });
  const counted = await list.evaluateHandle((element) => {
    const known = new WeakSet<Element>();
    const count = { most: 0, all: 0 };
    const look = (): void => {
      const fresh = [...element.querySelectorAll('[data-entry]')].filter(
        (row) => !known.has(row) && !row.querySelector('[aria-label="Loading"]'),
      );
      for (const row of fresh) known.add(row);
      count.most = Math.max(count.most, fresh.length);
      count.all += fresh.length;
    };
    look();
    count.most = 0;
    count.all = 0;
    // Called once after each task that changed something.
    new MutationObserver(look).observe(element, { childList: true, subtree: true, characterData: true });
    return count;
  });
  await list.evaluate((element) => void (element.scrollTop = element.scrollHeight / 2));
  await expect.poll(() => counted.evaluate(({ all }) => all)).toBeGreaterThan(10);
  await expect(list.getByLabel('Loading')).toHaveCount(0);
  const { most } = await counted.evaluate((count) => count);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(6);
});
