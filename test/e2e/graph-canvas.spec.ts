import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { writeBranchySession } from '../support/branchy-session';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { GraphPage } from '../support/e2e/graph';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';

/** The canvas in the whole window: three levels, words in each of them, all of it at once (GR8, GR9). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const files = { large: join(home, 'large.jsonl'), small: join(home, 'small.jsonl'), fan: join(home, 'fan.jsonl') };
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;

test.beforeAll(async () => {
  app = await launchApp({ home, graph: true, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  writeBranchySession(files.small, { turns: 4, branches: 1, branchLength: 1 });
  writeBranchySession(files.fan, { turns: 9, branches: 0, branchLength: 2, fan: 12 });
  writeBranchySession(files.large, { turns: 400, branches: 30, branchLength: 5, compactions: 4, labels: 3 });
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(home);
});

const minimap = () => graph.pane.locator('[data-minimap]');

/** Of the cells on screen: how many, whether each has words, and the smallest size at which they are drawn. */
async function cells(): Promise<{ count: number; without: number; smallest: number; outside: number }> {
  return graph.plane.evaluate((plane) => {
    const pane = plane.getBoundingClientRect();
    const found = { count: 0, without: 0, smallest: 1000, outside: 0 };
    for (const cell of plane.querySelectorAll<HTMLElement>('.react-flow__node')) {
      const words = cell.querySelector('b');
      const box = cell.getBoundingClientRect();
      found.count += 1;
      if (box.left < pane.left || box.right > pane.right || box.top < pane.top || box.bottom > pane.bottom)
        found.outside += 1;
      if (!words || words.innerText.trim() === '') found.without += 1;
      else
        found.smallest = Math.min(
          found.smallest,
          Number.parseFloat(getComputedStyle(words).fontSize) * (box.width / cell.offsetWidth),
        );
    }
    return found;
  });
}

test('GR9: a graph that fits has no minimap, in the whole window and beside the transcript', async () => {
  await window.importByMenu([files.small]);
  await graph.pane.getByRole('button', { name: 'Graph in the whole window' }).click();
  await expect(graph.head).toBeVisible();
  await expect(minimap()).toBeHidden();
  await takeShots(app, 'canvas-small');
});

test('GR9: where the transcript is not to be seen a click opens the card, clear of its node; beside it none', async () => {
  await graph.pane.getByRole('button', { name: 'Back beside the transcript' }).click();
  const words = { position: { x: 90, y: 14 }, force: true };
  await graph.head.click(words);
  await expect(graph.cursor).toHaveAttribute('data-head', 'true');
  await expect(graph.preview).toHaveCount(0);
  await graph.pane.getByRole('button', { name: 'Graph in the whole window' }).click();
  await graph.head.click(words);
  await expect(graph.preview).toBeVisible();
  const [node, card] = [await graph.head.boundingBox(), await graph.preview.boundingBox()];
  if (!node || !card) throw new Error('The node or its card is not on screen.');
  const isApart = card.x >= node.x + node.width || card.x + card.width <= node.x || card.y >= node.y + node.height || card.y + card.height <= node.y; // prettier-ignore
  expect(isApart).toBe(true);
  await window.shot('canvas-preview');
  await app.page.keyboard.press('Escape');
  await expect(graph.preview).toHaveCount(0);
});

test('GR8: from cards to titles to chapters every cell has words of 11 pixels, and Fit shows all', async () => {
  await window.importByMenu([files.large]);
  await expect(graph.head).toBeVisible();
  await expect(minimap()).toBeVisible();
  await takeShots(app, 'canvas-cards');
  const zoomOut = graph.pane.getByRole('button', { name: 'Zoom out' });
  for (let step = 0; step < 5; step++) {
    await expect.poll(async () => (await cells()).without).toBe(0);
    expect((await cells()).smallest).toBeGreaterThanOrEqual(11);
    await expect(graph.head).toBeVisible();
    if (step === 3) await takeShots(app, 'canvas-titles');
    await zoomOut.click();
  }
  await graph.pane.getByRole('button', { name: 'Fit', exact: true }).click();
  await expect.poll(async () => (await cells()).outside).toBe(0);
  await expect.poll(async () => (await cells()).without).toBe(0);
  const all = await cells();
  expect(all.count).toBeGreaterThan(1);
  expect(all.smallest).toBeGreaterThanOrEqual(11);
  await expect(minimap()).toBeHidden();
  await expect(graph.head).toBeInViewport({ ratio: 0.99 });
  await takeShots(app, 'canvas-chapters');
});

