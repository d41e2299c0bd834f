import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { act, looksRight, messageWith } from '../support/e2e/branches';
import { answered, LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** Branches that are begun by sending: the chip, the summary on the way, prepared ones, a restart (BR4, GR13). */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

const mine = (text: string): Locator => messageWith(window, text, 'user');
const reply = (text: string): Locator => messageWith(window, text, 'assistant');
const feed = (): Locator => window.page.locator('[data-transcript]');
const chip = (): Locator => window.page.getByRole('group', { name: 'Where your message goes' });
const along = (): Locator => chip().getByRole('checkbox', { name: 'take a summary along' });
const queue = (): Locator => window.page.getByRole('region', { name: 'Unsent messages' });
const prepared = (text: string): Locator => queue().getByRole('listitem').filter({ hasText: text });
const sent = (): string[] => sentMessages(server.requests.at(-1)!).map(({ text }) => text);
const leafOf = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;

async function talk(question: string, answer: string): Promise<void> {
  server.script(answer);
  await window.say(question);
  await answered(window.page, answer);
  await window.rested(sessionId);
}

async function restart(how: 'close' | 'kill'): Promise<void> {
  expect(app.problems).toEqual([]);
  await app[how]();
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.show(sessionId);
}

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  sessionId = await window.startSession('A tree', modelOf(endpointOn(server.url, 'loopback')));
  await talk('Which parser?', 'There are two ways.');
  await talk('Try the first', 'The first one works.');
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('BR4: the chip says where the draft goes; HEAD and its draft stay, and both drafts outlive a restart', async () => {
  const leaf = await leafOf();
  await window.composer.fill('For HEAD, later');
  await act(reply('There are two ways.'), 'Branch from here');
  await expect(window.composer).toBeFocused();
  await expect(window.composer).toHaveValue('');
  await expect(chip()).toContainText('New branch from ‹Which parser?› · 1 turn');
  await expect(chip()).toContainText('stays behind');
  await expect(along()).not.toBeChecked();
  await expect(feed()).toContainText('The first one works.');
  await along().check();
  await chip().getByRole('textbox', { name: 'Focus the summary on' }).fill('what was slow');
  await window.composer.fill('Try the second');
  await looksRight(app, window, 'branch-chip');
  await restart('close');
  await expect(window.composer).toHaveValue('Try the second', { timeout: LONG });
  await expect(chip()).toContainText('New branch from ‹Which parser?›');
  await expect(along()).toBeChecked();
  await expect(chip().getByRole('textbox')).toHaveValue('what was slow');
  expect(await leafOf()).toBe(leaf);
  await chip().getByRole('button', { name: 'Back to HEAD' }).click();
  await expect(chip()).toHaveCount(0);
  await expect(window.composer).toHaveValue('For HEAD, later');
  await window.page.getByRole('button', { name: 'Discard' }).click();
  await window.composer.fill('');
});

test('BR4: cancelled in mid-summary, everything is as it was and the text is in the composer; sent, it follows its summary', async () => {
  const leaf = await leafOf();
  const held = gate();
  server.script({ text: '## Goal\nThe first way was slow.', chunkChars: 4, holdAt: { frame: 3, until: held.until } });
  await act(mine('Try the first'), 'Edit and resend');
  await along().check();
  await window.composer.fill('Try the second');
  await window.composer.press('Enter');
  const job = window.page.getByRole('region', { name: 'Summarising the branch you are leaving' });
  await expect(job).toContainText('## Goal', { timeout: LONG });
  await expect(prepared('Try the second')).toContainText('being sent');
  await window.shot('branch-summary-on-the-way');
  await job.getByRole('button', { name: 'Cancel' }).click();
  await expect(window.composer).toHaveValue('Try the second');
  await expect(chip()).toContainText('New version of ‹Try the first›');
  await expect(queue()).toHaveCount(0);
  await expect(window.page.getByText('You cancelled the summary. Nothing was changed.')).toBeVisible();
  expect(await leafOf()).toBe(leaf);
  held.open();
  await window.rested(sessionId);

  server.script((request) =>
    JSON.stringify(request.body).includes('Try the second') ? 'The second one is quick.' : '## Goal\nIt was slow.',
  );
  await window.composer.press('Enter');
  await answered(window.page, 'The second one is quick.');
  await window.rested(sessionId);
  await expect(chip()).toHaveCount(0);
  await expect(feed()).not.toContainText('The first one works.');
  expect(sent().slice(0, 2)).toEqual(['Which parser?', 'There are two ways.']);
  expect(sent()[2]).toContain('It was slow.');
  expect(sent().at(-1)).toBe('Try the second');
  // What was left is one key away.
  await window.page.keyboard.press('Alt+ArrowLeft');
  await expect(feed()).toContainText('The first one works.');
  await window.page.keyboard.press('Alt+ArrowRight');
  await expect(feed()).toContainText('The second one is quick.');
});

test('GR13: while the agent works a branch is prepared, and HEAD can be steered; it begins when the agent rests', async () => {
  const held = gate();
  server.script([{ text: 'A long answer.', chunkChars: 4, holdAt: { frame: 1, until: held.until } }, 'Steered.', 'Branched.']); // prettier-ignore
  await window.say('Take your time');
  await expect(window.button('Stop')).toBeVisible();
  await act(reply('There are two ways.'), 'Branch from here');
  await expect(chip()).toContainText('sent when the agent rests');
  await expect(window.button('Prepare')).toHaveCount(0);
  await window.composer.fill('A third way');
  await expect(window.button('Prepare')).toBeVisible();
  await window.composer.press('Enter');
  await expect(chip()).toHaveCount(0);
  await expect(prepared('A third way')).toContainText('from ‹Which parser?›');
  await expect(prepared('A third way')).toContainText('when the agent rests');
  // The graph has it where it will stand.
  await window.page.keyboard.press('Control+Shift+G');
  const ghost = window.page.locator('[data-pane="graph"] [data-ghost="prepared"]');
  await expect(ghost).toContainText('A third way');
  await expect(ghost).toContainText('sent when the agent rests');
  await expect(ghost).toBeInViewport({ ratio: 0.99 });
  await window.shot('graph-prepared');
  await window.page.keyboard.press('Control+Shift+G');
  await expect(ghost).toHaveCount(0);
  await window.composer.fill('Be brief');
  await window.composer.press('Enter');
  await expect(queue().getByRole('listitem')).toHaveCount(2);
  await expect(queue().getByRole('listitem').first()).toContainText('Be brief');
  await looksRight(app, window, 'prepared');
  // It can be changed until then.
  await prepared('A third way').getByRole('button', { name: 'Edit this message' }).click();
  await expect(window.composer).toHaveValue('A third way');
  await expect(chip()).toContainText('New branch from ‹Which parser?›');
  await window.composer.fill('A fourth way');
  await window.composer.press('Enter');
  await expect(prepared('A fourth way')).toBeVisible();
  held.open();
  await answered(window.page, 'Branched.');
  await window.rested(sessionId);
  expect(sent()).toEqual(['Which parser?', 'There are two ways.', 'A fourth way']);
  await expect(queue()).toHaveCount(0);
  const steered = server.requests.map((request) => sentMessages(request).map(({ text }) => text));
  expect(steered.filter((texts) => texts.at(-1) === 'Be brief')).toHaveLength(1);
});

test('GR13: a kill while it waits: it stands unsent with its target, and is sent or removed from there', async () => {
  const never = gate();
  server.script({ text: 'Never ends.', chunkChars: 4, holdAt: { frame: 1, until: never.until } });
  await window.say('Go on');
  await expect(window.button('Stop')).toBeVisible();
  for (const text of ['First prepared', 'Second prepared']) {
    await act(reply('There are two ways.'), 'Branch from here');
    await window.composer.fill(text);
    await window.composer.press('Enter');
    // Until then it is on its way, and the draft has it.
    await expect(prepared(text)).toContainText('when the agent rests');
  }
  await restart('kill');
  never.open();
  await expect(prepared('First prepared')).toContainText('not sent', { timeout: LONG });
  await expect(prepared('Second prepared')).toContainText('from ‹Which parser?›');
  await window.shot('prepared-after-restart');
  await prepared('First prepared').getByRole('button', { name: 'Remove this message' }).click();
  await expect(prepared('First prepared')).toHaveCount(0);
  server.script('It was sent.');
  await prepared('Second prepared').getByRole('button', { name: 'Send' }).click();
  await answered(window.page, 'It was sent.');
  await window.rested(sessionId);
  expect(sent()).toEqual(['Which parser?', 'There are two ways.', 'Second prepared']);
  await expect(queue()).toHaveCount(0);
});

test('GR24: Esc goes back to HEAD before it stops anything', async () => {
  const held = gate();
  server.script({ text: 'Going on.', chunkChars: 4, holdAt: { frame: 1, until: held.until } });
  await window.say('And now?');
  await expect(window.button('Stop')).toBeVisible();
  await act(reply('There are two ways.'), 'Branch from here');
  await expect(chip()).toBeVisible();
  await window.composer.press('Escape');
  await expect(chip()).toHaveCount(0);
  await expect(window.button('Stop')).toBeVisible();
  held.open();
  await answered(window.page, 'Going on.');
});
