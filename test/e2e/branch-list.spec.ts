import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { findNothingSerious } from '../support/e2e/axe';
import { GraphPage } from '../support/e2e/graph';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';
import { ANSWERS, ENQUEUE, namedBranches, writeNamedBranches } from '../support/named-branches';

/** The list of branches, their names, and two of them side by side, by mouse and by keyboard (GR14, GR16, GR17, GR18). */
test.describe.configure({ mode: 'serial' });

const home = sharedHome();
const file = join(home, 'named.jsonl');
const { first, cost, turns } = namedBranches();
let app: RunningApp;
let window: AppWindow;
let sessionId: string;
let server: ModelServer;

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take({ graph: true }));
  window = new AppWindow(app);
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const pane = (): Locator => app.page.locator('[data-pane="graph"]');
const list = (): Locator => pane().locator('[data-branch-list]');
const row = (name: string): Locator => list().locator('[data-branch]').filter({ hasText: name });
const names = (): Promise<string[]> => list().locator('[data-branch] b').allTextContents();
const sheet = (): Locator => app.page.locator('[data-compare]');
const side = (name: 'Left' | 'Right'): Locator => sheet().getByRole('group', { name: `${name} side` });
const tick = (name: string): Promise<void> => row(name).locator('[data-tick]').click();
const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const current = async (): Promise<string> => {
  const id = await list().getAttribute('aria-activedescendant');
  return (await app.page.locator(`[id="${id}"] b`).textContent()) ?? '';
};
const leafId = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;

test('the tab lists HEAD first, the hidden ones last, and its sum is what the session cost', async () => {
  writeNamedBranches(file);
  await window.importByMenu([file]);
  await pane().getByRole('tab', { name: 'Branches 5' }).click();
  await expect(row('outbox table')).toContainText('HEAD');
  sessionId = await window.shownId();
  expect(await names()).toEqual(['outbox table', 'COPY from stdin', 'batches of 500', 'triggers', 'leave it']);
  await expect(row('triggers')).toContainText('merged');
  await expect(row('leave it')).toContainText('dead end');
  await expect(row('batches of 500')).toContainText(/2 turns · .* tokens/);
  await expect(row('batches of 500')).toContainText('$0.12');
  await expect(pane().locator('[data-counts]')).toHaveText(`5 branches · ${turns} turns`);
  const { usage } = await window.request('session.open', { sessionId });
  expect(usage?.cost).toBeCloseTo(cost, 8);
  await expect(list().locator('[data-sum="all"]')).toContainText(`${turns} turns`);
  await expect(list().locator('[data-sum="all"]')).toContainText(`$${cost.toFixed(2)}`);
  await expect(list().locator('[data-sum="other"]')).toContainText('$0.02');
  await findNothingSerious(app.page);
  await takeShots(app, 'branches');
});

test('it is sorted, filtered, and each branch can be renamed', async () => {
  await list().focus();
  await pane().getByRole('button', { name: 'Sorted by last activity' }).click();
  await app.page.getByRole('menuitem', { name: 'Name' }).click();
  expect(await names()).toEqual(['outbox table', 'batches of 500', 'COPY from stdin', 'triggers', 'leave it']);
  await pane().getByRole('searchbox', { name: 'Filter branches' }).fill('COPY');
  await expect(row('batches of 500')).toHaveCount(0);
  expect(await names()).toEqual(['COPY from stdin']);
  await expect(pane().locator('[data-sum="all"]')).toContainText('1 shown');
  await press('Enter');
  await expect(list()).toBeFocused();
  await press('F2');
  const dialog = app.page.getByRole('dialog', { name: 'Rename this branch' });
  await expect(dialog.getByRole('textbox')).toHaveValue('COPY from stdin');
  await dialog.getByRole('textbox').fill('stream\u202eed');
  await press('Enter');
  await expect(row('stream')).toHaveCount(0);
  await pane().getByRole('searchbox', { name: 'Filter branches' }).fill('');
  await expect(row('stream⟨U+202E⟩ed')).toBeVisible();
  expect((await window.request('session.open', { sessionId })).labels[first.COPY ?? '']).toBe('stream\u202eed');
});

test('GR17: a click has a branch read where it begins, HEAD’s where HEAD is; nothing moves', async () => {
  const before = await leafId();
  const bar = app.page.getByRole('region', { name: 'Reading another branch' });
  await row('batches of 500').locator('b').click();
  await expect(bar).toContainText('Reading ‹batches of 500›');
  await expect(list()).toBeFocused();
  await row('outbox table').locator('b').click();
  await expect(bar).toHaveCount(0);
  await expect(app.page.getByRole('feed', { name: 'Transcript', exact: true })).toBeVisible();
  expect(await leafId()).toBe(before);
});

