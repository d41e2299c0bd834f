import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { branchySession, writeBranchySession, type BranchySession } from '../support/branchy-session';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { GraphPage } from '../support/e2e/graph';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';

/** The branch graph on an imported session: every drag with its twins, search, folds, outline, what is remembered. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const file = join(home, 'branchy.jsonl');
const SHAPE = { turns: 14, branches: 2, branchLength: 3, compactions: 1, labels: 1 };
const { trunk, branches }: BranchySession = branchySession(SHAPE);
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let sessionId: string;

async function start(): Promise<void> {
  app = await launchApp({ home, graph: true, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
}

test.beforeAll(start);
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

test('a new window shows the pane, which says what it is for', async () => {
  await expect(graph.pane).toContainText('No branches yet');
});

const last = trunk.at(-1) ?? '';
const earlier = trunk.at(-2) ?? '';
const branch = branches.at(-1);
const aside = branch?.prompts[0] ?? '';

const leafId = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;
/** The leaf of a turn: what HEAD on it means. */
const isHead = (entryId: string): Promise<void> => expect(graph.node(entryId)).toHaveAttribute('data-head', 'true');
const dialog = (name: string | RegExp) => app.page.getByRole('dialog', { name });
async function leaveWithout(): Promise<void> {
  await dialog('Leave this branch?').getByText('No summary').click();
  await dialog('Leave this branch?').getByRole('button', { name: 'Go', exact: true }).click();
}
/** A click on the words of a row or a card. */
const click = (entryId: string, how: { button?: 'right'; clickCount?: number } = {}): Promise<void> =>
  graph.node(entryId).click({ position: { x: 90, y: 14 }, force: true, ...how });
const press = (key: string): Promise<void> => app.page.keyboard.press(key);

test('an imported session stands there with HEAD on its last turn', async () => {
  writeBranchySession(file, SHAPE);
  await window.importByMenu([file]);
  await isHead(last);
  sessionId = await window.shownId();
  await expect(graph.node(earlier)).toContainText('Which queries notice the table?');
  await expect(graph.pane.getByText(/^12 messages → \d/)).toBeVisible();
  await expect(graph.pane.getByText(/plan v/)).toBeVisible();
  await window.dismissToasts();
  await window.shot('graph-14');
});

test('the + dragged to an empty place begins a branch; Esc in mid-drag and in the empty composer leave no trace', async () => {
  const before = await leafId();
  await graph.dragTo(graph.node(earlier), await graph.empty(), 'plus');
  await expect(graph.ghost).toContainText('New branch here');
  await window.shot('graph-drag-branch');
  await press('Escape');
  await expect(graph.ghost).toHaveCount(0);
  await app.page.mouse.up();
  expect(await leafId()).toBe(before);

  await graph.dragTo(graph.node(earlier), await graph.empty());
  await app.page.mouse.up();
  // HEAD moves at sending (BR4).
  await isHead(last);
  await expect(graph.pane.locator('[data-ghost]')).toContainText('New branch here');
  // The whole of it, but for what a scaled place is rounded by.
  await expect(graph.pane.locator('[data-ghost]')).toBeInViewport({ ratio: 0.999 });
  await expect(window.composer).toBeFocused();
  await window.shot('graph-branching');
  await press('Escape');
  await isHead(last);
  await expect(graph.pane.locator('[data-ghost]')).toHaveCount(0);
  expect(await leafId()).toBe(before);
});

test('HEAD dragged to a turn goes there, after the question what becomes of the work', async () => {
  const target = graph.node(aside);
  await expect(target).toHaveAttribute('data-kind', 'branch');
  await graph.toggle(target);
  await expect(target).toHaveAttribute('data-kind', 'turn');
  await expect(graph.node(branch?.prompts[2] ?? '')).toBeVisible();
  await graph.dragTo(graph.node(last), await graph.middleOf(target), 'head');
  await expect(graph.ghost).toContainText('Go to “');
  await window.shot('graph-drag-head');
  await app.page.mouse.up();
  await leaveWithout();
  await isHead(aside);
  await expect(window.transcript).toContainText('Deadlock under load 2.1');
});

