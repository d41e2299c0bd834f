import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { editedSession, journalOf } from '../support/graph-sessions';
import { GraphPage } from '../support/e2e/graph';
import { ALL_SIZES, takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';

/** Variants of HEAD's turn: which of them is on top, and what its row says of HEAD (GR5, GR12, GR21). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const file = join(home, 'edited.jsonl');
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;

test.beforeAll(async () => {
  writeFileSync(file, journalOf(editedSession()).join('\n') + '\n');
  app = await launchApp({ home, graph: true, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  await window.importByMenu([file]);
  await expect(graph.head).toBeVisible();
  await window.dismissToasts();
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(home);
});

const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const pill = () => graph.head.locator('[data-pill]');
const counter = () => graph.head.locator('[data-variants]');
const bar = () => app.page.getByRole('region', { name: 'Reading another branch' });
const title = () => graph.head.locator('[dir="auto"]').last();

for (const kind of ['rail', 'canvas'] as const)
  test(`GR5: on the ${kind} HEAD's row has HEAD's words once nothing is read, and no pill on other words`, async () => {
    if (kind === 'canvas') await graph.showCanvas();
    await expect(counter()).toContainText('2/2');
    const own = await title().innerText();
    const { x, y } = await graph.middleOf(counter());
    await app.page.mouse.click(x, y);
    await expect(bar()).toBeVisible();
    await expect(counter()).toContainText('1/2');
    await expect(title()).not.toHaveText(own);
    await expect(pill()).toHaveCount(0);
    await expect(counter()).toHaveAttribute('title', /Behind it: HEAD/);
    await takeShots(app, `variant-read-${kind}`, ALL_SIZES);
    await press('Escape');
    await press('Escape');
    await expect(bar()).toHaveCount(0);
    await expect(counter()).toContainText('2/2');
    await expect(title()).toHaveText(own);
    await expect(pill()).toBeVisible();
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
