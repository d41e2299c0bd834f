import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { act, choose, entryId, looksRight, messageWith, nextMark } from '../support/e2e/branches';
import { answered, LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** Branches from the transcript: versions, edit, answer again, branch, label, hide, clear, back, fork, references, context. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

const mine = (text: string): Locator => messageWith(window, text, 'user');
const feed = (): Locator => window.page.locator('[data-transcript]');
const reply = (text: string): Locator => messageWith(window, text, 'assistant');
const strip = (): Locator => window.page.getByRole('group', { name: 'Where your message goes' });
const versions = (message: Locator): Locator => message.getByRole('group', { name: 'Ways from here' });
const toast = (text: string): Locator =>
  window.page
    .getByRole('region', { name: /^Notices/ })
    .getByText(text)
    .first();
const sent = (): string[] => sentMessages(server.requests.at(-1)!).map(({ text }) => text);
const leafOf = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;

/** Every toolbar of a row acts: what it said in a move does not stay. */
async function toolbarsAct(message: Locator): Promise<void> {
  await expect(message.getByRole('toolbar').getByRole('button')).not.toHaveCount(0);
  await expect(feed().locator('[role="toolbar"] [aria-disabled="true"]')).toHaveCount(0);
}

async function talk(question: string, answer: string): Promise<void> {
  server.script(answer);
  await window.say(question);
  await answered(window.page, answer);
  await window.rested(sessionId);
}

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  sessionId = await window.startSession('A tree', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('a message is edited and sent again: a branch beside the old one; Escape goes back without a trace', async () => {
  await talk('Question 0', 'Answer 0.');
  await talk('Question 1', 'Answer 1.');
  const leaf = await leafOf();
  await act(mine('Question 1'), 'Edit and resend');
  await expect(window.composer).toHaveValue('Question 1');
  await expect(window.composer).toBeFocused();
  await expect(strip()).toContainText('New version of ‹Question 1› · 1 turn');
  await expect(feed()).toContainText('Answer 1.');
  await looksRight(app, window, 'edit-strip');
  await window.composer.press('Escape');
  await expect(feed()).toContainText('Answer 1.');
  await toolbarsAct(reply('Answer 1.'));
  await expect(window.composer).toHaveValue('');
  await expect(strip()).toHaveCount(0);
  expect(await leafOf()).toBe(leaf);

  await act(mine('Question 1'), 'Edit and resend');
  await expect(window.composer).toHaveValue('Question 1');
  await talk('Question 1, other words', 'Answer 1b.');
  await expect(strip()).toHaveCount(0);
  await expect(versions(mine('Question 1, other words'))).toContainText('2/2');
  expect(sent()).toEqual(['Question 0', 'Answer 0.', 'Question 1, other words']);
});

test('arrows walk the versions, by the mouse and by the keyboard', async () => {
  await versions(mine('Question 1, other words')).getByRole('button', { name: 'Earlier way from here' }).click();
  await expect(feed()).toContainText('Answer 1.');
  await expect(versions(mine('Question 1'))).toContainText('1/2');
  const later = versions(mine('Question 1')).getByRole('button', { name: 'Later way from here' });
  await expect(later).toBeFocused();
  await toolbarsAct(reply('Answer 1.'));
  await looksRight(app, window, 'versions');
  await window.page.keyboard.press('Enter');
  await expect(feed()).toContainText('Answer 1b.');
  await expect(
    versions(mine('Question 1, other words')).getByRole('button', { name: 'Earlier way from here' }),
  ).toBeFocused();
});

test('Back and Forward walk what was visited, and what they lead to can be acted on', async () => {
  await expect(window.button('Back to the previous branch')).not.toHaveAttribute('aria-disabled', 'true');
  await window.page.keyboard.press('Alt+ArrowLeft');
  await expect(feed()).toContainText('Answer 1.');
  await toolbarsAct(reply('Answer 1.'));
  await expect(window.button('Forward to the next branch')).not.toHaveAttribute('aria-disabled', 'true');
  await window.page.keyboard.press('Alt+ArrowRight');
  await expect(feed()).toContainText('Answer 1b.');
  await toolbarsAct(reply('Answer 1b.'));
  await window.button('Back to the previous branch').click();
  await expect(feed()).toContainText('Answer 1.');
  await window.button('Forward to the next branch').click();
  await expect(feed()).toContainText('Answer 1b.');
  await reply('Answer 1b.').hover();
  await reply('Answer 1b.').getByRole('button', { name: 'Branch from here' }).hover();
  await window.shot('action-name');
});

test('an answer is asked for again: its versions stand on the reply', async () => {
  server.script('Answer 1c.');
  await act(reply('Answer 1b.'), 'Regenerate reply');
  await answered(window.page, 'Answer 1c.');
  await window.rested(sessionId);
  expect(sent()).toEqual(['Question 0', 'Answer 0.', 'Question 1, other words']);
  await expect(versions(reply('Answer 1c.'))).toContainText('2/2');
  // The reply that had the button is gone: the keyboard is where one goes on.
  await expect(window.composer).toBeFocused();
});

test('a branch is begun from a reply', async () => {
  await act(reply('Answer 0.'), 'Branch from here');
  await expect(strip()).toContainText('New branch from ‹Question 0›');
  await expect(window.composer).toBeFocused();
  await looksRight(app, window, 'branch-strip');
  await window.composer.press('Escape');
  await expect(feed()).toContainText('Answer 1c.');
  await act(reply('Answer 0.'), 'Branch from here');
  await expect(strip()).toBeVisible();
  await talk('Another way', 'Answer 2.');
  expect(sent()).toEqual(['Question 0', 'Answer 0.', 'Another way']);
  await expect(versions(mine('Another way'))).toContainText('3/3');
});

test('while the agent works, what can’t be done says why', async () => {
  const held = gate();
  server.script({ text: 'Slowly written.', holdAt: { frame: 1, until: held.until } });
  await window.say('Take your time');
  await expect(window.button('Stop')).toBeVisible();
  await act(reply('Answer 2.'), 'Regenerate reply');
  await expect(toast('Wait for the current response to finish')).toBeVisible();
  held.open();
  await answered(window.page, 'Slowly written.');
  await window.rested(sessionId);
});

test('a message gets a label, by its menu and by /label', async () => {
  await choose(window, reply('Answer 2.'), 'Label…');
  const dialog = window.page.getByRole('dialog', { name: 'Label this message' });
  await dialog.getByRole('textbox', { name: 'Label' }).fill('plan v2');
  await looksRight(app, window, 'label');
  await dialog.getByRole('textbox', { name: 'Label' }).press('Enter');
  await expect(reply('Answer 2.').getByRole('button', { name: 'Label plan v2' })).toBeVisible();
  await window.say('/label slow');
  await expect(reply('Slowly written.').getByRole('button', { name: 'Label slow' })).toBeVisible();
  await window.shot('labels');
  await reply('Slowly written.').getByRole('button', { name: 'Label slow' }).click();
  const change = window.page.getByRole('dialog', { name: 'Change label' });
  await change.getByRole('button', { name: 'Remove label' }).click();
  await expect(window.transcript.getByRole('button', { name: 'Label slow' })).toHaveCount(0);
});

test('GR29: the branch in which HEAD is can’t be hidden, one beside it can; the toast brings it back', async () => {
  const leaf = await leafOf();
  await act(mine('Another way'), 'More actions');
  const entry = window.page.getByRole('menuitem', { name: 'Hide this branch' });
  await expect(entry).toBeDisabled();
  await expect(entry).toContainText('HEAD is in it');
  await window.page.keyboard.press('Escape');
  await act(mine('Another way'), 'Earlier way from here');
  await choose(window, mine('Question 1, other words'), 'Hide this branch');
  await expect(toast('The branch is hidden')).toBeVisible();
  await window.page.keyboard.press('Escape');
  await expect(versions(mine('Another way'))).toContainText('2/2');
  await window.page.getByRole('button', { name: 'Undo' }).click();
  await expect(versions(mine('Another way'))).toContainText('3/3');
  expect(await leafOf()).toBe(leaf);
});

test('/clear starts over; the toast takes it back', async () => {
  const leaf = await leafOf();
  await window.say('/clear');
  await expect(window.page.getByText('Question 0')).toHaveCount(0);
  expect(await leafOf()).toBeNull();
  await expect(window.page.getByRole('heading', { name: 'A fresh start' })).toBeVisible();
  await expect(window.button('Model: loopback')).toBeVisible();
  await window.shot('cleared');
  await window.page.getByRole('button', { name: 'Undo' }).click();
  await expect(feed()).toContainText('Slowly written.');
  expect(await leafOf()).toBe(leaf);
});

test('a session is forked: at a message its text comes along, as a whole the path does', async () => {
  await choose(window, mine('Another way'), 'Fork to a new session');
  await expect(window.composer).toHaveValue('Another way');
  await expect(feed()).toContainText('Answer 0.');
  await expect(feed()).not.toContainText('Answer 2.');
  expect(await window.shownId()).not.toBe(sessionId);
  await window.page.getByRole('button', { name: 'Go back to it' }).click();
  await expect(feed()).toContainText('Slowly written.');
  await window.say('/fork');
  await expect(window.row(sessionId)).not.toHaveAttribute('aria-current', 'true');
  await expect(feed()).toContainText('Slowly written.');
  await expect(reply('Answer 2.').getByRole('button', { name: 'Label plan v2' })).toBeVisible();
  await window.show(sessionId);
});

test('a reference to a message leads to it, wherever it stands', async () => {
  const here = await entryId(mine('Question 0'));
  await versions(mine('Another way')).getByRole('button', { name: 'Earlier way from here' }).click();
  await expect(feed()).toContainText('Answer 1c.');
  const elsewhere = await entryId(reply('Answer 1c.'));
  await versions(mine('Question 1, other words')).getByRole('button', { name: 'Later way from here' }).click();
  await expect(feed()).toContainText('Slowly written.');
  const other = await window.startSession('Another session', modelOf(endpointOn(server.url, 'loopback')));
  server.script('Over there.');
  await window.say('Hello');
  await answered(window.page, 'Over there.');
  const abroad = await entryId(reply('Over there.'));
  await window.show(sessionId);
  const text = `See [entry:${here}], [entry:${elsewhere}], [entry:${abroad}], [entry:00000000]; not \`[entry:${here}]\`. End.`;
  await talk('Where was it', 'Fine.');
  server.script(text);
  await window.say('Say so');
  await answered(window.page, 'End.');
  const chips = reply('End.').getByRole('button', { name: /^message / });
  await expect(chips).toHaveCount(4);
  await window.shot('reference-chips');
  const marked = await nextMark(window);
  await chips.nth(0).click();
  expect(await marked()).toBe(here);
  await expect(window.transcript.locator(`[data-entry="${here}"]`)).toBeInViewport();
  await chips.nth(3).click();
  await expect(toast('No session on this computer has that message')).toBeVisible();
  await chips.nth(1).click();
  const bar = window.page.getByRole('region', { name: 'Reading another branch' });
  await expect(bar).toContainText('Question 1, other words');
  await expect(window.transcript.locator(`[data-entry="${elsewhere}"]`)).toBeInViewport();
  await looksRight(app, window, 'elsewhere');
  await bar.getByRole('button', { name: /^Back/ }).click();
  await chips.nth(2).click();
  await expect(window.row(other)).toHaveAttribute('aria-current', 'true');
  await expect(window.transcript.locator(`[data-entry="${abroad}"]`)).toBeVisible();
  await window.show(sessionId);
});

test('what the model saw, and sees, can be read and leads to the messages', async () => {
  await choose(window, reply('Answer 2.'), 'What the model saw here');
  const saw = window.page.getByRole('dialog', { name: 'What the model saw here' });
  await expect(saw.getByRole('listitem').filter({ hasText: 'Another way' })).toBeVisible({ timeout: LONG });
  await expect(saw).not.toContainText('Slowly written.');
  await saw.getByText(/^System prompt/).click();
  await looksRight(app, window, 'context');
  await window.page.keyboard.press('Escape');
  await window.page.keyboard.press('Control+k');
  await window.page.getByPlaceholder('What do you want to do?').fill('model sees now');
  const command = window.page.getByRole('option', { name: 'What the model sees now' });
  await expect(command).toHaveAttribute('aria-selected', 'true');
  await window.page.keyboard.press('Enter');
  const sees = window.page.getByRole('dialog', { name: 'What the model sees now' });
  const first = sees.getByRole('listitem').filter({ hasText: 'Question 0' });
  const marked = await nextMark(window);
  await first.getByRole('button', { name: 'Go to message' }).click();
  const question = await entryId(mine('Question 0'));
  expect(await marked()).toBe(question);
  await expect(sees).toHaveCount(0);
  await expect(window.transcript.locator(`[data-entry="${question}"]`)).toBeInViewport();
  await expect(window.transcript.locator('[data-marked]')).toHaveCount(0);
});

test('a restart lands on the same leaf', async () => {
  const before = await leafOf();
  await versions(mine('Another way')).getByRole('button', { name: 'Earlier way from here' }).click();
  // Much was said after it on the path of HEAD: it is read, and HEAD goes there when it is told to (GR5).
  await expect(feed()).toContainText('Answer 1c.');
  await window.button(/^Go here/).click();
  const leave = window.page.getByRole('dialog', { name: 'Leave this branch?' });
  await leave.getByText('No summary').click();
  await leave.getByRole('button', { name: 'Go', exact: true }).click();
  await expect(window.page.getByRole('region', { name: 'Reading another branch' })).toHaveCount(0);
  await expect.poll(leafOf, { timeout: LONG }).not.toBe(before);
  const leaf = await leafOf();
  expect(app.problems).toEqual([]);
  await app.close();
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.show(sessionId);
  await expect(feed()).toContainText('Answer 1c.', { timeout: LONG });
  expect(await leafOf()).toBe(leaf);
  await expect(versions(mine('Question 1, other words'))).toContainText('2/3');
});

test('a toast that stands there leaves Escape to the dialog and to the run', async () => {
  const held = gate();
  server.script({ text: 'Cut off before it ended.', chunkChars: 4, holdAt: { frame: 2, until: held.until } });
  await window.say('Go on for long');
  await expect(window.button('Stop')).toBeVisible();
  await act(reply('Answer 1c.'), 'Regenerate reply');
  const refusal = toast('Wait for the current response to finish');
  // The pointer on it holds it.
  await refusal.hover();
  const help = window.page.getByRole('dialog', { name: 'Shortcuts and commands' });
  await window.page.keyboard.press('F1');
  await expect(help).toBeVisible();
  await window.page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await window.shot('toast-while-running');
  await window.row(sessionId).focus();
  // GR24: not the one right after an Escape that closed something.
  await expect(async () => {
    await window.page.keyboard.press('Escape');
    await expect(window.button('Stop')).toHaveCount(0, { timeout: 300 });
  }).toPass({ timeout: LONG });
  await expect(refusal).toBeVisible();
  held.open();
  await window.rested(sessionId);

  await window.composer.focus();
  await window.page.keyboard.press('F8');
  await window.page.keyboard.press('Escape');
  await expect(refusal).toHaveCount(0);
  await expect(window.composer).toBeFocused();
});

test('BR1, HF7: a message that a crash left without an answer is edited as any other', async () => {
  const never = new Promise<void>(() => undefined);
  server.script({ text: 'Never said.', holdAt: { frame: 0, until: never } });
  await window.say('Cut me off');
  await expect(mine('Cut me off')).toBeVisible({ timeout: LONG });
  await expect(window.button('Stop')).toBeVisible();
  expect(app.problems).toEqual([]);
  await app.kill();
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.show(sessionId);
  const unanswered = window.page.getByText('This turn has no complete answer');
  await expect(unanswered).toBeVisible({ timeout: LONG });
  const leaf = await leafOf();

  await act(mine('Cut me off'), 'Edit and resend');
  await expect(window.composer).toHaveValue('Cut me off');
  await expect(strip()).toContainText('New version of');
  expect(await leafOf()).toBe(leaf);
  await window.composer.press('Escape');
  await expect(mine('Cut me off')).toBeVisible();
  await expect(unanswered).toBeVisible();
  await expect(window.composer).toHaveValue('');
  expect(await leafOf()).toBe(leaf);

  await act(mine('Cut me off'), 'Edit and resend');
  await expect(window.composer).toHaveValue('Cut me off');
  await talk('Not cut off', 'Answer 4.');
  await expect(versions(mine('Not cut off'))).toContainText('2/2');
  expect(sent()).not.toContain('Cut me off');
});