test('a turn dragged onto another branch opens the sheet that brings its summary over; its own branch refuses it', async () => {
  // What was HEAD's path is a branch now, and one row.
  await graph.toggle(graph.closed.filter({ hasText: '2 turns' }));
  await graph.dragTo(graph.node(last), await graph.middleOf(graph.node(earlier)));
  await expect(graph.ghost).toContainText('Already on this branch');
  await app.page.mouse.up();
  await expect(dialog('Bring a branch over')).toHaveCount(0);

  await graph.dragTo(graph.node(last), await graph.middleOf(graph.node(aside)));
  await expect(graph.ghost).toContainText('Bring its summary to “');
  await window.shot('graph-drag-bring');
  await app.page.mouse.up();
  await expect(dialog('Bring a branch over')).toBeVisible();
  await press('Escape');
  await expect(dialog('Bring a branch over')).toHaveCount(0);
  await isHead(aside);
});

test('GR32, GR33: the keyboard does the same: walk, go, branch, carry, label, fold', async () => {
  await graph.plane.focus();
  await press('End');
  await expect(graph.cursor).toHaveAttribute('data-entry', aside);
  await press('ArrowDown');
  await expect(graph.cursor).toHaveAttribute('data-entry', branch?.prompts[1] ?? '');
  await press('ArrowUp');
  await press('ArrowUp');
  await expect(graph.cursor).toHaveAttribute('data-entry', last);
  await press('ArrowLeft');
  await expect(graph.cursor).toHaveAttribute('data-entry', branch?.from ?? '');
  await press('ArrowRight');
  await expect(graph.cursor).toHaveAttribute('data-entry', earlier);
  await press('ArrowLeft');
  await expect(graph.cursor).toHaveAttribute('data-kind', 'branch');
  await expect(graph.node(last)).toHaveCount(0);
  await press('ArrowDown');
  await expect(graph.cursor).toHaveAttribute('data-entry', aside);

  await press('b');
  await expect(window.composer).toBeFocused();
  await press('Escape');
  await expect(graph.pane.locator('[data-ghost]')).toHaveCount(0);

  await graph.plane.focus();
  await press('o');
  await press('ArrowUp');
  await expect(graph.ghost).toContainText('Bring its summary to “');
  await press('Escape');
  await expect(graph.ghost).toHaveCount(0);

  await press('l');
  await dialog('Label this message').getByRole('textbox').fill('dead end');
  await press('Enter');
  await expect(graph.node((await graph.cursor.getAttribute('data-entry')) ?? '')).toContainText('dead end');

  await graph.plane.focus();
  await press('Home');
  await press(' ');
  await expect(graph.pane.locator('[data-kind="fold"]')).toBeVisible();
  await press(' ');
  await expect(graph.pane.locator('[data-kind="fold"]')).toHaveCount(0);
});

test('Enter goes to the turn at the cursor, of a closed branch to its end', async () => {
  await graph.plane.focus();
  await press('Home');
  for (let step = 0; step < 20 && (await graph.cursor.getAttribute('data-entry')) !== earlier; step++)
    await press('ArrowDown');
  await press('Enter');
  await leaveWithout();
  await isHead(last);
});

