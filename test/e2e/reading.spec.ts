import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { branchySession, type BranchySession, writeBranchySession } from '../support/branchy-session';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { choose } from '../support/e2e/branches';
import { LONG } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** Reading another branch while HEAD, the composer and a run stay as they are. */
test.describe.configure({ mode: 'serial' });

const home = sharedHome();
const file = join(home, 'branchy.jsonl');
const SHAPE = { turns: 14, branches: 2, branchLength: 3, compactions: 1, labels: 1 };
const { trunk, branches }: BranchySession = branchySession(SHAPE);
const last = trunk.at(-1) ?? '';
const branch = branches.at(-1)!;
const [first = '', second = ''] = branch.prompts;
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let server: ModelServer;
let sessionId: string;

const bar = (): Locator => app.page.getByRole('region', { name: 'Reading another branch' });
const row = (entryId: string): Locator => window.transcript.locator(`[data-entry="${entryId}"]`);
const line = (): Locator => app.page.getByText(/^HEAD is still working on/);
const leafId = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;
/** The pane above the nodes has the pointer: they are hit by their place. */
async function click(entryId: string): Promise<void> {
  const { x, y } = await graph.middleOf(graph.node(entryId));
  await app.page.mouse.click(x, y);
}
/** Every branch is one row of the rail until it is opened. */
async function openAll(): Promise<void> {
  for (let left = await graph.closed.count(); left > 0; left--) {
    await graph.toggle(graph.closed.first());
    await expect(graph.closed).toHaveCount(left - 1);
  }
}
const press = (key: string): Promise<void> => app.page.keyboard.press(key);

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  writeBranchySession(file, SHAPE);
  await window.importByMenu([file]);
  await expect(graph.node(last)).toHaveAttribute('data-head', 'true');
  await openAll();
  sessionId = await window.shownId();
  await window.request('session.setModel', { sessionId, ...modelOf(endpointOn(server.url, 'loopback')) });
  await window.request('sessions.rename', { sessionId, title: 'outbox table' });
  // What says that it was imported goes by itself, and would lie where the test clicks until then.
  await expect(app.page.getByRole('button', { name: 'Dismiss' })).toHaveCount(0, { timeout: LONG });
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

test('GR12: a click on a node of another branch reads it; HEAD, composer and meter stay; Esc goes back to the place', async () => {
  const before = await leafId();
  const place = row(trunk[2] ?? '');
  await click(trunk[2] ?? '');
  await expect(place).toBeInViewport();
  await window.composer.fill('half a thought');
  await click(second);
  await expect(bar()).toContainText('3 turns');
  await expect(row(second)).toBeInViewport();
  await expect(row(second)).toHaveAttribute('data-zone', 'elsewhere');
  await expect(graph.pane.locator('[data-eye="elsewhere"]')).toHaveAttribute('data-entry', second);
  await expect(window.transcript).toContainText('Shared with HEAD up to here');
  await expect(row(second).getByRole('toolbar')).toHaveCount(1);
  await expect(row(second).getByRole('button', { name: 'Edit and resend' })).toHaveCount(0);
  await expect(window.composer).toHaveValue('half a thought');
  expect(await leafId()).toBe(before);
  await expect(graph.node(last)).toHaveAttribute('data-head', 'true');
  // The transcript is the preview (GR9).
  await expect(graph.preview).toHaveCount(0);
  expect(await seriousIssues(app.page)).toEqual([]);
  await takeShots(app, 'reading');
  // What is read next of the same branch is there already.
  await click(first);
  await expect(row(first)).toBeInViewport();
  await press('Escape');
  await expect(bar()).toHaveCount(0);
  await expect(place).toBeInViewport();
  await window.composer.fill('');
});

