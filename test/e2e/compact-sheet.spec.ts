import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG } from '../support/e2e/chat';
import { journals } from '../support/e2e/files';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentContext, sentMessages, startModelServer, type CapturedRequest, type ModelServer } from '../support/model-server'; // prettier-ignore

/** The Compact sheet: the line is dragged and moved by keys, what was chosen is what happens, a review comes before it lands. */
test.describe.configure({ mode: 'serial' });

const SUMMARY = '## Goal\nShip the parser.\n\n## Next Steps\n1. Test it';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(20);
const TURNS = 10;
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const sheet = (): Locator => window.page.getByRole('dialog', { name: 'Compact this session' });
const line = (): Locator => sheet().getByRole('slider', { name: 'Cut line' });
const rail = (): Locator => sheet().locator('[data-cut-rail]');
const at = async (): Promise<number> => Number(await line().getAttribute('aria-valuenow'));
const review = (): Locator => window.page.getByRole('dialog', { name: 'Review the summary' });
const marker = (): Locator => window.transcript.getByText(/Compacted \d+ messages/);

async function openSheet(): Promise<void> {
  await window.button('Compact').click();
  await expect(line()).toBeVisible({ timeout: LONG });
}

async function setTheme(theme: 'light' | 'dark'): Promise<void> {
  await window.request('settings.set', { key: 'appearance.theme', value: theme });
  await expect(window.page.locator('html')).toHaveAttribute('data-theme', theme);
}

async function resize(width: number, height: number): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]!.setContentSize(w, h), [
    width,
    height,
  ] as const);
  await expect.poll(() => window.page.evaluate(() => innerHeight)).toBe(height);
}

async function shots(name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await setTheme(theme);
    await window.shot(`${name}-${theme}`);
  }
}