test('branches are hidden and restored, with an undo', async () => {
  await tick('triggers');
  await expect(pane().getByRole('group', { name: 'Ticked branches' })).toContainText('1 selected');
  await pane().getByRole('button', { name: 'Hide', exact: true }).click();
  await expect(row('triggers')).toHaveAttribute('data-state', 'hidden');
  await app.page.getByRole('button', { name: 'Undo' }).click();
  await expect(row('triggers')).toHaveAttribute('data-state', 'merged');
  await list().focus();
  await press('End');
  expect(await current()).toBe('leave it');
  await press('h');
  await expect(row('leave it')).toHaveAttribute('data-state', 'open');
  await press('h');
  await expect(row('leave it')).toHaveAttribute('data-state', 'hidden');
  await list().getByRole('button', { name: 'Restore' }).click();
  await expect(row('leave it')).toHaveAttribute('data-state', 'open');
});

test('two that are ticked are compared, by the keyboard alone', async () => {
  await list().focus();
  await press('Home');
  await press('Space');
  await press('ArrowDown');
  expect(await current()).toBe('batches of 500');
  await press('Space');
  await expect(row('batches of 500')).toHaveAttribute('aria-selected', 'true');
  await press('Tab');
  while (
    !(await pane()
      .getByRole('button', { name: 'Compare' })
      .evaluate((el) => el === document.activeElement))
  ) {
    await press('Tab');
  }
  await press('Enter');
  await expect(sheet()).toBeFocused();
  await expect(sheet()).toContainText('Both go on from “Keep the old table readable until Friday”');
  await expect(side('Left')).toContainText('outbox table');
  await expect(side('Left')).toContainText('You are here');
  await expect(side('Left')).toContainText(ANSWERS.outbox);
  await expect(side('Right')).toContainText(ANSWERS.batches);
  await expect(side('Right')).toContainText('edit 1');
  await expect(side('Right')).toContainText('run 1 (1 exit 1)');
  await expect(side('Left')).toContainText('3 files · +36 −3');
  await expect(side('Right').getByRole('button', { name: ENQUEUE })).toHaveAttribute('aria-expanded', 'true');
  await expect(side('Right')).toContainText('buffer.push(job)');
  await expect(sheet()).toContainText(`Both changed ${ENQUEUE}`);
  await findNothingSerious(app.page);
  await takeShots(app, 'compare');
  await sheet().getByRole('button', { name: 'Word diff' }).click();
  await expect(side('Left').locator('del').first()).toBeVisible();
  await expect(side('Right').locator('ins').first()).toBeVisible();
  await takeShots(app, 'compare-words');
  // The pane stays usable.
  await pane().getByRole('tab', { name: 'Tree' }).click();
  await expect(pane().locator('[data-graph]')).toBeVisible();
  await pane()
    .getByRole('tab', { name: /^Branches/ })
    .click();
  await press('Escape');
  await expect(sheet()).toHaveCount(0);
});

test('GR14, GR17: and by the mouse, with names for both', async () => {
  await expect(
    list().getByRole('row', { name: /^batches of 500 open .*2 turns · .*1 file (?:≥ )?\$0\.12$/ }),
  ).toHaveCount(1);
  for (const name of ['outbox table', 'batches of 500', 'triggers'])
    if ((await row(name).getAttribute('aria-selected')) === 'true') await tick(name);
  await tick('batches of 500');
  await tick('triggers');
  await pane().getByRole('button', { name: 'Compare' }).click();
  await expect(sheet().getByRole('group', { name: 'Left side' })).toBeVisible();
  await expect(sheet().getByRole('button', { name: 'Word diff' })).toBeVisible();
  await findNothingSerious(app.page);
  await press('Escape');
  await expect(sheet()).toHaveCount(0);
  for (const name of ['batches of 500', 'triggers']) await tick(name);
});