test('GR11, WN11: a click on a turn of HEAD’s path shows its message, with the way back, and moves nothing', async () => {
  const row = (entryId: string) => window.transcript.locator(`[data-entry="${entryId}"]`);
  const back = window.button('Back to where you were');
  const before = await leafId();
  const first = trunk[trunk.length - 4] ?? '';
  await expect(row(last)).toBeInViewport();
  await click(first);
  await expect(row(first)).toHaveAttribute('data-marked', 'true');
  await expect(row(first)).toBeInViewport();
  await expect(graph.plane).toBeFocused();
  await window.shot('graph-read');
  // The transcript is the preview (GR9).
  await expect(graph.preview).toHaveCount(0);
  await back.click();
  await expect(row(last)).toBeInViewport();
  await expect(back).toHaveCount(0);
  // A branch elsewhere is read: HEAD stays where it is.
  await click(aside);
  const reading = app.page.getByRole('region', { name: 'Reading another branch' });
  await expect(reading).toBeVisible();
  await expect(graph.preview).toHaveCount(0);
  await expect(back).toHaveCount(0);
  await press('Escape');
  await expect(reading).toHaveCount(0);
  // By key, and whoever comes to the end by themselves is not led back.
  await click(first);
  await expect(back).toBeVisible();
  await app.page.getByRole('feed').focus();
  await press('End');
  await expect(row(last)).toBeInViewport();
  await expect(back).toHaveCount(0);
  await graph.plane.focus();
  await press('t');
  await expect(row(first)).toHaveAttribute('data-marked', 'true');
  await back.click();
  await graph.plane.focus();
  await press('h');
  expect(await leafId()).toBe(before);
});

test('GR9: P previews, a double click goes, the menu has every action', async () => {
  await click(earlier);
  await expect(graph.preview).toHaveCount(0);
  await press('p');
  await expect(graph.preview).toContainText('Which queries notice the table?');
  await expect(graph.preview.getByRole('button', { name: 'Branch from here' })).toBeVisible();
  await window.shot('graph-preview');
  // From wherever the keyboard is (GR24).
  await window.composer.focus();
  await press('Escape');
  await expect(graph.preview).toHaveCount(0);
  await click(aside, { button: 'right' });
  const menu = app.page.getByRole('menu');
  for (const name of [
    'Go here',
    'Branch from here',
    'Label…',
    'Fork to a new session',
    'Copy reference',
    'Hide this branch',
  ]) {
    await expect(menu.getByRole('menuitem', { name, exact: false }).first()).toBeVisible();
  }
  await window.shot('graph-menu');
  await menu.getByRole('menuitem', { name: 'Hide this branch' }).click();
  await expect(graph.node(aside)).toHaveCount(0);
  await graph.pane.getByRole('button', { name: 'Filter: All' }).click();
  await app.page.getByRole('menuitemcheckbox', { name: 'Show hidden branches' }).click();
  await expect(graph.node(aside)).toBeVisible();
  await click(aside, { button: 'right' });
  await app.page.getByRole('menuitem', { name: 'Show this branch again' }).click();
  await expect.poll(async () => (await window.request('session.open', { sessionId })).archived).toEqual([]);
  await graph.node(earlier).dblclick({ position: { x: 90, y: 14 }, force: true });
  await leaveWithout();
  await isHead(earlier);
});

test('search counts its hits over all branches and walks them', async () => {
  await graph.plane.focus();
  await press('/');
  const field = graph.pane.getByRole('combobox', { name: 'Find in the tree' });
  await expect(field).toBeFocused();
  await field.fill('deadlock under load');
  await expect(graph.pane.getByRole('status', { name: '2 found' })).toBeVisible();
  await press('Enter');
  await expect(graph.pane.getByRole('status', { name: '1 of 2 found' })).toBeVisible();
  await expect(graph.cursor).toContainText('Deadlock under load');
  await press('Shift+Enter');
  await expect(graph.pane.getByRole('status', { name: '2 of 2 found' })).toBeVisible();
  await window.shot('graph-search');
  await press('Escape');
  await expect(graph.plane).toBeFocused();
});

