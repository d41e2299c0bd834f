import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { PATIENCE } from '../support/patience';
import { branchySession, writeBranchySession } from '../support/branchy-session';
import { MainThread, MARK } from '../support/faults/main-thread';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** The marks beside the scroll bar, and the messages of the palette. */
const home = sharedHome();
const SHAPE = { turns: 30, branches: 2, branchLength: 3, compactions: 1 };
const { branches } = branchySession(SHAPE);
const HITS = 10_000;
const LONG_TASK_MS = 50;
/** A machine that does something else makes one task long now and then. */
const TRIES = 3;
let app: RunningApp;
let window: AppWindow;
let branchy: string;
let many: string;

const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const bar = (): Locator => app.page.getByRole('search', { name: 'Find in this session' });
const marks = (): Locator => app.page.locator('[data-hit-marks] i');
const row = (entryId: string): Locator => window.transcript.locator(`[data-entry="${entryId}"]`);
const at = (): Promise<number> => app.page.locator('[data-transcript]').evaluate((list) => list.scrollTop);

function manyHits(): string {
  const header = { type: 'session', version: 3, id: 'many', timestamp: '2026-10-02T09:00:00.000Z', cwd: '' };
  const lines: object[] = [header];
  for (let n = 0; n < HITS; n++) {
    const message =
      n % 2 === 0
        ? { role: 'user', content: `Question ${n}: where is the okapi?`, timestamp: 1 }
        : { ...REPLY, content: [{ type: 'text', text: `Answer ${n}: the okapi is in the forest.` }] };
    const parentId = n === 0 ? null : `m${n - 1}`;
    lines.push({ type: 'message', id: `m${n}`, parentId, timestamp: '2026-10-02T09:01:00.000Z', message });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 10, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 20, cost };
const REPLY = {
  ...{ role: 'assistant', api: 'openai-completions', provider: 'demo', model: 'demo', usage },
  ...{ stopReason: 'stop', timestamp: 1 },
};

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take());
  window = new AppWindow(app);
  writeBranchySession(join(home, 'branchy.jsonl'), SHAPE);
  branchy = (await window.importFile(join(home, 'branchy.jsonl'))).id;
  writeFileSync(join(home, 'many.jsonl'), manyHits());
  many = (await window.importFile(join(home, 'many.jsonl'))).id;
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

async function find(words: string): Promise<void> {
  await window.composer.focus();
  await press('Control+f');
  await bar().getByRole('textbox').fill(words);
  await expect(bar()).toContainText(/\d of \d/);
}

test('SE1: marks tell what the model has of each hit, and a press leads there', async () => {
  await window.show(branchy);
  await find('lock');
  for (const place of ['kept', 'summarized', 'branch'])
    await expect(app.page.locator(`[data-hit-marks] i[data-place="${place}"]`).first()).toBeVisible();
  await expect(app.page.locator('[data-hit-marks] i[data-here]')).toHaveCount(1);
  await window.shot('hit-marks');
  expect(await seriousIssues(app.page)).toEqual([]);
  await app.page.emulateMedia({ colorScheme: 'dark' });
  await window.shot('hit-marks-dark');
  await app.page.emulateMedia({ colorScheme: 'light' });
  const count = Number(/of (\d+)/.exec(await bar().innerText())?.[1]);
  // Its first hit, where several share a mark.
  await app.page.locator('[data-hit-marks] i[data-place="kept"]').last().click();
  await expect(bar()).toContainText(/(?:\d\d|[6-9]) of/);
  await expect.poll(at).toBeGreaterThan(1_000);
  const end = await at();
  await marks().first().click();
  await expect(bar()).toContainText(`1 of ${count}`);
  await expect.poll(at).toBeLessThan(end / 2);
  // The keyboard stays in the field; the mark of where one is moves along.
  await expect(bar().getByRole('textbox')).toBeFocused();
  await expect(marks().first()).toHaveAttribute('data-here', 'true');
  // A branch: to where it leaves.
  await app.page.locator('[data-hit-marks] i[data-place="branch"]').last().click();
  await expect(window.transcript.locator('[data-marked]')).toHaveCount(1);
  expect(branches.length).toBeGreaterThan(0);
  await press('Escape');
  await expect(marks()).toHaveCount(0);
});

