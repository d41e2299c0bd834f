import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { findNothingSerious } from '../support/e2e/axe';
import { act, choose, messageWith } from '../support/e2e/branches';
import { answered, LONG } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { AppWindow } from '../support/e2e/window';
import { writeNamedBranches } from '../support/named-branches';

/** WN23: each menu, popover, pane, sheet and dialog, opened once: nothing in it that axe calls serious, in light and in dark. */
const home = newHome();
const QUESTION = 'What can you do?';
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let branchy: string;
let plain: string;

test.beforeAll(async () => {
  app = await launchApp({
    home,
    graph: true,
    env: { ESPALIER_DEMO_SPEED: '100000' },
    size: { width: 1280, height: 800 },
  });
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  plain = await window.shownId();
  await window.say(QUESTION);
  await answered(app.page, /./);
  await window.rested(plain);
  const file = join(home, 'named.jsonl');
  writeNamedBranches(file);
  branchy = (await window.importFile(file)).id;
  await window.show(branchy);
  await expect(graph.head).toBeVisible({ timeout: LONG });
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(home);
});
test.beforeEach(() => window.show(branchy));
test.afterEach(async () => {
  // What a failure left open is in nobody's way.
  for (let tries = 0; tries < 5 && (await layers().count()) > 0; tries++) await press('Escape');
});

const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const button = (name: string | RegExp): Locator =>
  app.page.getByRole('button', { name, exact: typeof name === 'string' });
const layers = (): Locator => app.page.locator('[role="dialog"], [role="alertdialog"], [role="menu"]');
const dialog = (name: string | RegExp): Locator => app.page.getByRole('dialog', { name });
const menu = (): Locator => app.page.getByRole('menu');
const pane = (): Locator => app.page.locator('[data-pane="graph"]');

/** What it opens is looked at, and closed by Escape. */
async function look(what: string, opened: Locator): Promise<void> {
  await expect(opened).toBeVisible({ timeout: LONG });
  await findNothingSerious(app.page, what);
  await window.shot(`surface-${what.replaceAll(' ', '-')}`);
}
async function opens(what: string, open: () => Promise<unknown>, opened: Locator): Promise<void> {
  await open();
  await look(what, opened);
  // The keyboard is in what covers the rest, and stays there.
  for (let stop = 0; stop < 3; stop++) {
    await press('Tab');
    expect(await layers().evaluateAll((all) => all.some((it) => it.contains(document.activeElement))), what).toBe(true);
  }
  await press('Escape');
  await expect(opened).toHaveCount(0);
}
/** A command of the palette by its name. */
async function command(name: string): Promise<void> {
  await press('Control+k');
  await app.page.getByRole('combobox', { name: 'Commands' }).fill(name);
  await expect(app.page.getByRole('option', { name }).first()).toHaveAttribute('aria-selected', 'true');
  await press('Enter');
}

test('the bar and the composer: model, thinking, folder, meter, completion', async () => {
  await opens('model picker', () => button(/^Model: /).click(), dialog('Choose the model'));
  await opens('context meter', () => button(/^Context: /).click(), dialog('Context usage'));
  await window.composer.fill('/');
  await look('slash commands', app.page.getByRole('listbox', { name: 'Commands' }));
  await press('Escape');
  await window.composer.fill('');
});

test('the list of sessions: menu, name, deleted ones', async () => {
  const row = window.row(branchy);
  await opens('session menu', () => row.click({ button: 'right' }), menu());
  await row.press('F2');
  await look('session title', app.page.getByRole('textbox', { name: 'Session title' }));
  await press('Escape');
  const { id } = await window.request('sessions.create', {});
  await window.request('sessions.rename', { sessionId: id, title: 'To be deleted' });
  await window.request('sessions.delete', { sessionId: id });
  await opens('deleted sessions', () => command('Recently deleted sessions'), dialog('Recently deleted'));
});

