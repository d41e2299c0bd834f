import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { allAsked, askedOfSessions, listenToRequests } from '../support/e2e/asked';
import { act, messageWith } from '../support/e2e/branches';
import { answered, LONG } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { sentContext, type CapturedRequest, type ModelServer } from '../support/model-server';

/** EV9: after a session is open, what happens to it comes by itself; nothing of it is asked for again. */
test.describe.configure({ mode: 'serial' });

const SUMMARY = '## Goal\nShip the parser.';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let server: ModelServer;
let sessionId: string;
let otherLeaf: string | null;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const marker = (): Locator => window.transcript.getByText(/Compacted \d+ messages/);
const toast = (text: string): Locator => window.page.getByRole('region', { name: /^Notices/ }).getByText(text).first(); // prettier-ignore
const dialog = (name: string): Locator => window.page.getByRole('dialog', { name });

async function talk(question: string, answer: string): Promise<void> {
  server.script((request) => (isSummary(request) ? SUMMARY : `${answer} ${WORDS}`));
  await window.say(question);
  await answered(window.page, answer);
  await window.rested(sessionId);
}

/** What was asked of the session since the last time, once it rests and bodies are there. */
async function asked(): Promise<string[]> {
  await window.rested(sessionId);
  await expect(window.transcript.locator('[aria-label="Loading"]')).toHaveCount(0);
  return askedOfSessions(app);
}

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(window.page);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  sessionId = await window.startSession('One state', modelOf(endpointOn(server.url, 'loopback')));
  for (const turn of ['first', 'second', 'third']) await talk(`The ${turn} question`, `The ${turn} answer.`);
  await listenToRequests(app);
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

test('a compaction, its undo and its redo ask for nothing afterwards', async () => {
  await window.say('/compact');
  await expect(marker()).toBeVisible({ timeout: LONG });
  await expect(window.transcript.locator('[data-summarised]').first()).toBeVisible();
  // SH2: main finds out whether the person is told something first.
  // The list behind a slash asks which commands there are; nothing of the session.
  const besides = (await asked()).filter((name) => name !== 'session.commands');
  expect(besides).toEqual(['session.compact']);
  await window.transcript.getByRole('button', { name: 'Undo' }).click();
  await expect(window.transcript.getByText('Compaction undone')).toBeVisible({ timeout: LONG });
  await expect(window.transcript.locator('[data-summarised]')).toHaveCount(0);
  expect(await asked()).toEqual(['session.undoPreview', 'session.undoCompaction']);
  await toast('Compaction undone').locator('..').getByRole('button', { name: 'Redo' }).click();
  await expect(marker()).toBeVisible({ timeout: LONG });
  expect(await asked()).toEqual(['session.redoCompaction']);
});

test('an edited question asks for the message alone, and the arrows between its versions for the move', async () => {
  await act(messageWith(window, 'The third question', 'user'), 'Edit and resend');
  await expect(window.composer).toHaveValue('The third question');
  await talk('The third question, other words', 'The other answer.');
  const requests = new Set(await asked());
  expect([...requests].sort()).toEqual(['session.branchPreview', 'session.prompt']);
  otherLeaf = (await window.request('session.open', { sessionId })).leafId;
  await asked();
  const other = messageWith(window, 'The third question, other words', 'user');
  await other.getByRole('button', { name: 'Earlier way from here' }).click();
  await expect(window.transcript).toContainText('The third answer.');
  const moves = await asked();
  expect(moves.filter((name) => name !== 'session.versions')).toEqual(['session.go']);
});

test('GR5: each gone on with, the two are branches of the graph, and the other is one row', async () => {
  await talk('On with the third', 'The third went on.');
  const third = (await window.request('session.open', { sessionId })).leafId;
  await window.request('session.go', { sessionId, targetId: otherLeaf, exact: true, choice: { summarize: false } });
  await talk('On with the other', 'The other went on.');
  await window.request('session.go', { sessionId, targetId: third, exact: true, choice: { summarize: false } });
  await expect(window.transcript).toContainText('The third went on.');
  await expect(graph.closed.filter({ hasText: 'other words' })).toBeVisible();
  await asked();
});

async function dragHead(target: Locator): Promise<void> {
  await graph.dragTo(graph.head, await graph.middleOf(target), 'head');
  await expect(graph.ghost).toContainText('Go to “');
  await askedOfSessions(app);
  await window.page.mouse.up();
}

test('BR3: HEAD dragged in the graph: the question is the answer to the move, and its answer the same request', async () => {
  const target = graph.titled('other words').first();
  await dragHead(target);
  await dialog('Leave this branch?').getByText('No summary').click();
  expect(await askedOfSessions(app)).toEqual(['session.go']);
  await dialog('Leave this branch?').getByRole('button', { name: 'Go', exact: true }).click();
  await expect(graph.titled('On with the other')).toHaveAttribute('data-head', 'true');
  await expect(window.transcript).toContainText('The other answer.');
  expect((await asked()).filter((name) => name !== 'session.versions')).toEqual(['session.go']);
});

test('a branch that is brought over asks for its sheet and for itself', async () => {
  const other = graph.titled(/^(?!.*other words).*The third question/s).first();
  const { x, y } = await graph.middleOf(other);
  await window.page.mouse.click(x, y, { button: 'right' });
  await window.page.getByRole('menuitem', { name: 'Bring its summary to HEAD…' }).click();
  await dialog('Bring a branch over').getByRole('button', { name: 'Write the summary' }).click();
  await dialog('Bring a branch over')
    .getByRole('textbox', { name: 'Summary' })
    .fill('What it found.', { timeout: LONG });
  await dialog('Bring a branch over').getByRole('button', { name: 'Bring over' }).click();
  await expect(window.transcript.locator('[data-kind="branchSummary"]')).toBeVisible({ timeout: LONG });
  expect((await asked()).filter((name) => name !== 'session.versions')).toEqual([
    'session.bringOverPreview',
    'session.bringOver',
    'session.answerReview',
  ]);
});

test('BR3: HEAD dragged where there is no question is one round trip', async () => {
  const target = graph.titled(/^(?!.*other words).*The third question/s).first();
  await window.request('settings.set', { key: 'branchSummary.skipPrompt', value: true });
  await dragHead(target);
  await expect(graph.titled('On with the third')).toHaveAttribute('data-head', 'true');
  await expect(window.transcript).toContainText('The third answer.');
  await window.rested(sessionId);
  // The database acknowledges the record of the move, and this test asks whether it rests; nothing else crosses.
  const aside = ['sync.ack', 'app.bootstrap'];
  expect((await allAsked(app)).filter((name) => !aside.includes(name))).toEqual(['session.go']);
  await window.request('settings.reset', { key: 'branchSummary.skipPrompt' });
});