test('Keep this one goes there, with the question of what is left, and is remembered', async () => {
  await list().focus();
  await press('Home');
  await press('ArrowDown');
  await press('c');
  await expect(side('Right')).toContainText('batches of 500');
  await side('Right').getByRole('button', { name: 'Keep this one' }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Leave this branch?' });
  await dialog.getByText('No summary').click();
  // HEAD goes elsewhere meanwhile: other work would be left, and what was chosen stays.
  const left = async (): Promise<string | undefined> => /\d+ messages?/.exec(await dialog.innerText())?.[0];
  const before = await left();
  expect(before).toBeDefined();
  const target = { sessionId, targetId: first.COPY ?? '', exact: true };
  await window.request('session.go', { ...target, choice: { summarize: false } });
  await expect.poll(left).not.toBe(before);
  await expect(dialog.getByRole('radio', { name: /^No summary/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Go', exact: true }).click();
  await expect(sheet()).toHaveCount(0);
  await expect(row('batches of 500')).toHaveAttribute('data-state', 'head');
  expect((await names())[0]).toBe('batches of 500');
  expect(await leafId()).not.toBeNull();
  await app.page.reload();
  await expect(list()).toBeVisible();
  await expect(pane().getByRole('button', { name: 'Sorted by name' })).toBeVisible();
});

test('what is read is compared with HEAD from its bar, and Esc closes one after the other', async () => {
  await pane().getByRole('tab', { name: 'Tree' }).click();
  const graph = new GraphPage(app.page);
  const { x, y } = await graph.middleOf(graph.node(first.COPY ?? ''));
  await app.page.mouse.click(x, y);
  const bar = app.page.getByRole('region', { name: 'Reading another branch' });
  await bar.getByRole('button', { name: 'Compare' }).click();
  await expect(side('Left')).toContainText('You are here');
  await expect(side('Right')).toContainText('Files changed none');
  await press('Escape');
  await expect(sheet()).toHaveCount(0);
  await expect(bar).toBeVisible();
  await press('Escape');
  await expect(bar).toHaveCount(0);
  await pane()
    .getByRole('tab', { name: /^Branches/ })
    .click();
});

test('a fork says where it comes from, and its source where it went', async () => {
  await list().focus();
  await press('Home');
  await press('Shift+F10');
  await app.page.getByRole('menuitem', { name: 'Fork to a new session' }).click();
  await expect.poll(() => window.shownId()).not.toBe(sessionId);
  const title = (await window.request('session.open', { sessionId })) && (await app.page.locator('h1').textContent());
  expect(title).toMatch(/ \(fork\)$/);
  await pane()
    .getByRole('tab', { name: /^Branches/ })
    .click();
  await pane().getByText('Forked from').getByRole('button').click();
  await expect.poll(() => window.shownId()).toBe(sessionId);
  await expect(row('batches of 500').getByRole('button', { name: /^Open the fork/ })).toBeVisible();
  await takeShots(app, 'branches-forked');
  await row('batches of 500')
    .getByRole('button', { name: /^Open the fork/ })
    .click();
  await expect.poll(() => window.shownId()).not.toBe(sessionId);
});

test('while the agent works both can be compared, and Keep this one says why it waits', async () => {
  const model = modelOf(endpointOn(server.url, 'loopback'));
  sessionId = await window.startSession('At work', model);
  server.script('Begun.');
  await window.say('Begin');
  await expect(window.transcript).toContainText('Begun.');
  await window.rested(sessionId);
  server.script('Answer one.');
  await window.say('Way one');
  await expect(window.transcript).toContainText('Answer one.');
  await window.rested(sessionId);
  const { rows } = await window.request('session.open', { sessionId });
  const targetId = rows.findLast(({ kind }) => kind === 'user')?.id ?? null;
  await window.request('session.go', { sessionId, targetId, choice: { summarize: false } });
  const held = gate();
  server.script(async () => {
    await held.until;
    return 'Answer two.';
  });
  await window.say('Way two');
  await expect(app.page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  await pane().getByRole('tab', { name: /^Tree/ }).click();
  // Two prompts that follow one answer are versions of one, and stand as one.
  await pane().locator('[data-graph]').focus();
  await press('Shift+F10');
  await app.page.getByRole('menuitem', { name: 'Compare its versions' }).click();
  await expect(side('Left')).toContainText('You are here');
  await expect(side('Right')).toContainText('Answer one.');
  const keep = side('Right').getByRole('button', { name: 'Keep this one' });
  await expect(keep).toBeDisabled();
  await expect(side('Right').getByRole('status')).not.toBeEmpty();
  held.open();
  await window.rested(sessionId);
  await expect(keep).toBeEnabled();
  await press('Escape');
  await expect(sheet()).toHaveCount(0);
});

test('two thousand branches scroll, and only what is seen is drawn', async () => {
  const many = join(home, 'many.jsonl');
  writeNamedBranches(many, 2000);
  await window.importByMenu([many]);
  await pane()
    .getByRole('tab', { name: /^Branches 2,005/ })
    .click();
  await list().focus();
  await press('End');
  await expect(row('leave it')).toBeVisible();
  expect(await list().locator('[data-branch]').count()).toBeLessThan(40);
  await pane().getByRole('searchbox', { name: 'Filter branches' }).fill('way 1999');
  await expect(row('way 1999')).toBeVisible();
});
