import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { type BranchySession, writeBranchySession } from '../support/branchy-session';
import type { RunningApp } from '../support/electron-app';
import { findNothingSerious } from '../support/e2e/axe';
import { GraphPage } from '../support/e2e/graph';
import { takeShots } from '../support/e2e/shots';
import { MainThread, MARK } from '../support/faults/main-thread';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** Finding in the branch graph: hits as a list, filters as they are typed, what the filters of the menu leave. */
test.describe.configure({ mode: 'serial' });

const home = sharedHome();
const SHAPE = { turns: 300, branches: 9, branchLength: 8, compactions: 1, labels: 1 };
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let session: BranchySession;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  const file = join(home, 'branchy.jsonl');
  session = writeBranchySession(file, SHAPE);
  await window.importByMenu([file]);
  await expect(graph.node(session.trunk.at(-1) ?? '')).toHaveAttribute('data-head', 'true');
});

const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const field = (): Locator => graph.pane.getByRole('combobox', { name: 'Find in the tree' });
const list = (): Locator => graph.pane.getByRole('listbox', { name: 'Turns that were found' });
const hits = (): Locator => list().getByRole('option');
const offers = (name: string): Locator => graph.pane.getByRole('listbox', { name }).getByRole('option');
const summary = (): Locator => graph.pane.getByRole('region', { name: 'Hits' }).getByRole('status');
/** Brought clear of everything: nothing else lies at its middle, and its preview is open. */
async function isShown(entryId: string): Promise<void> {
  await expect(graph.node(entryId)).toBeInViewport({ ratio: 0.99 });
  await expect(graph.cursor).toHaveAttribute('data-entry', entryId);
  await expect(graph.preview).toBeVisible();
  await expect.poll(() => graph.covered(`[data-entry="${entryId}"]`)).toEqual([]);
}

test('GR19: in 300 turns with 9 branches the third one is found in three actions', async () => {
  const third = session.branches[2]?.prompts[0] ?? '';
  await graph.plane.focus();
  await press('/');
  await app.page.keyboard.type('revert write 3.1');
  await expect(hits()).toHaveCount(1);
  await press('Enter');
  await isShown(third);
  await expect(field()).toBeFocused();
  await expect(hits().first()).toContainText('Revert, write down why 3.1');
  // By its branch's name once that is known, by its words before.
  await expect(summary()).toContainText('1 hit in 1 branch');
  // On another branch it is read, and HEAD stays.
  await expect(window.transcript).toContainText('Revert, write down why 3.1');
});

test('GR19: phrases come first, hits are counted by branches and walked in both directions, the transcript follows on HEAD’s path', async () => {
  await field().fill('migration plan');
  await expect(summary()).toContainText('words anywhere');
  await field().fill('plan the migration');
  await expect(summary()).toContainText(/^\d+ hits in 1 branch · exact words/);
  await expect(hits().first()).toContainText('HEAD’s path');
  await press('Enter');
  const first = await hits().first().getAttribute('data-graph-hit');
  await isShown(first ?? '');
  // What is read of another branch is left for it.
  await expect(app.page.getByRole('region', { name: 'Reading another branch' })).toHaveCount(0);
  await expect(window.transcript.locator(`[data-entry="${first}"], [data-row="${first}"]`).first()).toBeInViewport();
  await expect(hits().first()).toHaveAttribute('aria-selected', 'true');
  await press('Enter');
  await expect(hits().nth(1)).toHaveAttribute('aria-selected', 'true');
  await press('Shift+Enter');
  await press('Shift+Enter');
  await expect(graph.pane.getByRole('status', { name: /^(\d+) of \1 found$/ })).toBeVisible();
  await window.shot('graph-search-walk');
  await takeShots(app, 'graph-search');
  await findNothingSerious(app.page);
  await field().focus();
  await press('Escape');
  await expect(list()).toHaveCount(0);
  await expect(field()).toHaveValue('');
  await expect(graph.preview).toHaveCount(0);
  await expect(graph.plane).toBeFocused();
});