test('a chapter opens into its turns where it was; the level is there again after a restart', async () => {
  await graph.plane.focus();
  await app.page.keyboard.press('Home');
  const chapter = graph.pane.locator('[data-kind="fold"]').first();
  const first = (await chapter.getAttribute('data-entry')) ?? '';
  await chapter.click({ force: true });
  await expect(graph.node(first)).toHaveAttribute('data-kind', 'turn');
  await expect(graph.node(first)).toBeInViewport({ ratio: 0.99 });
  await graph.plane.focus();
  await app.page.keyboard.press('0');
  await expect(graph.pane.locator('[data-kind="fold"]').first()).toBeVisible();
  expect(await app.page.locator('[data-pane="graph"] *').count()).toBeLessThan(600);
});

test('GR6: “N branches” lists them on the canvas, by mouse and by keyboard, and the one that is chosen comes out', async () => {
  await window.importByMenu([files.fan]);
  const many = graph.pane.locator('[data-kind="many"]');
  const list = graph.pane.locator('[data-many]');
  const field = list.getByRole('combobox', { name: 'Find a branch' });
  await expect(many).toContainText('12 branches');
  await expect(graph.pane.getByRole('group', { name: '12 branches in one, Enter lists them' })).toHaveCount(1);
  const head = await graph.head.getAttribute('data-entry');

  await many.click({ position: { x: 60, y: 14 }, force: true });
  await expect(field).toBeFocused();
  await expect(list.getByRole('option')).toHaveCount(12);
  await window.shot('canvas-many');
  // What is appended leaves the keyboard where the person has it.
  const sessionId = await window.shownId();
  // Beside the transcript or in the whole window, where the composer is not to be reached.
  const elsewhere = graph.pane.locator('[data-graph-search]');
  await elsewhere.focus();
  await window.request('session.label', { sessionId, entryId: head ?? '', label: 'mark one' });
  await expect(graph.head).toContainText('mark one');
  await expect(elsewhere).toBeFocused();
  await expect(list.getByRole('option')).toHaveCount(12);
  await window.request('session.label', { sessionId, entryId: head ?? '', label: '' });
  await expect(graph.head).not.toContainText('mark one');
  await field.fill('7.1');
  await expect(list.getByRole('option')).toHaveCount(1);
  await app.page.keyboard.press('Enter');
  await expect(list).toHaveCount(0);
  await expect(graph.cursor).toContainText('7.1');
  await expect(graph.cursor).toHaveAttribute('data-kind', 'turn');
  await expect(many).toContainText('11 branches');

  // Until the view rests it may be another turn that is pressed twice, and gone to.
  await graph.middleOf(many);
  await many.dblclick({ position: { x: 60, y: 14 }, force: true });
  // Its second click may have closed what the first one opened.
  await expect(async () => {
    if (!(await list.isVisible())) await many.click({ position: { x: 60, y: 14 }, force: true });
    await expect(field).toBeFocused({ timeout: 3_000 });
  }).toPass();
  await app.page.keyboard.press('Escape');
  await expect(graph.plane).toBeFocused();
  // By keyboard: Enter lists, and goes nowhere.
  await app.page.keyboard.press('End');
  for (let step = 0; step < 4; step++) await app.page.keyboard.press('ArrowUp');
  for (let step = 0; step < 3 && (await graph.cursor.getAttribute('data-kind')) !== 'many'; step++)
    await app.page.keyboard.press('ArrowRight');
  await app.page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await app.page.keyboard.press('Escape');
  await expect(graph.head).toHaveAttribute('data-entry', head ?? '');
});