test('filters leave what they say', async () => {
  await graph.pane.getByRole('button', { name: 'Filter: All' }).click();
  await app.page.getByRole('menuitem', { name: 'Compactions' }).click();
  await expect(graph.pane.getByText(/^Compactions: 1$/)).toBeVisible();
  await graph.pane.getByRole('button', { name: 'Filter: Compactions' }).click();
  await app.page.getByRole('menuitem', { name: 'Turns that changed files' }).click();
  await expect(graph.pane.getByText(/^Changed files: [1-9]$/)).toBeVisible();
  await graph.pane.getByRole('button', { name: 'Filter: Changed files' }).click();
  await app.page.getByRole('menuitem', { name: 'All', exact: true }).click();
  await isHead(earlier);
});

test('/tree shows the outline with the keyboard in it: levels, arrows, type-ahead', async () => {
  await window.composer.fill('/tree');
  await press('Enter');
  const tree = app.page.getByRole('tree', { name: 'Branches as an outline' });
  await expect(tree).toBeFocused();
  const current = tree.locator('[aria-selected="true"]');
  await press('Home');
  await expect(current).toHaveAttribute('aria-level', '1');
  await app.page.keyboard.type('deadl');
  await expect(current).toContainText('Deadlock under load');
  await expect(current).toHaveAttribute('aria-level', '2');
  await window.shot('graph-outline');
  await press('ArrowLeft');
  await expect(current).toHaveAttribute('aria-level', '1');
  await expect(current).toHaveAttribute('aria-expanded', 'true');
  expect(await seriousIssues(app.page)).toEqual([]);
  await graph.switchOutline();
  await expect(graph.plane).toBeVisible();
  expect(await seriousIssues(app.page)).toEqual([]);
});

test('GR34: place, folds, filter and size are there again after a restart', async () => {
  await graph.plane.focus();
  await press('Home');
  await press(' ');
  await expect(graph.pane.locator('[data-kind="fold"]')).toBeVisible();
  await app.page.getByRole('separator', { name: 'Resize branches' }).press('ArrowLeft');
  const width = (await graph.pane.boundingBox())?.width;
  const place = await graph.middleOf(graph.node(earlier));
  const head = await leafId();
  await app.close();
  await start();
  await isHead(earlier);
  expect(await leafId()).toBe(head);
  await expect(graph.pane.locator('[data-kind="fold"]')).toBeVisible();
  expect((await graph.pane.boundingBox())?.width).toBe(width);
  expect(await graph.middleOf(graph.node(earlier))).toEqual(place);
});

test('WN22: in a small window the graph lies over the transcript, which keeps its width', async () => {
  const { page } = app;
  const size = (width: number, height: number): Promise<void> =>
    app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]!.setContentSize(w, h), [width, height] as const); // prettier-ignore
  const widthOf = (selector: string): Promise<number> =>
    page.locator(selector).evaluate((pane) => pane.getBoundingClientRect().width);
  await expect(page.locator('[data-pane="graph"]')).toBeVisible();
  const before = await widthOf('[data-transcript]');
  await size(960, 640);
  await expect.poll(() => widthOf('[data-transcript]')).toBeGreaterThan(560);
  await expect(page.locator('[data-pane="graph"]')).toBeVisible();
  await takeShots(app, 'graph-over-960');
  const bar = page.getByRole('separator', { name: 'Resize branches' });
  const asIs = await widthOf('[data-pane="graph"]');
  await bar.press('End');
  await expect.poll(() => widthOf('[data-pane="graph"]')).toBeGreaterThan(asIs);
  const most = await widthOf('[data-pane="graph"]');
  await bar.press('Shift+ArrowRight');
  await expect.poll(() => widthOf('[data-pane="graph"]')).toBe(most - 64);
  const { x, y } = (await bar.boundingBox())!;
  await page.mouse.move(x, y + 300);
  await page.mouse.down();
  await page.mouse.move(x + most - 64 - asIs, y + 300, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => widthOf('[data-pane="graph"]')).toBe(asIs);
  await size(1280, 800);
  await expect.poll(() => widthOf('[data-transcript]')).toBe(before);
});