test('GR19: filters are completed as they are typed; what is none is said', async () => {
  await field().focus();
  await app.page.keyboard.type('fi');
  await expect(offers('Filters')).toHaveText([/^file:/]);
  await press('Tab');
  await expect(field()).toHaveValue('file:');
  await expect(offers('Values of file:').first()).toContainText(/\d/);
  await app.page.keyboard.type('wor');
  await expect(offers('Values of file:')).toHaveText([/^src\/queue\/worker\.ts/]);
  await window.shot('graph-search-offers');
  await findNothingSerious(app.page);
  await press('ArrowDown');
  await expect(offers('Values of file:').first()).toHaveAttribute('aria-selected', 'true');
  await press('Enter');
  await expect(field()).toHaveValue('file:src/queue/worker.ts ');
  await expect(summary()).toContainText(/^\d+ hits in/);
  await expect(hits().first()).toContainText('src/queue/worker.ts');
  await field().fill('label:');
  await expect(summary()).toContainText('1 hit in 1 branch');
  await field().fill('branch:"Use triggers');
  await expect(summary()).toContainText(/^\d+ hits in \d branches/);
  await field().fill('path:src lock');
  await expect(summary()).toContainText('“path:” is searched as a word');
  await field().fill('nothing of that');
  await expect(summary()).toHaveText('No hits');
  await field().fill('');
  await expect(list()).toHaveCount(0);
});

test('GR20: “A changed file…” asks which file, “No tools” says what it hides', async () => {
  const filter = (name: RegExp): Locator => graph.pane.getByRole('button', { name });
  await filter(/^Filter: All/).click();
  await app.page.getByRole('menuitem', { name: 'A changed file…' }).click();
  await window.shot('graph-files');
  const worker = app.page.getByRole('menuitem', { name: /^src\/queue\/worker\.ts.*\d+ turns/ });
  const count = /(\d+) turns/.exec(await worker.innerText())?.[1];
  await worker.click();
  // As many as the menu says, on a line of its own.
  const note = graph.pane.getByText(`worker.ts: ${count}`, { exact: true });
  await expect(note).toBeVisible();
  const [over, head] = [(await note.boundingBox())!, (await graph.pane.getByText(/^\d+ turns · /).boundingBox())!];
  expect(over.y + over.height).toBeLessThanOrEqual(head.y);
  await filter(/^Filter: worker\.ts/).click();
  await app.page.getByRole('menuitem', { name: 'No tools' }).click();
  await expect(graph.pane.getByText('No tools: none hidden, every turn has words')).toBeVisible();
  await filter(/^Filter: No tools/).click();
  await app.page.getByRole('menuitem', { name: 'All', exact: true }).click();
});

test('GR19, GR20: hits by the mouse, a filter by the keyboard alone, each with a name', async () => {
  await field().fill('plan the migration');
  const hit = list()
    .getByRole('option', { name: /plan the migration.*HEAD’s path/i })
    .nth(1);
  await hit.click();
  await expect(hit).toHaveAttribute('aria-selected', 'true');
  await isShown((await hit.getAttribute('data-graph-hit')) ?? '');
  await field().focus();
  await press('Escape');
  await field().focus();
  await press('Tab');
  await expect(graph.pane.getByRole('button', { name: 'Filter: All' })).toBeFocused();
  // What is typed before the menu has the keyboard is typed elsewhere.
  const inMenu = app.page.locator('[role="menu"] :focus, [role="menu"]:focus');
  await press('Enter');
  await expect(inMenu).toHaveCount(1);
  await app.page.keyboard.type('err');
  await expect(app.page.getByRole('menuitem', { name: 'Errors' })).toBeFocused();
  await press('Enter');
  const filter = graph.pane.getByRole('button', { name: 'Filter: Errors' });
  await expect(filter).toBeVisible();
  await findNothingSerious(app.page);
  await filter.focus();
  await press('Enter');
  await expect(inMenu).toHaveCount(1);
  await app.page.keyboard.type('all');
  await expect(app.page.getByRole('menuitem', { name: 'All', exact: true })).toBeFocused();
  await press('Enter');
  await expect(graph.pane.getByRole('button', { name: 'Filter: All' })).toBeVisible();
});