test('GR12, SE1: Find walks the branch that is read, says so, and asks about HEAD again behind it', async () => {
  const find = (name: string): Locator => app.page.getByRole('search', { name });
  const onBranch = find('Find on the branch you are reading');
  await click(second);
  await expect(bar()).toBeVisible();
  await press('ControlOrMeta+f');
  // One prompt of each branch has these words, and a number of its own.
  await onBranch
    .getByRole('textbox')
    .fill(
      (await row(second).innerText()).match(/Use triggers instead[ \d.]*|Deadlock[^\n]*|Revert[^\n]*|Try[^\n]*/)![0],
    );
  await expect(onBranch).toContainText('1 on this branch', { timeout: LONG });
  await expect(row(second)).toBeInViewport();
  await expect(bar()).toBeVisible();
  await onBranch.getByRole('textbox').fill('table');
  await expect(onBranch).toContainText(/[1-9]\d* word for word|[1-9]\d* summarised/);
  await onBranch.getByRole('button', { name: 'Previous hit' }).click();
  await expect(bar()).toBeVisible();
  expect(await seriousIssues(app.page)).toEqual([]);
  await takeShots(app, 'reading-find');
  // Escape closes one thing: what is read, then Find.
  await press('Escape');
  await expect(bar()).toHaveCount(0);
  await expect(find('Find in this session')).toContainText(/hits? on other branches/);
  await press('Escape');
  await expect(find('Find in this session')).toHaveCount(0);
});

test('GR12: a run goes on while another branch is read; Go here waits and says so; Show leads to HEAD', async () => {
  const hold = gate();
  server.script({
    text: 'It streams on and on, to the very end.',
    chunkChars: 20,
    holdAt: { frame: 2, until: hold.until },
  });
  await window.say('Write the runbook');
  await expect(window.transcript).toContainText('It streams', { timeout: LONG });
  await click(second);
  await expect(bar()).toBeVisible();
  await expect(line()).toContainText('Write the runbook');
  await expect(bar()).toContainText('HEAD can go when the agent rests');
  // What is read is said whole; why HEAD waits has the room that is left, and the button says it.
  const name = bar().locator('b').locator('xpath=..');
  expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await expect(bar().getByRole('button', { name: /^Go here/ })).toHaveAccessibleDescription(/when the agent rests/);
  await bar()
    .getByRole('button', { name: /^Go here/ })
    .click({ force: true });
  await expect(bar()).toBeVisible();
  await expect(window.composer).toHaveAttribute('placeholder', 'Message ‹outbox table›, where HEAD is');
  await takeShots(app, 'reading-run');
  await app.page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(bar()).toHaveCount(0);
  await expect(window.transcript).toContainText('It streams');
  await click(second);
  hold.open();
  await window.rested(sessionId);
  await expect(line()).toHaveCount(0);
  await expect(bar()).not.toContainText('HEAD can go when');
  await expect(row(second)).toBeVisible();
  await expect(window.transcript).not.toContainText('to the very end');
});

test('GR12, GR24: by key alone: Enter in the transcript goes there, and the reader stays at the message', async () => {
  await window.transcript.locator('[data-transcript]').focus();
  await press('Enter');
  const question = app.page.getByRole('dialog', { name: 'Leave this branch?' });
  await question.getByText('No summary').click();
  await question.getByRole('button', { name: 'Go', exact: true }).click();
  await expect(bar()).toHaveCount(0);
  await expect(graph.node(branch.prompts.at(-1) ?? '')).toHaveAttribute('data-head', 'true');
  await expect(row(second)).toBeInViewport();
  expect(await leafId()).toBe(branch.leafId);
});

test('GR12: a reload of the window shows the path of HEAD', async () => {
  // HEAD has gone to the branch: what was the trunk is one.
  await openAll();
  await click(last);
  await expect(bar()).toBeVisible();
  await app.page.reload();
  await expect(window.composer).toBeVisible();
  await expect(bar()).toHaveCount(0);
  await expect(row(branch.prompts.at(-1) ?? '')).toBeVisible();
});

test('GR11: the row that is read is told to the graph; "Show in graph" brings its node into view', async () => {
  await window.transcript.locator('[data-transcript]').focus();
  await press('Home');
  const top = row(trunk[0] ?? '');
  await expect(top).toBeInViewport();
  await expect(graph.pane.locator('[data-eye="head"]')).toHaveAttribute('data-entry', trunk[0] ?? '');
  await top.hover();
  await choose(window, top, 'Show in graph');
  await expect(graph.node(trunk[0] ?? '')).toBeInViewport();
  await expect(graph.cursor).toHaveAttribute('data-entry', trunk[0] ?? '');
});