test('WN22: the bar that widens the graph over the transcript narrows it again, in the same drag and in a later one', async () => {
  const { page } = app;
  const bar = page.getByRole('separator', { name: 'Resize branches' });
  const widthOf = async (): Promise<number> => (await graph.pane.boundingBox())?.width ?? 0;
  const drag = async (...by: number[]): Promise<void> => {
    const box = (await bar.boundingBox())!;
    await page.mouse.move(box.x, 400);
    await page.mouse.down();
    for (const dx of by) await page.mouse.move(box.x + dx, 400, { steps: 8 });
  };
  const asIs = await widthOf();
  const transcript = (await page.locator('[data-transcript]').boundingBox())?.width;
  await drag(-300);
  await expect.poll(widthOf).toBe(asIs + 300);
  await window.shot('graph-widened-over');
  await page.mouse.move((await bar.boundingBox())!.x + 100, 400, { steps: 8 });
  await page.mouse.up();
  await expect.poll(widthOf).toBe(asIs + 200);
  await drag(100, 200);
  await page.mouse.up();
  await expect.poll(widthOf).toBe(asIs);
  expect((await page.locator('[data-transcript]').boundingBox())?.width).toBe(transcript);
});

test('WN22: dragged to nothing the graph closes once, and comes back in the same drag', async () => {
  const { page } = app;
  const bar = page.getByRole('separator', { name: 'Resize branches' });
  const box = (await bar.boundingBox())!;
  const width = (await graph.pane.boundingBox())?.width;
  await page.mouse.move(box.x, 400);
  await page.mouse.down();
  for (const x of [1200, 1240, 1260, 1270, 1275]) await page.mouse.move(x, 400);
  await expect(graph.pane).toHaveCount(0);
  await page.mouse.move(1274, 400);
  await expect(graph.pane).toHaveCount(0);
  await page.mouse.move(box.x, 400, { steps: 8 });
  await page.mouse.up();
  await expect.poll(async () => (await graph.pane.boundingBox())?.width).toBe(width);
});

test('the whole window, and closed with the button of the bar', async () => {
  await graph.pane.getByRole('button', { name: 'Graph in the whole window' }).click();
  await expect.poll(async () => (await graph.pane.boundingBox())?.width).toBe(1280);
  await window.shot('graph-full');
  await graph.pane.getByRole('button', { name: 'Back beside the transcript' }).click();
  await press('Control+Shift+g');
  await expect(graph.pane).toHaveCount(0);
  await app.page.getByRole('button', { name: 'Show branches' }).click();
  await expect(graph.plane).toBeVisible();
  expect(app.problems).toEqual([]);
});

test('forked over labels and a compaction, a session has them both and the same context', async () => {
  const source = await window.request('session.open', { sessionId });
  await window.say('/fork');
  await expect.poll(() => window.shownId()).not.toBe(sessionId);
  const fork = await window.request('session.open', { sessionId: await window.shownId() });
  const path = ({ rows, seenFrom }: typeof source): unknown[] => [rows.map(({ id, kind }) => [id, kind]), seenFrom];
  expect(path(fork)).toEqual(path(source));
  expect(fork.rows.some(({ kind }) => kind === 'compaction')).toBe(true);
  const onPath = new Set(source.rows.map(({ id }) => id));
  const labels = Object.entries(source.labels).filter(([id]) => onPath.has(id));
  expect(labels.length).toBeGreaterThan(0);
  expect(Object.entries(fork.labels).sort()).toEqual(labels.sort());
  expect(fork.usage?.tokens).toBe(source.usage?.tokens);

  // GR18: the sign at the turn leads to the other session, and back.
  const sign = graph.pane.locator('[data-fork]');
  await expect(sign).toHaveCount(1);
  await expect(sign).toHaveAccessibleName(/^Forked from “/);
  await takeShots(app, 'graph-fork-sign');
  await sign.click();
  await expect.poll(() => window.shownId()).toBe(sessionId);
  await expect(graph.pane.getByRole('img', { name: /^Forked to “.*\(fork\)”/ })).toBeVisible();
});
