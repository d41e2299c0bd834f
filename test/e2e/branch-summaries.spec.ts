import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { act, entryId, looksRight, messageWith } from '../support/e2e/branches';
import { GraphPage } from '../support/e2e/graph';
import { answered, LONG } from '../support/e2e/chat';
import { journals } from '../support/e2e/files';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { sentContext, sentMessages, type CapturedRequest, type ModelServer } from '../support/model-server'; // prettier-ignore

/** Leaving a branch with and without a summary, its marker, a handoff: each through the real app and the loopback server. */
test.describe.configure({ mode: 'serial' });

const SUMMARY = '## Goal\nTry the scanner.\n\n## Done\n- The scanner was too slow';
const home = sharedHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;
/** The reply on the branch that is gone to. */
let trunk: string;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const feed = (): Locator => window.page.locator('[data-transcript]');
const reply = (text: string): Locator => messageWith(window, text, 'assistant');
const leave = (): Locator => window.page.getByRole('dialog', { name: 'Leave this branch?' });
const writing = (): Locator => window.page.getByRole('dialog', { name: 'Summarising this branch' });
const marker = (): Locator => window.transcript.locator('[data-kind="branchSummary"]');
const leafOf = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;
const lastSent = (): string[] =>
  sentMessages(server.requests.filter((request) => !isSummary(request)).at(-1)!).map(({ text }) => text);

async function talk(question: string, answer: string, shown = answer): Promise<void> {
  server.script((request) => (isSummary(request) ? SUMMARY : answer));
  await window.say(question);
  await answered(window.page, shown);
  await window.rested(sessionId);
}

const bar = (): Locator => window.page.getByRole('region', { name: 'Reading another branch' });

/** HEAD goes to the branch that is read. */
async function goToRead(): Promise<void> {
  await bar()
    .getByRole('button', { name: /^Go here/ })
    .click();
}

/** Asks to go to the trunk, by the reference that the newest reply holds. */
async function askToLeave(): Promise<void> {
  // It is read on where going there was cancelled.
  if (await bar().isVisible()) await bar().getByRole('button', { name: /^Back/ }).click();
  await reply('Back there')
    .getByRole('button', { name: /^message / })
    .click();
  await goToRead();
  await expect(leave()).toBeVisible();
}

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'retry.baseDelayMs', value: 0 });
  sessionId = await window.startSession('Two ways', modelOf(endpointOn(server.url, 'loopback')));
  await talk('Which parser?', 'There are two ways.');
  await talk('Try the first', 'The first one works.');
  trunk = await entryId(reply('The first one works.'));
  await act(reply('There are two ways.'), 'Branch from here');
  await talk('Try the scanner', 'It is slow.');
  await talk('And then?', `Back there: [entry:${trunk}]`, 'Back there: message');
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

test('the dialog tells what is left and offers three ways; Escape changes nothing', async () => {
  const before = journals(home);
  await askToLeave();
  await expect(leave()).toContainText('4 messages');
  await expect(leave().getByRole('radio', { name: /^No summary/ })).toBeChecked();
  await looksRight(app, window, 'leave');
  await leave()
    .getByRole('radio', { name: /with instructions/ })
    .check();
  await expect(leave().getByRole('textbox')).toBeFocused();
  await window.shot('leave-instructions');
  await window.page.keyboard.press('Escape');
  await expect(leave()).toHaveCount(0);
  expect(journals(home)).toBe(before);
});

