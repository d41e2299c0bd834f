import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { GraphPage } from '../support/e2e/graph';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { journalOf, nestedSession } from '../support/graph-sessions';

/** What is read stays where it was shown, whatever heights come out around it. */
const home = sharedHome();
const file = join(home, 'tall.jsonl');
/** Many short lines: as long as a row is not drawn it is taken for a part of its height. */
const TALL = Array.from({ length: 500 }, (_, line) => `- ${line}`).join('\n');
const session = nestedSession(120, 4, 1);
const parents = new Map(session.entries.map(({ id, parentId }) => [id, parentId]));
let app: RunningApp;
let window: AppWindow;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  const lines = journalOf(session, {
    id: '0b0c0d0e-0000-4000-8000-00000000a11e',
    textOf: ({ id, kind }) => (kind === 'user' ? `Question ${id}` : TALL),
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
  await window.importByMenu([file]);
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

test('GR12, TS14: a turn of another branch that is clicked stays in view, where rows around it are taller than they were taken for', async () => {
  const { page } = app;
  const graph = new GraphPage(page);
  await expect(graph.head).toBeVisible();
  const onHead = new Set<string>();
  for (let at: string | null | undefined = session.leafId; at; at = parents.get(at)) onHead.add(at);
  const branches = graph.pane.locator('[data-kind="branch"]');
  await expect(branches.first()).toBeVisible();
  const { x, y } = await graph.middleOf(branches.first());
  const id = (await branches.first().getAttribute('data-entry')) ?? '';
  expect(onHead.has(id)).toBe(false);
  await page.mouse.click(x, y);
  const row = window.transcript.locator(`[data-entry="${id}"]`);
  await expect(row).toContainText(`Question ${id}`);
  // The answers around it are drawn to their ends.
  const answers = page.locator('[data-transcript] [data-kind="assistant"]');
  const heights = (): Promise<number[]> =>
    answers.evaluateAll((rows) => rows.map((element) => element.getBoundingClientRect().height));
  await expect.poll(async () => Math.min(...(await heights()))).toBeGreaterThan(8_000);
  await expect(row).toBeInViewport({ ratio: 1 });
  const seen = await row.evaluate((element) => {
    const frame = element.closest('[data-transcript]')!.getBoundingClientRect();
    return element.getBoundingClientRect().top - frame.top;
  });
  expect(seen).toBeLessThan(200);
});
