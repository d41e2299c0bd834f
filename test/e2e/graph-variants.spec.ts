import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { editedSession, journalOf } from '../support/graph-sessions';
import { GraphPage } from '../support/e2e/graph';
import { ALL_SIZES, takeShots } from '../support/e2e/shots';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** Variants of HEAD's turn: which of them is on top, and what its row says of HEAD (GR5, GR12, GR21). */
test.describe.configure({ mode: 'serial' });

/** What is read near its end comes before the rows above it. */
const LONGER_THAN_A_PAGE = 300;

const home = sharedHome();
const file = join(home, 'edited.jsonl');
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;

test.beforeAll(async ({ shared }) => {
  writeFileSync(file, journalOf(editedSession(LONGER_THAN_A_PAGE)).join('\n') + '\n');
  ({ app } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  await window.importByMenu([file]);
  await expect(graph.head).toBeVisible();
  await window.dismissToasts();
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const pill = () => graph.head.locator('[data-pill]');
const counter = () => graph.head.locator('[data-variants]');
const bar = () => app.page.getByRole('region', { name: 'Reading another branch' });
const click = async (arrow: Locator): Promise<void> => {
  const { x, y } = await graph.middleOf(arrow);
  await app.page.mouse.click(x, y);
};
const title = () => graph.head.locator('[dir="auto"]').last();

/** All of the branch is there, and what was asked for is still what is seen (GR12). */
async function isReadAtItsEnd(variants: Locator): Promise<void> {
  const read = variants.locator('xpath=ancestor::*[@data-entry][1]');
  const words = (await read.locator('[dir="auto"]').last().innerText()).trim();
  const list = app.page.locator('[data-transcript]');
  await expect.poll(() => list.evaluate(({ scrollHeight }) => scrollHeight)).toBeGreaterThan(30_000);
  await expect(window.transcript.getByText(words, { exact: true })).toBeInViewport();
}

for (const kind of ['rail', 'canvas'] as const)
  test(`GR5: on the ${kind} each arrow shows what it says; of the last turn HEAD goes along, of another it is read`, async () => {
    if (kind === 'canvas') await graph.showCanvas();
    const sessionId = (await window.shownId())!;
    const leaf = async () => (await window.request('session.open', { sessionId })).leafId;
    const before = await leaf();
    await expect(counter()).toContainText('2/2');
    const own = await title().innerText();
    // There is no later one.
    await click(counter().locator('[data-step="forward"]').last());
    await expect(counter()).toContainText('2/2');
    await click(counter().locator('[data-step="back"]').first());
    await expect(counter()).toContainText('1/2');
    await expect(title()).not.toHaveText(own);
    await expect(pill()).toBeVisible();
    await expect(bar()).toHaveCount(0);
    expect(await leaf()).not.toBe(before);
    await graph.plane.focus();
    await press('h');
    await press('.');
    await expect.poll(leaf).toBe(before);
    await expect(counter()).toContainText('2/2');
    await expect(title()).toHaveText(own);
    const earlier = graph.pane.locator('.react-flow [data-entry]:not([data-head]) [data-variants]').last();
    await expect(earlier).toContainText('2/2');
    await click(earlier.locator('[data-step="back"]').first());
    await expect(bar()).toBeVisible();
    await expect(earlier).toContainText('1/2');
    expect(await leaf()).toBe(before);
    if (kind === 'rail') await isReadAtItsEnd(earlier);
    await takeShots(app, `variant-read-${kind}`, ALL_SIZES);
    // What is done with it is done with the variant that it shows: a click reads that on.
    const cells = graph.pane.locator('.react-flow [data-entry]:not([data-head])');
    const cell = (await cells
      .filter({ has: app.page.locator('[data-variants]') })
      .last()
      .boundingBox())!;
    await app.page.mouse.click(cell.x + cell.width * 0.4, cell.y + cell.height - 8);
    await expect(graph.cursor.locator('[data-variants]')).toContainText('1/2');
    await expect(bar()).toBeVisible();
    // Two quick presses of an arrow are two steps, and no wish to go there.
    const arrow = await graph.middleOf(earlier.locator('[data-step="forward"]').last());
    await app.page.mouse.dblclick(arrow.x, arrow.y);
    await expect(earlier).toContainText('2/2');
    await click(earlier.locator('[data-step="back"]').first());
    await expect(bar()).toBeVisible();
    await expect(app.page.getByRole('dialog')).toHaveCount(0);
    expect(await leaf()).toBe(before);
    await press('Escape');
    await expect(bar()).toHaveCount(0);
    await expect(earlier).toContainText('2/2');
  });

test('GR21: the + of a card in the whole window leads to the composer, which has the keyboard', async () => {
  await graph.pane.getByRole('button', { name: 'Graph in the whole window' }).click();
  await expect(app.page.locator('[inert] [data-composer]')).toHaveCount(1);
  await graph.plane.focus();
  await press('h');
  await press('ArrowUp');
  const cell = graph.cursor;
  await expect(cell.locator('[data-plus]')).toBeVisible();
  await cell.locator('[data-plus]').click();
  await expect(window.composer).toBeFocused();
  await app.page.keyboard.type('another way');
  await expect(window.composer).toHaveValue('another way');
});

test('GR21: cards of which only titles are read have their + too', async () => {
  await press('ControlOrMeta+a');
  await press('Delete');
  await press('Escape');
  await graph.pane.getByRole('button', { name: 'Graph in the whole window' }).click();
  await graph.plane.focus();
  await press('h');
  await graph.pane.getByRole('button', { name: 'Zoom out', exact: true }).click();
  await expect(graph.head.locator('p')).toHaveCount(0);
  await expect(graph.head.locator('[data-plus]')).toBeVisible();
  await takeShots(app, 'coarse-plus', ALL_SIZES);
});
