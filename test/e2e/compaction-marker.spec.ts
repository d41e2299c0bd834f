import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answerCard, answered, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { sentContext, sentMessages, type CapturedRequest, type ModelServer } from '../support/model-server'; // prettier-ignore

/** What can be done about a compaction where it stands: edited, made again, undone, redone; hidden outputs shown again. */
test.describe.configure({ mode: 'serial' });

const SUMMARY =
  '## Goal\nShip the parser.\n\n## Constraints & Preferences\n- Never touch `main`\n\n## Next Steps\n1. Test it';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
let sessionId: string;

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const marker = (): Locator => window.transcript.getByText(/Compacted \d+ messages/);
const cut = (): Locator => window.transcript.locator('[data-kind="cut"]');
const undone = (): Locator => window.transcript.getByText('Compaction undone');
const more = (): Locator => window.transcript.getByRole('button', { name: 'More about this compaction' });
const lastSent = (): string[] =>
  sentMessages(server.requests.filter((request) => !isSummary(request)).at(-1)!).map(({ text }) => text);

async function setTheme(theme: 'light' | 'dark'): Promise<void> {
  await window.request('settings.set', { key: 'appearance.theme', value: theme });
  await expect(window.page.locator('html')).toHaveAttribute('data-theme', theme);
}

