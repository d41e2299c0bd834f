import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { act, choose, messageWith } from '../support/e2e/branches';
import { answerCard, answered, LONG } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { sentContext, sentMessages, startModelServer, type CapturedRequest, type ModelServer } from '../support/model-server'; // prettier-ignore

/** Pinning messages by every way that there is: menu, key, mark, graph, outline, list; through a compaction and a restart (PN1 to PN7). */
test.describe.configure({ mode: 'serial' });

const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let server: ModelServer;
let sessionId: string;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const lastSent = (): string[] =>
  sentMessages(server.requests.filter((request) => !isSummary(request)).at(-1)!).map(({ text }) => text);
const mine = (text: string): Locator => messageWith(window, text, 'user');
const reply = (text: string): Locator => messageWith(window, text, 'assistant');
const mark = (message: Locator): Locator => message.getByRole('button', { name: 'Unpin this message' });
const toast = (text: string): Locator => window.page.locator('[data-toast], [role="status"]').filter({ hasText: text });
const pinned = async (): Promise<readonly string[]> => (await window.request('session.open', { sessionId })).pins;
const meter = (): Locator => window.page.getByRole('dialog', { name: 'Context usage' });
const openMeter = async (): Promise<void> => {
  // A press on a toast leaves it open.
  if ((await meter().count()) === 0) await window.button(/^Context: /).click();
};
const list = (): Locator => meter().getByRole('region', { name: 'Pinned messages' });

/** The list draws what is near: the first messages after a key only. */
async function goTo(message: Locator, key: 'Home' | 'End' = 'Home'): Promise<void> {
  await window.page.locator('[data-transcript]').focus();
  await window.page.keyboard.press(key);
  await expect(message).toBeVisible();
}

async function begin(): Promise<void> {
  app = await launchApp({ home });
  window = new AppWindow(app);
  graph = new GraphPage(window.page);
}

test.beforeAll(async () => {
  server = await startModelServer();
  const endpoint = endpointOn(server.url, 'loopback');
  // One percent of it is little more than a message.
  writeEndpoint(home, { ...endpoint, models: [{ ...endpoint.models[0]!, contextWindow: 40_000 }] });
  await begin();
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  // None of the person's messages stand beside a summary but what is pinned.
  await window.request('settings.set', { key: 'compaction.keepUserMessageTokens', value: 0 });
  sessionId = await window.startSession('Pins', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('TS3: a message is pinned and unpinned by its menu, its mark and its key, a tool’s output by its card', async () => {
  server.script([{ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'echo the port is 4711' } }] }, 'Answer 0.']); // prettier-ignore
  await window.say('Question 0: keep the old table readable until Friday.');
  await answerCard(window.page, 'Run once');
  await answered(window.page, 'Answer 0.');
  for (let turn = 1; turn < 4; turn++) {
    server.script(`Answer ${turn}. ${WORDS}`);
    await window.say(`Question ${turn}: ${WORDS}`);
    await answered(window.page, `Answer ${turn}.`);
  }
  await window.rested(sessionId);
  const question = mine('Question 0');
  await goTo(question);
  await choose(window, question, 'Pin');
  await expect(mark(question)).toBeVisible();
  await expect(question).toContainText('pinned');
  expect(await pinned()).toHaveLength(1);
  await mark(question).click();
  await expect(mark(question)).toHaveCount(0);
  expect(await pinned()).toEqual([]);
  await toast('The message is unpinned.').getByRole('button', { name: 'Undo' }).click();
  await expect(mark(question)).toBeVisible();
  // By the keyboard: the toolbar of a message is one stop of Tab, K pins.
  const answer = reply('Answer 0.');
  await answer.getByRole('button', { name: 'Copy message' }).focus();
  await window.page.keyboard.press('l');
  await window.page.getByRole('dialog', { name: 'Label this message' }).getByRole('button', { name: 'Cancel' }).click();
  await answer.getByRole('button', { name: 'Copy message' }).focus();
  await window.page.keyboard.press('k');
  await expect(mark(answer)).toBeVisible();
  await window.page.keyboard.press('k');
  await expect(mark(answer)).toHaveCount(0);
  const tool = window.transcript.locator('[data-status]').filter({ hasText: 'the port is 4711' }).first();
  const pinOutput = tool.getByRole('button', { name: 'Pin this output' });
  const fold = tool.getByRole('button', { expanded: false });
  if ((await fold.count()) > 0) await fold.first().click();
  // TS13: it stands in the head, over nothing that is read.
  const [button, output] = await Promise.all([pinOutput.boundingBox(), tool.locator('[data-output]').boundingBox()]);
  expect(button!.y + button!.height).toBeLessThanOrEqual(output!.y + 1);
  await pinOutput.click();
  await expect(tool.getByRole('button', { name: 'Unpin this output' })).toBeVisible();
  await expect(tool).toContainText('pinned');
  expect(await pinned()).toHaveLength(2);
  await question.scrollIntoViewIfNeeded();
  await takeShots(app, 'pins-rows');
  await act(question, 'More actions');
  await expect(window.page.getByRole('menuitem', { name: 'Unpin' })).toBeVisible();
  await takeShots(app, 'pins-menu');
  await window.page.keyboard.press('Escape');
});