test('a summary is cancelled while it is written: the session is as it was', async () => {
  const before = journals(home);
  const held = gate();
  server.script({ text: SUMMARY, chunkChars: 8, holdAt: { frame: 4, until: held.until } });
  await askToLeave();
  await leave()
    .getByRole('radio', { name: /^Summarise/ })
    .first()
    .check();
  await leave().getByRole('button', { name: 'Summarise and go' }).click();
  await expect(writing().getByRole('region', { name: 'The summary so far' })).toContainText('## Goal', {
    timeout: LONG,
  });
  await looksRight(app, window, 'leave-writing');
  await window.page.keyboard.press('Escape');
  await expect(leave()).toContainText('You cancelled the summary', { timeout: LONG });
  await window.shot('leave-cancelled');
  held.open();
  await window.page.keyboard.press('Escape');
  expect(journals(home)).toBe(before);
  await window.rested(sessionId);
});

test('a summary that fails says what is safe', async () => {
  const before = await leafOf();
  server.script({ error: { status: 400, body: { error: { message: 'The loopback model refuses' } } } });
  await askToLeave();
  // BR3: each time what the setting says, whatever was chosen before.
  await expect(leave().getByRole('radio', { name: /^No summary/ })).toBeChecked();
  await leave()
    .getByRole('radio', { name: /^Summarise/ })
    .first()
    .check();
  await leave().getByRole('button', { name: 'Summarise and go' }).click();
  await expect(leave()).toContainText('You have not left this branch', { timeout: LONG });
  await expect(window.page.getByRole('region', { name: /^Notices/ }).getByRole('listitem')).toHaveCount(0);
  await looksRight(app, window, 'leave-failed');
  await window.page.keyboard.press('Escape');
  expect(await leafOf()).toBe(before);
});

test('TS9: a branch is left with a summary as told: it stands where the person goes, and the model receives it', async () => {
  server.script((request) => (isSummary(request) ? SUMMARY : 'Understood.'));
  const left = await leafOf();
  await askToLeave();
  await leave()
    .getByRole('radio', { name: /with instructions/ })
    .check();
  await leave().getByRole('textbox').fill('Look at its speed');
  // GR23: Enter takes the choice, as it does on the choices themselves.
  await leave().getByRole('textbox').press('Enter');
  await expect(leave()).toHaveCount(0, { timeout: LONG });
  await expect(marker()).toContainText('From “', { timeout: LONG });
  await expect(feed()).toContainText('The first one works.');
  await expect(feed()).not.toContainText('It is slow.');
  const asked = sentMessages(server.requests.filter(isSummary).at(-1)!)[0]!.text;
  expect(asked).toContain('Try the scanner');
  expect(asked).toContain('Look at its speed');
  await marker().getByRole('button', { name: 'Summary', exact: true }).click();
  await expect(marker()).toContainText('The scanner was too slow');
  await looksRight(app, window, 'branch-marker');
  await talk('Go on', 'Understood.');
  expect(lastSent().join('\n')).toContain('The scanner was too slow');
  expect(lastSent().join('\n')).not.toContain('It is slow.');
  await marker().getByRole('button', { name: 'Read that branch' }).click();
  await expect(feed()).toContainText('It is slow.');
  await goToRead();
  await leave()
    .getByRole('radio', { name: /^No summary/ })
    .check();
  await leave()
    .getByRole('radio', { name: /^No summary/ })
    .press('Enter');
  // What was read stands there before HEAD has come.
  await expect.poll(leafOf, { timeout: LONG }).toBe(left);
  await expect(feed()).toContainText('It is slow.');
});

test('asked never again, it goes as was chosen', async () => {
  await askToLeave();
  await expect(leave().getByRole('radio', { name: /^No summary/ })).toBeChecked();
  await leave().getByRole('checkbox').check();
  await leave().getByRole('button', { name: 'Go', exact: true }).click();
  await expect(feed()).toContainText('The first one works.');
  // As long as it is there it has the keyboard.
  await expect(leave()).toHaveCount(0);
  await window.page.keyboard.press('Alt+ArrowLeft');
  await expect(feed()).toContainText('It is slow.');
  await reply('Back there')
    .getByRole('button', { name: /^message / })
    .click();
  await goToRead();
  await expect(feed()).toContainText('The first one works.');
  await expect(leave()).toHaveCount(0);
});