test.beforeAll(async () => {
  server = await startModelServer();
  const endpoint = endpointOn(server.url, 'loopback');
  const small = { ...endpoint.models[0]!, id: 'small', contextWindow: 16_000 };
  writeEndpoint(home, { ...endpoint, models: [...endpoint.models, small] });
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  await window.startSession('A long one', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

test('the button says why it can’t, then opens the sheet; Escape leaves no trace', async () => {
  await expect(window.button('Compact: Nothing to compact yet')).toBeVisible();
  for (let turn = 0; turn < TURNS; turn++) {
    server.script(`Answer ${turn}. ${WORDS}`);
    await window.say(`Question ${turn}: ${WORDS}`);
    await answered(window.page, `Answer ${turn}.`);
  }
  const before = journals(home);
  const asked = server.requests.length;
  await openSheet();
  await expect(sheet().getByRole('listitem').first()).toContainText(/you|assistant/);
  await expect(
    sheet()
      .getByText(/Question \d/)
      .first(),
  ).toBeVisible({ timeout: LONG });
  await expect(line()).toBeFocused();
  expect(await seriousIssues(window.page)).toEqual([]);
  await shots('compact-sheet');
  await window.page.keyboard.press('Escape');
  await expect(sheet()).toHaveCount(0);
  await expect(window.button('Compact')).toBeFocused();
  expect([journals(home), server.requests.length]).toEqual([before, asked]);
});

test('the line is moved by keys and by the mouse; the numbers follow', async () => {
  await openSheet();
  await line().press('Home');
  expect(await at()).toBe(1);
  await expect(rail()).toContainText('1');
  const least = await rail().innerText();
  await line().press('ArrowDown');
  expect(await at()).toBe(2);
  await expect(line()).toHaveAttribute('aria-valuetext', /^2 messages summarised, 18 kept, about .* tokens after$/);
  await line().press('PageDown');
  expect(await at()).toBe(12);
  await line().press('End');
  expect(await at()).toBe(2 * TURNS - 1);
  expect(await rail().innerText()).not.toBe(least);
  await line().press('PageUp');
  await line().press('ArrowUp');
  expect(await at()).toBe(2 * TURNS - 1 - 11);

  const box = (await line().boundingBox())!;
  const { mouse } = window.page;
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 2 * 26, { steps: 4 });
  expect(await at()).toBe(2 * TURNS - 1 - 9);
  // Held beyond the edge, the list scrolls along to its end.
  await mouse.move(box.x + box.width / 2, box.y + 700, { steps: 4 });
  await expect.poll(at, { timeout: LONG }).toBe(2 * TURNS - 1);
  await mouse.up();
  await line().press('Home');
  await sheet().getByRole('textbox').fill('For later');
  await sheet().getByRole('textbox').press('Escape');
  await expect(sheet()).toHaveCount(0);

  // SH3: as long as the session stands where it stood, the sheet comes back as it was left.
  await openSheet();
  expect(await at()).toBe(1);
  await expect(sheet().getByRole('textbox')).toHaveValue('For later');
  await sheet().getByRole('textbox').fill('');
  await line().press('Escape');
  await expect(sheet()).toHaveCount(0);
});

test('it compacts where the line stands, with the instructions; they are offered the next time', async () => {
  server.script((request) => (isSummary(request) ? SUMMARY : 'OK.'));
  await openSheet();
  await line().press('Home');
  await line().press('ArrowDown');
  await line().press('ArrowDown');
  await sheet().getByRole('textbox').fill('Keep every table name');
  await sheet().getByRole('button', { name: 'Compact', exact: true }).click();
  await expect(sheet()).toHaveCount(0, { timeout: LONG });
  await expect(window.transcript.getByText('Compacted 3 messages')).toBeVisible({ timeout: LONG });
  const [body] = sentMessages(server.requests.filter(isSummary).at(-1)!);
  expect(body!.text).toContain('Additional focus: Keep every table name');
  expect(body!.text).toContain('Question 1');
  expect(body!.text).not.toContain('Question 2');

  await openSheet();
  await sheet().getByRole('button', { name: 'Keep every table name' }).click();
  await expect(sheet().getByRole('textbox')).toHaveValue('Keep every table name');
  await sheet().getByRole('button', { name: 'Cancel' }).click();
  await expect(sheet()).toHaveCount(0);
});

test('review: the summary is compared with the one before, put aside, changed and accepted', async () => {
  server.script((request) => (isSummary(request) ? SUMMARY.replace('Ship', 'Test') : 'OK.'));
  await resize(960, 640);
  await openSheet();
  await shots('compact-sheet-small');
  await sheet().getByRole('button', { name: 'Review the summary first' }).click();
  await expect(review()).toBeVisible({ timeout: LONG });
  const editor = review().getByRole('textbox', { name: 'Summary' });
  await expect(editor).toHaveValue(SUMMARY.replace('Ship', 'Test'));
  const changes = review().getByRole('region', { name: 'Changes from the previous summary' });
  await expect(changes).toContainText('Ship the parser.');
  expect(await seriousIssues(window.page)).toEqual([]);
  await shots('compact-review-small');
  await resize(1280, 800);
  await shots('compact-review');

  await editor.fill('');
  await expect(review().getByRole('button', { name: 'Accept' })).toBeDisabled();
  await editor.fill('## Goal\nMy own words.');
  await editor.press('Escape');
  await expect(review()).toHaveCount(0);
  // Once too often: what was written is not given up for that.
  await window.page.keyboard.press('Escape');
  await window.page.getByRole('region', { name: 'Compaction' }).getByRole('button', { name: 'Review' }).click();
  await expect(editor).toHaveValue('## Goal\nMy own words.');
  await expect(review().getByRole('button', { name: 'Cancel compaction and drop my changes' })).toBeVisible();
  await editor.press('Escape');
  // Nor for a press on the card.
  await window.page.getByRole('region', { name: 'Compaction' }).getByRole('button', { name: 'Cancel …' }).click();
  await expect(editor).toHaveValue('## Goal\nMy own words.');
  await review().getByRole('button', { name: 'Accept' }).click();
  await expect(review()).toHaveCount(0, { timeout: LONG });
  await expect(marker()).toHaveCount(2, { timeout: LONG });
  await window.say('And now?');
  await answered(window.page, 'OK.');
  expect(sentMessages(server.requests.at(-1)!)[0]!.text).toContain('My own words.');
});

test('review: cancelled, nothing is stored', async () => {
  const before = journals(home);
  await openSheet();
  await sheet().getByRole('button', { name: 'Review the summary first' }).click();
  await expect(review()).toBeVisible({ timeout: LONG });
  await review().getByRole('button', { name: 'Cancel compaction' }).click();
  await expect(review()).toHaveCount(0, { timeout: LONG });
  await expect(window.page.getByText('Compaction cancelled. The session is unchanged.').first()).toBeVisible();

  // SU40: what is no summary waits as well, however it was asked for.
  server.script((request) => (isSummary(request) ? 'I’m sorry, but I can’t help with that.' : 'OK.'));
  const asked = (): number => server.requests.filter(isSummary).length;
  const first = asked();
  await openSheet();
  await sheet().getByRole('button', { name: 'Compact', exact: true }).click();
  await expect(review()).toContainText('This does not look like a summary', { timeout: LONG });
  expect(asked() - first).toBe(2);
  expect(await seriousIssues(window.page)).toEqual([]);
  await shots('compact-no-summary');
  await review().getByRole('textbox', { name: 'Summary' }).press('Escape');
  const card = window.page.getByRole('region', { name: 'Compaction' });
  await expect(card).toContainText('This does not look like a summary');
  await shots('compact-no-summary-card');
  await card.getByRole('button', { name: 'Show' }).click();
  await review().getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => asked() - first, { timeout: LONG }).toBe(4);
  await expect(review().getByRole('button', { name: 'Use anyway' })).toBeEnabled({ timeout: LONG });
  await review().getByRole('button', { name: 'Cancel compaction' }).click();
  await expect(review()).toHaveCount(0, { timeout: LONG });
  expect(journals(home)).toBe(before);
});

test('SH2: before a job of many requests /compact opens the sheet, which says how many, how long and what it costs', async () => {
  const long = 'lorem ipsum dolor sit amet '.repeat(260);
  await window.startSession('A very long one', modelOf(endpointOn(server.url, 'loopback')));
  for (let turn = 0; turn < 7; turn++) {
    server.script(`Answer ${turn}. ${long}`);
    await window.say(`Question ${turn}: ${long}`);
    await answered(window.page, `Answer ${turn}.`);
  }
  await window.request('settings.set', { key: 'compaction.model', value: 'loopback/small' });
  const before = journals(home);
  const asked = server.requests.length;
  await window.say('/compact the parser above all');
  await expect(sheet()).toContainText(/A long job: about \d+ requests to small/, { timeout: LONG });
  await expect(sheet()).toContainText(/It takes about \d+ minutes?, and its price is not known/);
  await expect(sheet().getByRole('textbox', { name: 'Focus on' })).toHaveValue('the parser above all');
  expect([journals(home), server.requests.length]).toEqual([before, asked]);
  await shots('compact-sheet-long');
  // Further up it is none.
  await line().press('Home');
  await expect(sheet()).not.toContainText('A long job');
  await line().press('End');
  await expect(sheet()).toContainText('A long job');
  server.script(SUMMARY);
  await sheet().getByRole('button', { name: 'Compact', exact: true }).click();
  await expect(marker()).toHaveCount(1, { timeout: LONG });
  expect(server.requests.length - asked).toBeGreaterThan(8);
});