test('the list says what pins cost, leads to them and lets go of them', async () => {
  await openMeter();
  await expect(list()).toContainText(/Pinned\d+ of 4k tokens: pins may fill 10% of the window/);
  await expect(list().getByRole('listitem')).toHaveCount(2);
  await expect(list().getByRole('listitem').first()).toContainText('Question 0: keep the old table readable');
  await expect(list().getByRole('listitem').nth(1)).toContainText('ran echo the port is 4711');
  expect(await seriousIssues(window.page)).toEqual([]);
  await takeShots(app, 'pins-list');
  await list()
    .getByRole('button', { name: /^Unpin: ran echo/ })
    .click();
  await expect(list().getByRole('listitem')).toHaveCount(1);
  await toast('The message is unpinned.').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(pinned).toHaveLength(2);
  await openMeter();
  await list()
    .getByRole('button', { name: /Question 0: keep/ })
    .first()
    .click();
  await expect(meter()).toHaveCount(0);
  await expect(mine('Question 0')).toBeInViewport();
});

test('over the limit it is refused with the figures, and leads to the list', async () => {
  await window.request('settings.set', { key: 'pins.maxPercent', value: 1 });
  const W = (await window.request('session.pins', { sessionId })).limit!;
  expect(W).toBeGreaterThan(0);
  for (const text of ['Question 1', 'Question 2']) {
    await mine(text).scrollIntoViewIfNeeded();
    await choose(window, mine(text), 'Pin');
  }
  const refused = toast('1% of this model’s window');
  await expect(refused).toBeVisible();
  await choose(window, mine('Question 2'), 'Pin');
  await expect(refused).toHaveCount(1);
  await takeShots(app, 'pins-refused');
  await refused.getByRole('button', { name: 'Show pins' }).click();
  await expect(list()).toBeVisible();
  await expect(list()).not.toContainText('More than pins may take');
  await window.page.keyboard.press('Escape');
  await window.request('settings.reset', { key: 'pins.maxPercent' });
  // With room again the same message is taken, and what was said of it goes.
  await choose(window, mine('Question 2'), 'Pin');
  await expect(refused).toHaveCount(0);
  await openMeter();
  await expect(list().getByRole('listitem')).toHaveCount(4);
  await window.request('settings.set', { key: 'pins.maxPercent', value: 1 });
  await expect(list()).toContainText('More than pins may take of this model’s window. They stay, but nothing more');
  expect(await seriousIssues(window.page)).toEqual([]);
  await takeShots(app, 'pins-over');
  await window.request('settings.reset', { key: 'pins.maxPercent' });
  await expect(list()).not.toContainText('More than pins may take');
  await list()
    .getByRole('button', { name: /^Unpin: Question 2/ })
    .click();
  await expect(list().getByRole('listitem')).toHaveCount(3);
  await window.page.keyboard.press('Escape');
});

test('the graph and the outline show a pin and have it in their menus and keys', async () => {
  await window
    .button('Toggle branches')
    .or(window.page.getByRole('button', { name: /branches/i }))
    .first()
    .click();
  const node = graph.titled('Question 3').first();
  await expect(node).toBeVisible();
  await expect(graph.titled('Question 0').first().getByRole('img', { name: 'Pinned' })).toBeVisible();
  const before = (await pinned()).length;
  await node.click({ button: 'right', position: { x: 90, y: 14 }, force: true });
  await takeShots(app, 'pins-node-menu');
  await window.page.getByRole('menuitem', { name: /^Pin/ }).click();
  await expect(node.getByRole('img', { name: 'Pinned' })).toBeVisible();
  expect(await pinned()).toHaveLength(before + 1);
  await takeShots(app, 'pins-graph');
  await graph.plane.focus();
  await expect(graph.cursor).toContainText('Question 3');
  await window.page.keyboard.press('k');
  await expect(node.getByRole('img', { name: 'Pinned' })).toHaveCount(0);
  await expect.poll(pinned).toHaveLength(before);
  await graph.switchOutline();
  const outline = graph.pane.locator('[data-outline]');
  const line = outline.getByRole('treeitem').filter({ hasText: 'Question 3' });
  await expect(outline.getByRole('treeitem').filter({ hasText: 'Question 0' })).toContainText('Question 0');
  await expect(outline.getByRole('img', { name: 'Pinned' })).toHaveCount(2);
  await line.click();
  await outline.focus();
  // There letters find a line and capitals act.
  await window.page.keyboard.press('K');
  await expect(line.getByRole('img', { name: 'Pinned' })).toBeVisible();
  await takeShots(app, 'pins-outline');
  await line.click({ button: 'right' });
  await window.page.getByRole('menuitem', { name: /^Unpin/ }).click();
  await expect(line.getByRole('img', { name: 'Pinned' })).toHaveCount(0);
  await expect.poll(pinned).toHaveLength(before);
});