test('WN8: the palette finds messages behind commands and sessions; Enter leads there, and HEAD stays', async () => {
  await window.show(many);
  const options = (): Locator => app.page.getByRole('option');
  const leaf = async () => (await window.request('session.open', { sessionId: branchy })).leafId;
  const before = await leaf();
  await window.composer.focus();
  await press('Control+k');
  // Nothing is called so: what was said is found.
  const palette = app.page.getByRole('dialog', { name: 'Command palette' });
  // Nothing is said to match nothing while messages may still come.
  await palette.evaluate((box) => {
    const note = (): void => {
      if (box.textContent?.includes('No matches.')) box.dataset.saidNothing = 'true';
    };
    new MutationObserver(note).observe(box, { childList: true, subtree: true, characterData: true });
  });
  await app.page.keyboard.type('which queries notice');
  await expect(app.page.getByText('Messages', { exact: true })).toBeVisible();
  await expect(options().first()).toContainText('Which queries notice the table?');
  await expect(options().first()).toHaveAttribute('aria-selected', 'true');
  await expect(options().first()).toContainText('Where are locks taken?');
  await window.shot('palette-messages');
  await expect(palette).not.toHaveAttribute('data-said-nothing', 'true');
  await app.page.keyboard.type(' zzz');
  await expect(palette).toContainText('No matches.');
  for (const _ of ' zzz') await app.page.keyboard.press('Backspace');
  await expect(palette.getByRole('option').first()).toContainText('Which queries notice');
  expect(await seriousIssues(app.page)).toEqual([]);
  await press('Enter');
  await expect(app.page.getByRole('heading', { level: 1, name: 'Where are locks taken?' })).toBeVisible();
  await expect(window.transcript.locator('[data-marked]')).toContainText('Which queries notice the table?');
  // What is called so comes first.
  await press('Control+k');
  await app.page.keyboard.type('where');
  await expect(app.page.getByText('Messages', { exact: true })).toBeVisible();
  await expect(options().first()).toHaveText('Where are locks taken?');
  await press('Escape');
  await press('Control+k');
  await app.page.keyboard.type('use triggers instead 1.1');
  await expect(options().first()).toContainText('Use triggers instead 1.1');
  await press('Enter');
  const bar = app.page.getByRole('region', { name: 'Reading another branch' });
  await expect(bar).toBeVisible();
  await expect(window.transcript).toContainText('Use triggers instead 1.1');
  expect(await leaf()).toBe(before);
  await press('Escape');
  await expect(bar).toHaveCount(0);
});

test(
  'SE1: ten thousand hits are marked without a long task, also while the transcript is gone through',
  { tag: '@tasks' },
  async () => {
    await window.show(many);
    await expect(row(`m${HITS - 1}`)).toBeVisible();
    await find('forest');
    // All of it is read.
    await expect(bar()).toContainText(new RegExp(`of ${HITS / 2}`), { timeout: 60_000 * PATIENCE });
    await press('Escape');
    const tries: { long: unknown[]; longestMs: number }[] = [];
    do {
      const thread = await MainThread.start(app.page);
      await window.composer.focus();
      await press('Control+f');
      await bar().getByRole('textbox').fill('okapi');
      await expect(bar()).toContainText(new RegExp(`\\d of ${HITS}`), { timeout: 60_000 * PATIENCE });
      await expect(marks().nth(50)).toBeAttached();
      const box = (await app.page.locator('[data-hit-marks]').boundingBox())!;
      for (const share of [0.1, 0.9, 0.5]) {
        await app.page.mouse.click(box.x + box.width / 2, box.y + box.height * share);
        await expect(app.page.locator('[data-hit-marks] i[data-here]')).toHaveCount(1);
        await app.page.mouse.move(box.x - 300, box.y + 200);
        for (let turn = 0; turn < 5; turn++) await app.page.mouse.wheel(0, 700);
      }
      await press('Escape');
      await app.page.evaluate((mark) => void performance.mark(`${mark}found`), MARK);
      tries.push(await thread.stop(LONG_TASK_MS));
    } while (tries.length < TRIES && (tries.at(-1)?.long.length ?? 0) > 0);
    console.log(
      `${HITS} hits: the longest tasks, ms: ${tries.map(({ longestMs }) => longestMs.toFixed(1)).join(', ')}`,
    );
    expect(tries.at(-1)?.long).toEqual([]);
  },
);