test('GR2: the outline stands in the order of the rail, says where a branch begins, and walks by keys', async () => {
  await graph.switchOutline();
  const tree = graph.pane.getByRole('tree', { name: 'Branches as an outline' });
  await tree.focus();
  await press('Home');
  const current = tree.locator('[aria-selected="true"]');
  await expect(current).toHaveAttribute('aria-level', '1');
  const { from = '', prompts = [] } = session.branches[2] ?? {};
  await field().fill('revert write 3.1');
  await expect(hits()).toHaveCount(1);
  await press('Enter');
  await expect(current).toHaveAttribute('data-entry', prompts[0] ?? '');
  await expect(current).toHaveAttribute('aria-level', '2');
  await press('Escape');
  await expect(tree).toBeFocused();
  await press('ArrowUp');
  await expect(current).toHaveAttribute('data-entry', from);
  await expect(current).toHaveAttribute('aria-expanded', 'true');
  await window.shot('outline-start');
  // GR22: its twist closes and opens, and does nothing else.
  await current.locator('button').dblclick();
  await expect(current).toHaveAttribute('aria-expanded', 'true');
  await expect(app.page.getByRole('dialog')).toHaveCount(0);
  // What was found is still read: the line itself is on HEAD's path.
  await expect(app.page.locator('[data-reading]')).toHaveCount(1);
  await tree.focus();
  await press('ArrowLeft');
  await press('ArrowDown');
  await expect(current).toHaveAttribute('data-entry', session.trunk[session.trunk.indexOf(from) + 1] ?? '');
  // A hit in what was closed opens it.
  await field().fill('revert write 3.1');
  await expect(hits()).toHaveCount(1);
  await press('Enter');
  await expect(current).toHaveAttribute('data-entry', prompts[0] ?? '');
  await press('Escape');
  await expect(tree).toBeFocused();
  // GR32: what is carried is put down by Enter, which goes nowhere then.
  const sessionId = await window.shownId();
  const leaf = async () => (await window.request('session.open', { sessionId })).leafId;
  const before = await leaf();
  await press('O');
  await press('End');
  await expect(current).toContainText('HEAD');
  await press('Enter');
  await expect(app.page.getByRole('dialog', { name: 'Bring a branch over' })).toBeVisible();
  await press('Escape');
  await expect(app.page.getByRole('dialog')).toHaveCount(0);
  expect(await leaf()).toBe(before);
  await findNothingSerious(app.page);
  await graph.switchOutline();
});

test('GR19: 2,000 hits are listed and walked without a long task', { tag: '@tasks' }, async () => {
  const line = (entry: object): string => JSON.stringify(entry);
  const lines = [line({ type: 'session', version: 3, id: 'many', timestamp: '', cwd: '' })];
  for (let at = 0; at < 2_000; at++) {
    const message = { role: 'user', content: `needle number ${at}`, timestamp: 1 };
    const parentId = at === 0 ? null : at % 5 === 0 ? `p${Math.floor(at / 2)}` : `p${at - 1}`;
    lines.push(line({ type: 'message', id: `p${at}`, parentId, timestamp: '2026-01-02T03:04:05.000Z', message }));
  }
  const file = join(home, 'many.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  await window.importByMenu([file]);
  await expect(graph.node('p1999')).toHaveAttribute('data-head', 'true');
  await field().fill('needle number');
  await expect(summary()).toContainText('2,000 hits');
  const thread = await MainThread.start(app.page);
  await field().fill('needle');
  await expect(graph.pane.getByRole('status', { name: '2000 found' })).toBeVisible();
  for (let step = 0; step < 5; step++) await press('Enter');
  await list().evaluate((box) => box.scrollTo({ top: 40_000 }));
  await expect(hits().first()).not.toContainText('needle number 1999');
  expect(await hits().count()).toBeLessThan(40);
  await app.page.evaluate((mark) => void performance.mark(`${mark}hits`), MARK);
  const { long, longestMs, slowness } = await thread.stop(50);
  expect(long, `longest ${longestMs}, slowness ${slowness}`).toEqual([]);
});