test('a handoff drafts the first message of a new session, which says where it comes from', async () => {
  await window.rested(sessionId);
  const before = await leafOf();
  const held = gate();
  const draft = 'Build the parser in the first way.';
  server.script((request) =>
    isSummary(request) ? { text: draft, chunkChars: 6, holdAt: { frame: 4, until: held.until } } : 'On it.',
  );
  await window.say('/handoff build the parser\nwithout the scanner');
  const card = window.page.getByRole('region', { name: 'Drafting the first message of a new session' });
  await expect(card).toContainText('Build', { timeout: LONG });
  await looksRight(app, window, 'handoff');
  await card.getByRole('button', { name: 'Cancel' }).click();
  await expect(window.page.getByText('Handoff cancelled').first()).toBeVisible({ timeout: LONG });
  held.open();
  await window.rested(sessionId);

  server.script((request) => (isSummary(request) ? draft : 'On it.'));
  await window.page.keyboard.press('Control+k');
  await window.page.getByPlaceholder('What do you want to do?').fill('hand off');
  await window.page.keyboard.press('Enter');
  const dialog = window.page.getByRole('dialog', { name: 'Hand off to a new session' });
  await dialog.getByRole('textbox').fill('Build the parser');
  await looksRight(app, window, 'handoff-goal');
  await dialog.getByRole('button', { name: 'Write draft' }).click();
  await expect(window.composer).toHaveValue(new RegExp(draft), { timeout: LONG });
  expect(await leafOf()).toBe(before);
  const made = await window.shownId();
  expect(made).not.toBe(sessionId);
  await expect(feed()).toContainText('Handed off from');
  await looksRight(app, window, 'handed-off');
  await window.composer.fill(`${draft} Begin.`);
  await window.composer.press('Enter');
  await answered(window.page, 'On it.');
  const sent = server.requests.map((request) => sentMessages(request).map(({ text }) => text));
  expect(sent).toContainEqual([`${draft} Begin.`]);
  await window.transcript.getByRole('button', { name: 'Two ways' }).click();
  await expect(window.row(sessionId)).toHaveAttribute('aria-current', 'true');
});

