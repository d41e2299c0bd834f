import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answered, LONG } from '../support/e2e/chat';
import { expectedContext } from '../support/e2e/expected-context';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { journals } from '../support/e2e/files';
import { AppWindow } from '../support/e2e/window';
import { oldSessions, writeSession } from '../support/golden-sessions';
import { sentContext, sentMessages, startModelServer, type CapturedRequest, type ModelServer } from '../support/model-server'; // prettier-ignore

/** A session is compacted by the person: seen while it happens, marked afterwards, taken back. */
test.describe.configure({ mode: 'serial' });

const SUMMARY = '## Goal\nShip the parser.\n\n## Next Steps\n1. Test it';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const marker = (): Locator => window.transcript.getByText(/Compacted \d+ messages/);
const card = (): Locator => window.page.getByRole('region', { name: 'Compaction' });
const meterFigure = (): Promise<string> => window.page.getByRole('button', { name: /^Context:/ }).innerText();

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  sessionId = await window.startSession('A long one', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('/compact shows the summary as it is written; Escape ends it and nothing was changed', async () => {
  for (let turn = 0; turn < 4; turn++) {
    server.script(`Answer ${turn}. ${WORDS}`);
    await window.say(`Question ${turn}: ${WORDS}`);
    await answered(window.page, `Answer ${turn}.`);
  }
  const before = journals(home);
  const never = gate();
  server.script({ text: `${SUMMARY} and more`, chunkChars: 4, holdAt: { frame: 8, until: never.until } });
  await window.say('/compact look at the parser');
  await expect(card()).toContainText('Compacting', { timeout: LONG });
  await expect(card()).toContainText('## Goal', { timeout: LONG });
  await window.shot('compacting');
  await window.composer.press('Escape');
  await expect(card()).toHaveCount(0, { timeout: LONG });
  await expect(window.page.getByText('Compaction cancelled. The session is unchanged.').first()).toBeVisible();
  never.open();
  expect(journals(home)).toBe(before);
});

test('a message that is written meanwhile is sent after it, with the summary in front', async () => {
  const held = gate();
  server.script((request) =>
    isSummary(request)
      ? { text: SUMMARY, chunkChars: 4, holdAt: { frame: 6, until: held.until } }
      : 'After the summary.',
  );
  const before = await meterFigure();
  await window.say('/compact');
  await expect(card()).toContainText('## Goal', { timeout: LONG });
  await window.say('What next?');
  held.open();
  await expect(marker()).toBeVisible({ timeout: LONG });
  await answered(window.page, 'After the summary.');
  const sent = sentMessages(server.requests.at(-1)!).map(({ text }) => text);
  expect(sent[0]).toContain(`<summary>\n${SUMMARY}\n</summary>`);
  expect(sent.at(-1)).toBe('What next?');
  // The person's own words stand beside the summary (PN4), and nothing else of what it covers.
  expect(sent.join('\n').replace(/<pinned>.*?<\/pinned>/s, '')).not.toContain('Question 1');
  expect(await meterFigure()).not.toBe(before);
  await window.shot('compacted');
});

test('Undo: the model sees the whole again, and what was said since', async () => {
  await window.rested(sessionId);
  await window.transcript.getByRole('button', { name: 'Undo' }).click();
  await expect(marker()).toHaveCount(0, { timeout: LONG });
  server.script('I see all of it.');
  await window.say('And now?');
  await answered(window.page, 'I see all of it.');
  const sent = sentMessages(server.requests.at(-1)!).map(({ text }) => text);
  expect(sent[0]).toContain('Question 0');
  expect(sent.join('\n')).not.toContain('<summary>');
  expect(sent.slice(-3)).toEqual(['What next?', 'After the summary.', 'And now?']);
});

test('a failure says why; /autocompact says what holds now', async () => {
  server.script((request) => (isSummary(request) ? ' ' : 'OK.'));
  await window.say('/compact');
  const failed = window.page.getByRole('alert', { name: 'Compaction' });
  await expect(failed).toContainText('Summarization failed: empty summary. The session is unchanged.', {
    timeout: LONG,
  });
  // There is no other model.
  await expect(failed.getByRole('button')).toHaveText(['Try again', 'Dismiss']);
  await failed.getByRole('button', { name: 'Dismiss' }).click();
  await expect(failed).toHaveCount(0);
  await window.say('/autocompact');
  await expect(window.page.getByText(/Automatic compaction is off/).first()).toBeVisible({ timeout: LONG });
  await window.say('/autocompact off');
  await expect(window.page.getByText(/Automatic compaction is off/).first()).toBeVisible({ timeout: LONG });
  await window.say('/autocompact on');
  await expect(window.page.getByText(/Automatic compaction is on/).first()).toBeVisible({ timeout: LONG });
  await expect(window.page.getByText(/Automatic compaction is off/)).toHaveCount(0);
});

test('a long session, twice, through a model of another provider; each is there after a restart', async () => {
  const [session] = oldSessions();
  if (!session) throw new Error('no session to import');
  const { entries, calibrated } = session.figures;
  const path = writeSession(home, session);
  const { provider, modelId } = modelOf(endpointOn(server.url, 'loopback'));
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 20_000 });
  await window.request('settings.set', { key: 'compaction.model', value: `${provider}/${modelId}` });
  await window.importByMenu([path]);
  const told = `${entries.toLocaleString('en-US')} entries. The original file is unchanged.`;
  await expect(window.page.getByText(told).first()).toBeVisible({ timeout: LONG });
  const imported = await window.shownId();
  server.script((request) => (isSummary(request) ? SUMMARY : 'Going on.'));
  await window.say('/compact');
  await expect(
    window.transcript.getByText(`Compacted ${calibrated.summarised + calibrated.prefix} messages`),
  ).toBeVisible({ timeout: LONG });
  await window.shot('compacted-long');
  await window.say('/compact');
  // Nothing is due: the sheet says so, and compacts all the same where the person wants it.
  const sheet = window.page.getByRole('dialog', { name: 'Compact this session' });
  await expect(sheet).toContainText('Nothing needs compacting yet.', { timeout: LONG });
  await window.page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await window.request('session.setModel', { sessionId: imported, ...modelOf(endpointOn(server.url, 'loopback')) });
  await window.say('Go on');
  await answered(window.page, 'Going on.');
  const afterFirst = sentMessages(server.requests.at(-1)!);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 2000 });
  await window.say('/compact');
  await expect.poll(async () => (await window.summary(imported)).compactions, { timeout: LONG }).toBe(2);
  await app.close();
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.show(imported);
  expect((await window.summary(imported)).compactions).toBe(2);
  await expect(marker().first()).toBeVisible({ timeout: LONG });

  // Undone one after the other: each time what is sent is what was sent before it, and what was said since.
  const said = { role: 'assistant', text: 'Going on.', images: 0 };
  const asked = (text: string): unknown => ({ role: 'user', text, images: 0 });
  const undoLatest = async (): Promise<void> => {
    const { rows } = await window.request('session.open', { sessionId: imported });
    const latest = rows.filter(({ kind }) => kind === 'compaction').at(-1);
    await window.request('session.undoCompaction', { sessionId: imported, entryId: latest?.id ?? '' });
  };
  const sentFor = async (text: string): Promise<unknown[]> => {
    const before = server.requests.length;
    await window.say(text);
    await server.received(before + 1);
    await window.rested(imported);
    return sentMessages(server.requests.at(-1)!);
  };
  await undoLatest();
  expect(await sentFor('Once more')).toEqual([...afterFirst, said, asked('Once more')]);
  await undoLatest();
  const whole = expectedContext(path, 'Go on');
  expect(await sentFor('And all')).toEqual([...whole, said, asked('Once more'), said, asked('And all')]);
});