test('a message: its menu, what can be done with its text, its label, what the model saw', async () => {
  await window.show(plain);
  const question = messageWith(window, QUESTION, 'user');
  await opens('message menu', () => act(question, 'More actions'), menu());
  await opens('text menu', () => question.getByText(QUESTION).click({ button: 'right' }), menu());
  await opens('label', () => choose(window, question, 'Label…'), dialog('Label this message'));
  await act(question, 'Edit and resend');
  await look('edit', app.page.getByRole('group', { name: 'Where your message goes' }));
  await press('Escape');
  const reply = window.transcript.locator('[data-kind="assistant"]').last();
  await opens(
    'what the model saw',
    () => choose(window, reply, 'What the model saw here'),
    dialog('What the model saw here'),
  );
});

test('compaction: the sheet and the cut line, the summary, its undo', async () => {
  await opens('compact sheet', () => command('Compact with a cut line…'), dialog('Compact this session'));
});

test('the graph: rail, canvas, preview, menus, filter, hits, outline, the whole window', async () => {
  await look('rail', graph.plane);
  await opens('node menu', () => graph.head.click({ button: 'right' }), menu());
  await opens('graph filter', () => button(/^Filter: /).click(), menu());
  const field = pane().getByRole('combobox', { name: 'Find in the tree' });
  await field.fill('the');
  await look('hits of the tree', pane().getByRole('region', { name: 'Hits' }));
  await button('Clear the search').click();
  await graph.switchOutline();
  await look('outline', app.page.getByRole('tree', { name: 'Branches as an outline' }));
  await graph.switchOutline();
  await graph.showCanvas();
  await look('canvas', pane().locator('[data-graph="canvas"]'));
  await button('Graph in the whole window').click();
  await look('whole window', pane().locator('[data-graph="canvas"]'));
  await button('Back beside the transcript').click();
  await pane().getByRole('button', { name: 'Show as rail' }).click();
});

test('branches: the list, its sorting, two of them side by side, leaving one', async () => {
  await pane()
    .getByRole('tab', { name: /^Branches/ })
    .click();
  const list = pane().locator('[data-branch-list]');
  await look('branch list', list);
  await opens('sorting', () => button(/^Sorted by/).click(), menu());
  const other = list.locator('[data-branch]').filter({ hasText: 'batches of 500' });
  await opens('branch menu', () => other.click({ button: 'right' }), menu());
  await list.focus();
  await press('Home');
  await press('ArrowDown');
  await press('c');
  await look('compare', app.page.locator('[data-compare]'));
  await app.page
    .locator('[data-compare]')
    .getByRole('button', { name: /^Keep this one/ })
    .last()
    .click();
  await look('leave', dialog('Leave this branch?'));
  await press('Escape');
  await press('Escape');
  await pane().getByRole('tab', { name: 'Tree' }).click();
});

test('handing off', async () => {
  await window.show(plain);
  await opens('hand off', () => command('Hand off to a new session'), dialog('Hand off to a new session'));
});

test('finding: in the session, in all of them', async () => {
  await press('Control+f');
  const bar = app.page.getByRole('search', { name: 'Find in this session' });
  await expect(bar.locator('input')).toBeFocused();
  await app.page.keyboard.type('table');
  await look('find', bar);
  await press('Escape');
  await press('Control+Shift+f');
  const panel = app.page.getByRole('complementary', { name: 'Search everything' });
  await expect(panel.getByRole('combobox', { name: 'Search all sessions' })).toBeFocused();
  await app.page.keyboard.type('batches');
  await look('search everything', panel);
  await panel.locator('[data-place="branch"][data-hit]').first().click();
  await look('reading', app.page.getByRole('region', { name: 'Reading another branch' }));
  await press('Escape');
  await press('Escape');
});

test('settings: a key, an endpoint', async () => {
  await press('Control+,');
  const settings = dialog('Settings');
  await settings.getByRole('button', { name: 'Paste a key' }).click();
  await look('key form', settings.getByRole('textbox', { name: 'API key' }));
  await settings.getByRole('button', { name: 'Cancel' }).click();
  await settings.getByRole('button', { name: 'Add an endpoint' }).click();
  await look('endpoint form', settings.getByRole('textbox', { name: 'Base URL' }));
  await press('Escape');
});