async function shots(name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await setTheme(theme);
    await window.shot(`${name}-${theme}`);
  }
}

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
  // Until the test of it: none of the person's messages stand beside a summary.
  await window.request('settings.set', { key: 'compaction.keepUserMessageTokens', value: 0 });
  sessionId = await window.startSession('A long one', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

test('its summary is edited; the model gets the new text', async () => {
  for (let turn = 0; turn < 4; turn++) {
    server.script(`Answer ${turn}. ${WORDS}`);
    await window.say(`Question ${turn}: ${WORDS}`);
    await answered(window.page, `Answer ${turn}.`);
  }
  server.script((request) => (isSummary(request) ? SUMMARY : 'Going on.'));
  await window.say('/compact');
  await expect(marker()).toBeVisible({ timeout: LONG });
  await window.rested(sessionId);
  await window.button('See the cut above').click();
  await expect(cut()).toBeInViewport();
  await expect(cut()).toContainText('The model’s memory of everything above is this summary');
  // Above it is what the model does not see, below it what it does.
  const zones = (): Promise<(string | null)[]> =>
    window.transcript.locator('[data-index]').evaluateAll((all) =>
      all.map((one) => [Number(one.getAttribute('data-index')), one.getAttribute('data-zone')] as const)
        .sort(([a], [b]) => a - b)
        .map(([, zone]) => zone),
    ); // prettier-ignore
  const seen = await zones();
  expect(seen.slice(0, seen.indexOf('summary')).every((zone) => zone === 'summarised')).toBe(true);
  expect(seen.slice(seen.indexOf('summary') + 1).every((zone) => zone === null)).toBe(true);
  await shots('cut-line');
  await window.transcript.getByRole('button', { name: 'Summary' }).click();
  await expect(window.transcript.getByText('Never touch')).toBeVisible();
  await shots('marker-open');
  await more().click();
  await window.page.getByRole('menuitem', { name: 'Edit summary…' }).click();
  const dialog = window.page.getByRole('dialog', { name: 'Edit summary' });
  await expect(dialog.getByRole('textbox', { name: 'Summary' })).toHaveValue(SUMMARY);
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Summary' }).fill('  ');
  await expect(dialog.getByText('the model would know nothing')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Summary' }).fill('## Goal\nShip the plotter.');
  await window.page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  // SH3: what was written is there when it is opened again, and can be given up.
  await more().click();
  await window.page.getByRole('menuitem', { name: 'Edit summary…' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Summary' })).toHaveValue('## Goal\nShip the plotter.');
  await dialog.getByRole('button', { name: 'Discard changes' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Summary' })).toHaveValue(SUMMARY);
  await dialog.getByRole('textbox', { name: 'Summary' }).fill('## Goal\nShip the printer.');
  expect(await seriousIssues(window.page)).toEqual([]);
  await shots('edit-summary');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0, { timeout: LONG });
  await expect(window.transcript.getByText('edited', { exact: true })).toBeVisible({ timeout: LONG });
  await window.say('What is the goal?');
  await answered(window.page, 'Going on.');
  expect(lastSent()[0]).toContain('Ship the printer.');
  expect(lastSent().join()).not.toContain('Ship the parser.');
});

test('it is made again with instructions, in the same place', async () => {
  await window.rested(sessionId);
  server.script((request) => (isSummary(request) ? '## Goal\nShip the scanner.' : 'Still going on.'));
  await more().click();
  await window.page.getByRole('menuitem', { name: 'Redo with instructions…' }).click();
  const dialog = window.page.getByRole('dialog', { name: 'Summarise again' });
  await dialog.getByRole('textbox').fill('Look at the scanner');
  await window.shot('again');
  await dialog.getByRole('button', { name: 'Summarise again' }).click();
  await expect(window.transcript.getByText('edited', { exact: true })).toHaveCount(0, { timeout: LONG });
  await expect(marker()).toHaveCount(1);
  const request = server.requests.filter(isSummary).at(-1)!;
  expect(sentMessages(request)[0]!.text).toContain('Additional focus: Look at the scanner');
  await window.rested(sessionId);
  await window.say('And now?');
  await answered(window.page, 'Still going on.');
  expect(lastSent()[0]).toContain('Ship the scanner.');
  expect(lastSent().slice(-3)).toEqual(['What is the goal?', 'Going on.', 'And now?']);
});

test('undone it leaves a mark, from which it is redone', async () => {
  await window.rested(sessionId);
  await window.transcript.getByRole('button', { name: 'Undo' }).click();
  await expect(undone()).toBeVisible({ timeout: LONG });
  await expect(marker()).toHaveCount(0);
  await shots('undone');
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.setContentSize(960, 640));
  await shots('undone-small');
  await window.transcript.getByRole('button', { name: 'Redo' }).click();
  await expect(marker()).toBeVisible({ timeout: LONG });
  await expect(undone()).toHaveCount(0);
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.setContentSize(1280, 800));
});

test('undoing the first of two asks, because the second goes with it', async () => {
  // Few words, so that both stand on one screen.
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 1 });
  server.script('More.');
  await window.say('Further');
  await answered(window.page, 'More.');
  server.script((request) => (isSummary(request) ? SUMMARY : 'Fine.'));
  await window.say('/compact');
  await expect(window.transcript.getByText(/Compacted \d+ messages here/)).toHaveCount(2, { timeout: LONG });
  await window.rested(sessionId);
  // JB11, TS7: one line, the earlier one in its history, and a note where it was made that leads there; no toast.
  await expect(cut()).toHaveCount(1);
  await window.button('See its summary at the cut').click();
  await expect(cut()).toBeInViewport();
  await cut().getByRole('button', { name: '1 earlier compaction' }).click();
  await expect(cut()).toContainText('Each summary of a summary loses some detail.');
  const earlier = cut().getByRole('listitem');
  await earlier.getByRole('button', { name: /^Compacted/ }).click();
  await expect(earlier).toContainText('Ship the');
  await expect(window.page.getByText(/on this branch/)).toHaveCount(0);
  await shots('history');
  // JB11: said above the composer, with what can be done, until it is dismissed, for good on this path.
  const note = window.page.getByRole('note', { name: 'Repeated compactions' });
  for (const name of ['Pin', 'Undo', 'Hand off'])
    await expect(note.getByRole('button', { name, exact: true })).toBeVisible();
  expect(await seriousIssues(window.page)).toEqual([]);
  await note.getByRole('button', { name: 'Hand off' }).click();
  await window.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await note.getByRole('button', { name: 'Dismiss for this path' }).click();
  await expect(note).toHaveCount(0);
  await window.page.reload();
  await expect(cut()).toHaveCount(1, { timeout: LONG });
  await expect(note).toHaveCount(0);
  await cut().getByRole('button', { name: '1 earlier compaction' }).click();
  await earlier.getByRole('button', { name: 'Undo' }).click();
  const question = window.page.getByRole('dialog', { name: 'Undo this compaction?' });
  await expect(question).toContainText('A later compaction was made from its summary and will be undone too.');
  await shots('undo-question');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await earlier.getByRole('button', { name: 'Undo' }).click();
  await question.getByRole('button', { name: 'Undo' }).click();
  await expect(marker()).toHaveCount(0, { timeout: LONG });
  await window.say('All of it?');
  await answered(window.page, 'Fine.');
  expect(lastSent()[0]).toContain('Question 0');
});

test('PN4: messages that are kept word for word say so, and are not marked as summarised', async () => {
  await window.request('settings.set', { key: 'compaction.keepUserMessageTokens', value: 300 });
  server.script((request) => (isSummary(request) ? SUMMARY : 'What you said.'));
  await window.rested(sessionId);
  await window.say('/compact');
  await expect(marker()).toBeVisible({ timeout: LONG });
  await window.rested(sessionId);
  await expect(cut()).toContainText(/is this summary, and \d messages? word for word/);
  const kept = window.transcript.locator('[data-kind="user"]', { hasText: 'kept word for word' });
  await expect(kept.last()).not.toHaveAttribute('data-summarised');
  await expect(kept.last()).not.toHaveAttribute('data-zone');
  await shots('kept-words');
  await window.say('What did I say?');
  await answered(window.page, 'What you said.');
  expect(lastSent().join('\n')).toContain('<pinned>');
  await window.request('settings.set', { key: 'compaction.keepUserMessageTokens', value: 0 });
});

test('old outputs are hidden from the model first, said so, and shown again on demand', async () => {
  await window.request('settings.set', { key: 'pruning.protectTokens', value: 2000 });
  await window.request('settings.set', { key: 'pruning.minimumSavings', value: 1000 });
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 20_000 });
  sessionId = await window.startSession('Outputs', modelOf(endpointOn(server.url, 'loopback')));
  await window.request('settings.set', { key: 'compaction.thresholdTokens', value: 14_000 });
  let n = 0;
  const steps = 6;
  server.script((request) => {
    if (isSummary(request)) return SUMMARY;
    if (n === steps) return 'All printed.';
    const args = { command: `seq ${n * 3000} ${++n * 3000}` };
    return { content: [{ type: 'toolCall', name: 'bash', arguments: args }] };
  });
  await window.say('Print numbers');
  for (let step = 0; step < steps; step++) {
    await answerCard(window.page, 'Run once');
  }
  await answered(window.page, 'All printed.');
  const row = window.transcript.getByText(/tool outputs? hidden from the model/);
  await expect(row.first()).toBeVisible({ timeout: LONG });
  await window.page.locator('[data-transcript]').press('Home');
  await expect(window.transcript.getByText('hidden from the model', { exact: true }).first()).toBeVisible();
  await shots('pruned');
  expect(lastSent().join('\n')).toMatch(/\[Output truncated - \d+ tokens\]/);
  await window.rested(sessionId);
  await window.page.locator('[data-transcript]').press('End');
  await window.transcript.getByRole('button', { name: 'Restore for the model' }).first().click();
  await expect(window.transcript.getByText(/The model sees \d+ tool outputs? again/).first()).toBeVisible({
    timeout: LONG,
  });
});