test('GR8: the branches stand at the left of the canvas, are found there, and lead to where they begin', async () => {
  const drawer = graph.pane.locator('[data-branch-drawer]');
  const rows = drawer.getByRole('option');
  await expect(rows).toHaveCount(13);
  await expect(rows.first()).toContainText('HEAD');
  await expect(drawer).toContainText(/Session: 33 turns · \$/);
  const filter = drawer.getByRole('searchbox', { name: 'Filter the branches' });
  await filter.fill('why 3.1');
  await expect(rows).toHaveCount(1);
  await rows.first().click();
  await expect(graph.cursor).toContainText('why 3.1');
  await expect(graph.cursor).toBeInViewport({ ratio: 0.99 });
  await filter.fill('');
  await filter.press('Enter');
  await app.page.keyboard.press('Home');
  await app.page.keyboard.press('ArrowDown');
  await expect(rows.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expect(graph.pane.locator('.react-flow')).toContainText((await rows.nth(1).locator('b').innerText()).trim());
  await window.shot('canvas-drawer');
  await app.page.keyboard.press('Escape');
  await expect(graph.plane).toBeFocused();
  await drawer.getByRole('button', { name: 'Fold the list away' }).click();
  await expect(drawer).toHaveCount(0);
  await graph.pane.getByRole('button', { name: 'Show the list of branches' }).click();
  await expect(drawer).toBeVisible();
});

test('GR2: R, the menu and the palette sort', async () => {
  const said = app.page.getByText('The branches stand in the order of their activity.');
  await graph.plane.focus();
  await app.page.keyboard.press('r');
  await expect(said).toBeAttached();
  await graph.choose('Sort branches by activity');
  await graph.plane.focus();
  await app.page.keyboard.press('Control+k');
  await app.page.keyboard.type('sort branches');
  await expect(app.page.getByRole('option', { name: 'Sort branches by activity' })).toBeVisible();
  await app.page.keyboard.press('Escape');
});

test('GR8: split view has the transcript with its composer beside the canvas, and is there again after a restart', async () => {
  const split = graph.pane.getByRole('button', { name: 'Split' });
  await split.click();
  await expect(split).toHaveAttribute('aria-pressed', 'true');
  await expect(window.composer).toBeVisible();
  const pane = (await graph.pane.boundingBox())!;
  const transcript = (await window.transcript.boundingBox())!;
  expect(pane.x).toBe(0);
  expect(Math.round(transcript.x)).toBeGreaterThanOrEqual(Math.round(pane.x + pane.width));
  expect(Math.round(transcript.x + transcript.width)).toBe(1280);
  // How they share the window is the person's.
  const bar = app.page.getByRole('separator', { name: 'Resize the transcript' });
  await bar.focus();
  await app.page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(async () => Math.round((await window.transcript.boundingBox())!.width - transcript.width)).toBe(64);
  await app.page.keyboard.press('Shift+ArrowRight');
  await app.page.keyboard.press('ArrowLeft');
  const shared = Math.round((await window.transcript.boundingBox())!.width);
  expect(shared - Math.round(transcript.width)).toBe(16);
  // What is clicked is read beside it, and needs no card.
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await graph.head.click({ position: { x: 90, y: 14 }, force: true });
  await expect(graph.preview).toHaveCount(0);
  await window.composer.fill('while I look at it');
  await expect(window.composer).toHaveValue('while I look at it');
  await graph.pane.locator('[data-branch-drawer]').getByRole('option').nth(2).click();
  await expect(app.page.getByRole('region', { name: 'Reading another branch' })).toBeVisible();
  await expect(graph.pane).toBeVisible();
  await takeShots(app, 'canvas-split');
  expect(await seriousIssues(app.page)).toEqual([]);
  await app.close();
  app = await launchApp({ home, graph: true, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  await expect(graph.pane.getByRole('button', { name: 'Split' })).toHaveAttribute('aria-pressed', 'true');
  await expect(window.composer).toBeVisible();
  expect(Math.round((await window.transcript.boundingBox())!.width)).toBe(shared);
  await graph.pane.getByRole('button', { name: 'Split' }).click();
  await expect(graph.pane.locator('[data-branch-drawer]')).toBeVisible();
});
