import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { answered, transcript } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** The toolbars of rows lie beside what is read, however narrow the rows are (TS13). */
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const LONG_LINE =
  'A line that goes on to the edge of its column and wraps there, several times, so that no corner of it is free. '.repeat(
    3,
  );

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
  await window.startSession('Toolbars', modelOf(endpointOn(server.url, 'loopback')));
  const call = { type: 'toolCall' as const, name: 'ls', arguments: {} };
  // Replies of one run stand close to each other, without a head between them.
  server.script([
    { text: LONG_LINE, content: [call] },
    { content: [call] },
    { text: LONG_LINE, content: [call] },
    'The end of it.',
  ]);
  await window.say(LONG_LINE);
  await answered(window.page, 'The end of it.');
  server.script('Short.');
  await window.say('And?');
  await answered(window.page, 'Short.');
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const rows = (): Locator => transcript(window.page).locator('[role="article"]:has([role="toolbar"])');

async function resize(width: number, height: number): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]!.setContentSize(w, h), [
    width,
    height,
  ] as const);
  await expect.poll(() => window.page.evaluate(() => innerWidth)).toBe(width);
}

/** Runs in the page: what of the transcript's words and cards the toolbar of a row lies on, or that it is cut off. */
function covered(toolbar: HTMLElement | SVGElement): string[] {
  const bar = toolbar.getBoundingClientRect();
  const list = toolbar.closest('[data-transcript]')!;
  const frame = list.getBoundingClientRect();
  const found: string[] = [];
  const meets = (box: DOMRect): boolean =>
    box.right > bar.left + 0.5 &&
    box.left < bar.right - 0.5 &&
    box.bottom > bar.top + 0.5 &&
    box.top < bar.bottom - 0.5;
  const walk = document.createTreeWalker(list, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement!.closest('[role="toolbar"]')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if ([...range.getClientRects()].some(meets)) found.push(node.nodeValue!.slice(0, 40));
  }
  for (const card of list.querySelectorAll('[data-status], figure, table'))
    if (meets(card.getBoundingClientRect())) found.push(`<${card.localName}>`);
  if (bar.right > frame.right || bar.left < frame.left) found.push('cut off at the side');
  return found;
}

for (const [width, height, graph] of [
  [1280, 800, false],
  [1280, 800, true],
  [960, 640, false],
  [720, 640, false],
] as const) {
  test(`TS13: at ${width} × ${height}${graph ? ' beside the graph' : ''} they cover nothing`, async () => {
    await resize(width, height);
    if (graph) await window.page.getByRole('button', { name: 'Show branches' }).click();
    const heightBefore = await transcript(window.page).evaluate((list) => list.scrollHeight);
    // They are there once the list rests.
    await expect.poll(() => rows().count()).toBeGreaterThan(5);
    for (const row of await rows().all()) {
      await row.scrollIntoViewIfNeeded();
      await row.hover();
      const toolbar = row.getByRole('toolbar');
      await expect(toolbar).toHaveCSS('opacity', '1');
      expect(await toolbar.evaluate(covered)).toEqual([]);
      // The pointer comes to each of its buttons, and the row stays the one that is meant.
      await toolbar.getByRole('button').last().hover();
      await expect(toolbar).toHaveCSS('opacity', '1');
    }
    expect(await transcript(window.page).evaluate((list) => list.scrollHeight)).toBe(heightBefore);
    await rows().nth(2).hover();
    if (!graph && width > 900) await takeShots(app, `toolbars-${width}`);
    if (graph) await window.page.getByRole('button', { name: 'Hide branches' }).click();
  });
}