test('a branch is brought over: its conflict is named, its summary is read and changed before it lands', async () => {
  sessionId = await window.startSession('Two hands', modelOf(endpointOn(server.url, 'loopback')));
  const write = async (question: string, answer: string): Promise<void> => {
    const content = `${answer}\n`;
    let asked = 0;
    server.script((request) => {
      if (isSummary(request)) return SUMMARY;
      if (asked++ > 0) return answer;
      return { content: [{ type: 'toolCall', name: 'write', arguments: { path: 'notes.md', content } }] };
    });
    await window.say(question);
    await window.button('Write once').click({ timeout: LONG });
    await answered(window.page, answer);
    await window.rested(sessionId);
  };
  await talk('Begin', 'Ready.');
  await write('Take the left hand', 'Left is done.');
  // Gone on with, it is a branch of the graph and no variant of the question after it (GR5).
  await talk('Is that all?', 'That is all.');
  await act(reply('Ready.'), 'Branch from here');
  await write('Take the right hand', 'Right is done.');

  const graph = new GraphPage(window.page);
  const show = window.button('Show branches');
  if (await show.isVisible()) await show.click();
  const sheet = window.page.getByRole('dialog', { name: 'Bring a branch over' });
  const open = async (): Promise<void> => {
    const { x, y } = await graph.middleOf(graph.titled('Take the left hand').first());
    await window.page.mouse.click(x, y, { button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Bring its summary to HEAD…' }).click();
    await expect(sheet).toContainText('Both branches changed 1 file', { timeout: LONG });
  };
  const before = journals(home);
  await open();
  await expect(sheet.getByRole('list', { name: 'Files that both branches changed' })).toContainText('notes.md');
  await looksRight(app, window, 'bring-over');
  server.script((request) => (isSummary(request) ? SUMMARY : 'Both hands then.'));
  // It has had the keyboard since before it could.
  await expect(sheet.getByRole('button', { name: 'Write the summary' })).toBeFocused();
  await window.page.keyboard.press('Enter');
  await expect(sheet.getByRole('textbox', { name: 'Summary' })).toHaveValue(/Try the scanner/, { timeout: LONG });
  await looksRight(app, window, 'bring-over-review');
  await sheet.getByRole('button', { name: 'Cancel' }).click();
  await expect(sheet).toContainText('Nothing was brought over', { timeout: LONG });
  expect(journals(home)).toBe(before);

  await sheet.getByRole('textbox', { name: 'Focus on' }).fill('The left hand');
  await sheet.getByRole('button', { name: 'Write the summary' }).click();
  await sheet.getByRole('textbox', { name: 'Summary' }).fill('The left hand wrote notes.md.', { timeout: LONG });
  await window.page.keyboard.press('Escape');
  const card = window.page.getByRole('region', { name: 'Summarising the other branch' });
  await card.getByRole('button', { name: 'Review' }).click();
  const summary = sheet.getByRole('textbox', { name: 'Summary' });
  await expect(summary).toHaveValue('The left hand wrote notes.md.');
  // As much as that would hold the window for seconds, at every key.
  await summary.fill('x'.repeat(1_000_001), { timeout: 2 * LONG });
  await expect(sheet.getByText('A summary can have at most 100,000 characters')).toBeVisible({ timeout: LONG });
  await looksRight(app, window, 'bring-over-long');
  await expect(summary).toHaveValue('The left hand wrote notes.md.');
  await sheet.getByRole('button', { name: 'Bring over' }).click();
  await expect(sheet).toHaveCount(0, { timeout: LONG });
  await expect(marker()).toContainText('Brought over from “', { timeout: LONG });
  await expect(marker()).toContainText('both branches changed 1 file');
  // The result of the tool is not summarised.
  await expect(marker()).toContainText('5 of 6 messages');
  await looksRight(app, window, 'brought-over');
  await talk('Go on', 'Both hands then.');
  expect(lastSent().join('\n')).toContain('The left hand wrote notes.md.');
  await expect(feed()).toContainText('Right is done.');
});

test('from the graph a branch is left with a summary, which goes on when the window is loaded anew', async () => {
  const graph = new GraphPage(window.page);
  await window.rested(sessionId);
  const { x, y } = await graph.middleOf(graph.titled('Take the left hand').first());
  await window.page.mouse.click(x, y);
  await window.page.keyboard.press('s');
  await expect(leave()).toBeVisible({ timeout: LONG });
  // Asked for with one, it is chosen.
  await expect(
    leave()
      .getByRole('radio', { name: /^Summarise/ })
      .first(),
  ).toBeChecked();
  const held = gate();
  const text = '## Goal\nSay what the right hand did.';
  server.script({ text, chunkChars: 8, holdAt: { frame: 4, until: held.until } });
  await leave().getByRole('button', { name: 'Summarise and go' }).click();
  await expect(writing().getByRole('region', { name: 'The summary so far' })).toContainText('## Goal', {
    timeout: LONG,
  });
  await window.page.reload();
  const card = window.page.getByRole('region', { name: 'Summarising the branch you are leaving' });
  await expect(card).toBeVisible({ timeout: LONG });
  await expect(card.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await looksRight(app, window, 'leave-card');
  held.open();
  await expect(card).toHaveCount(0, { timeout: LONG });
  await expect(feed()).toContainText('Left is done.', { timeout: LONG });
  await expect(feed()).not.toContainText('Right is done.');
  await expect(marker()).toContainText('From “Take the right hand”');
  await talk('Go on with the left', 'Left it is.');
  expect(lastSent().join('\n')).toContain('Say what the right hand did.');
});