test('a message of another branch is pinned from its node, and counts there', async () => {
  const leafOf = async (): Promise<string> => (await window.request('session.open', { sessionId })).leafId!;
  const before = await leafOf();
  const listed = async (): Promise<number> => (await window.request('session.pins', { sessionId })).pins.length;
  const here = await listed();
  await graph.switchOutline();
  const two = await graph.titled('Question 2').first().getAttribute('data-entry');
  // Back to before the last questions, and another way from there.
  await window.request('session.go', { sessionId, targetId: two, choice: { summarize: false } });
  await window.composer.fill('');
  server.script('Another answer.');
  await window.say('Another way');
  await answered(window.page, 'Another answer.');
  await graph.toggle(graph.titled('Question 2').first());
  const aside = graph.titled('Question 3').first();
  await aside.click({ button: 'right', position: { x: 90, y: 14 }, force: true });
  await window.page.getByRole('menuitem', { name: /^Pin/ }).click();
  await expect(toast('It counts on its own branch')).toBeVisible();
  await expect(aside.getByRole('img', { name: 'Pinned' })).toBeVisible();
  await takeShots(app, 'pins-aside');
  expect(await listed()).toBe(here);
  await window.request('session.go', { sessionId, targetId: before, exact: true, choice: { summarize: false } });
  await expect.poll(listed).toBe(here + 1);
  await expect(mark(mine('Question 3'))).toBeVisible();
  await mark(mine('Question 3')).click();
  await expect.poll(listed).toBe(here);
});

test('help names the keys of a message, settings the limit', async () => {
  await window.page.keyboard.press('F1');
  const help = window.page.getByRole('dialog', { name: 'Shortcuts and commands' });
  await expect(help).toContainText('Pin for the modelK');
  await takeShots(app, 'pins-help');
  await window.page.keyboard.press('Escape');
  await window.say('/settings');
  const settings = window.page.getByRole('dialog', { name: 'Settings' });
  await settings.getByRole('tab', { name: 'Context' }).click();
  const field = settings.getByRole('textbox', { name: 'Limit for pinned messages' });
  await expect(field).toHaveValue('10');
  await field.fill('51');
  await field.press('Enter');
  await expect(settings).toContainText(/must be from 1 to 50|between 1 and 50|1.{1,4}50/);
  await field.fill('20');
  await field.press('Enter');
  await expect.poll(async () => (await window.request('session.pins', { sessionId })).percent).toBe(20);
  await field.scrollIntoViewIfNeeded();
  await takeShots(app, 'pins-settings');
  await window.request('settings.reset', { key: 'pins.maxPercent' });
  await window.page.keyboard.press('Escape');
});

test('while the agent works a message is pinned all the same', async () => {
  const held = gate();
  server.script({ text: 'Slowly written.', holdAt: { frame: 1, until: held.until } });
  await window.say('Take your time');
  await expect(window.button('Stop')).toBeVisible();
  await choose(window, mine('Take your time'), 'Pin');
  await expect(mark(mine('Take your time'))).toBeVisible();
  await mark(mine('Take your time')).click();
  await expect(mark(mine('Take your time'))).toHaveCount(0);
  held.open();
  await answered(window.page, 'Slowly written.');
});

test('pins outlast a compaction and a restart, word for word', async () => {
  server.script((request) => (isSummary(request) ? '## Goal\nShip it.' : 'Going on.'));
  await window.say('/compact');
  await expect
    .poll(async () => (await window.request('session.open', { sessionId })).seenFrom, { timeout: LONG })
    .not.toBeNull();
  await window.rested(sessionId);
  await app.close();
  await begin();
  await window.show(sessionId);
  await window.say('Go on');
  await answered(window.page, 'Going on.');
  const block = lastSent().filter((text) => text.includes('<pinned>'));
  expect(block).toHaveLength(1);
  expect(block[0]).toContain('user:\nQuestion 0: keep the old table readable until Friday.');
  expect(block[0]).toContain('result of bash:\nthe port is 4711');
  await openMeter();
  await expect(list()).toContainText('Question 0');
  await takeShots(app, 'pins-after');
  await list()
    .getByRole('button', { name: /Question 0: keep/ })
    .first()
    .click();
  const question = mine('Question 0');
  await expect(question).toBeInViewport();
  await expect(mark(question)).toBeVisible();
  await takeShots(app, 'pins-summarised');
  await mark(question).click();
  await window.say('And on');
  await window.rested(sessionId);
  await expect.poll(() => lastSent().at(-1)).toContain('And on');
  expect(lastSent().join('\n')).not.toContain('Question 0: keep');
});
