import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { PATIENCE } from '../support/patience';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { LONG } from '../support/e2e/chat';
import { writeOddSession } from '../support/e2e/odd-session';
import { readCard } from '../support/e2e/read-card';
import { takeShots } from '../support/e2e/shots';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { MainThread, MARK } from '../support/faults/main-thread';
import { readBack } from '../support/read-back';
import { MAYBE_BEGAN } from '../../src/shared/policy/call-outcome';

/** Of a call that ran or may have run each character can be read, in order (docs/specs/safety.md C1), without a long task (A2). */
const LONG_TASK_MS = 50;
/** Each time a card of its own: a task that is long because of the text is long each time. */
const TRIES = 3;

let folder: string;
let app: RunningApp;
let window: AppWindow;
let sessions = 0;

test.beforeAll(async ({ shared }) => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-whole-'));
  ({ app } = await shared.take());
  window = new AppWindow(app);
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

const text = (words: string) => [{ type: 'text', text: words }];
const INTERRUPTED = { isError: true, content: text(MAYBE_BEGAN) };

/** A session with one command and what came of it; returns its card. */
async function show(command: string, result: object, toolName = 'bash'): Promise<Locator> {
  const before = await window.shownId();
  const given = toolName === 'bash' ? { command } : { path: command };
  const call = { type: 'toolCall', id: 'call', name: toolName, arguments: given };
  const id = `bbbb${(sessions += 1).toString().padStart(4, '0')}`;
  const path = writeOddSession(folder, id, [call], [{ toolCallId: 'call', toolName, ...result }]);
  await window.importByMenu([path]);
  await expect(window.row(before)).not.toHaveAttribute('aria-current', 'true', { timeout: LONG });
  await expect(window.transcript.getByText('The end.')).toBeVisible({ timeout: LONG });
  const card = window.transcript.locator('[data-status]');
  await expect(card).toHaveCount(1);
  return card;
}

const HIDDEN = ['\u200b', '\u200c', '\u200d', '\u2060', '\u00ad', '\u200e', '\u200f', '\u061c', '\u2061', '\u2062'];
const COMMANDS: [string, string][] = [
  ['columns', `sleep 60; echo ${'x'.repeat(10_000)}; echo AT-END; echo ${'y'.repeat(500)}`],
  ['escapes', `sleep 9;${Array.from({ length: 26 }, (_, at) => HIDDEN[at % 10]).join('')}rm zz`],
  ['tabs', "sleep 60;echo 'a\t\t  b'"],
  ['lines', `echo first\n${Array.from({ length: 900 }, (_, at) => `: line ${at}\t${'x'.repeat(at % 90)}`).join('\n')}`],
];

for (const [name, command] of COMMANDS)
  test(`C1: a call that may have run is there whole, also after Continue: ${name}`, async () => {
    const card = await show(command, INTERRUPTED);
    await expect(card).toContainText('interrupted, may have run');
    await card.getByRole('button').click();
    await expect(card.getByRole('region', { name: 'The whole call' })).toBeVisible();
    await takeShots(app, `whole-${name}`);
    const { text: drawn, problems } = await readCard(card);
    expect(problems).toEqual([]);
    expect(readBack(drawn)).toBe(command);
    expect(await seriousIssues(window.page)).toEqual([]);
  });

test('C1: the head of a card keeps tabs and blanks', async () => {
  const card = await show("echo 'a\t\t  b'", INTERRUPTED);
  const head = card.locator('code').first();
  expect(await head.textContent()).toBe("echo 'a→\t→\t  b'");
  const width = (words: string) =>
    head.evaluate((element, inner) => {
      const copy = element.cloneNode() as HTMLElement;
      copy.textContent = inner;
      copy.style.position = 'absolute';
      element.after(copy);
      const { width } = copy.getBoundingClientRect();
      copy.remove();
      return width;
    }, words);
  expect(await width('a  b')).toBeGreaterThan(await width('a b'));
});

test('C1: of a command that ran all of it is one press away, above what it printed', async () => {
  const command = `npm run build -- --mode production --base /app/ --outDir dist && echo ${'z'.repeat(300)}`;
  const card = await show(command, { content: text('built\n') });
  await card.getByRole('button').first().click();
  await expect(card.getByLabel('Output of bash')).toContainText('built');
  await card.getByRole('button', { name: 'Show the whole call' }).click();
  await takeShots(app, 'whole-ran');
  expect(readBack((await readCard(card)).text)).toBe(command);
  const tops = await card.evaluate((element) =>
    ['The whole call', 'Output of bash'].map(
      (label) => element.querySelector(`[aria-label="${label}"]`)?.getBoundingClientRect().top ?? NaN,
    ),
  );
  expect(tops[0]).toBeLessThan(tops[1] ?? NaN);
  expect(await seriousIssues(window.page)).toEqual([]);
  await card.getByRole('button', { name: 'Hide the whole call' }).click();
  await expect(card.getByRole('region')).toHaveCount(0);
  // A short one has nothing more to show.
  const short = await show('npm test', { content: text('ok\n') });
  await expect(short.getByRole('button', { name: /whole call/ })).toHaveCount(0);
});

test('TS11: what an output leaves out is said, and can be read', async () => {
  const output = `the beginning\n${': row\n'.repeat(50_000)}${'w'.repeat(5_000)}\n`;
  for (const toolName of ['bash', 'read']) {
    const card = await show('true', { content: text(output) }, toolName);
    await card.getByRole('button').first().click();
    await expect(card).toContainText('characters left out');
    await takeShots(app, `output-cut-${toolName}`);
    await card.getByRole('button', { name: 'Show all', exact: true }).click();
    const whole = card.getByRole('region', { name: `Output of ${toolName}` });
    await expect(whole).toBeFocused();
    await expect(whole).toHaveAttribute('aria-busy', 'false', { timeout: LONG });
    await expect(whole).toContainText(/50,00\d lines in [\d,]+ parts\. Open what you want to read/);
    await whole.getByRole('button').first().click();
    await expect(whole).toContainText('the beginning');
    await takeShots(app, `output-whole-${toolName}`);
  }
});

const LARGE: [string, string][] = [
  ['one line', 'x'.repeat(1_000_000)],
  ['hidden characters', 'x\u200b'.repeat(250_000)],
  ['risky lines', 'rm a\n'.repeat(200_000)],
];

for (const [name, command] of LARGE)
  test(`A2: a call of a megabyte opens without a long task: ${name}`, { tag: '@tasks' }, async () => {
    const longest: number[] = [];
    let long: unknown[] = [];
    for (let tries = 0; tries === 0 || (long.length > 0 && tries < TRIES); tries += 1) {
      const card = await show(command, INTERRUPTED);
      const thread = await MainThread.start(window.page);
      await card.getByRole('button').first().click();
      await window.page.waitForFunction(
        () => document.querySelector('[data-status] [role="region"]')?.getAttribute('aria-busy') === 'false',
        null,
        { timeout: 120_000 * PATIENCE },
      );
      await window.page.evaluate((mark) => void performance.mark(`${mark}whole`), MARK);
      const watched = await thread.stop(LONG_TASK_MS, 'large');
      longest.push(watched.longestMs);
      long = watched.long;
      await expect(card.getByRole('region')).toContainText(/ in [\d,]+ parts?\./);
      if (tries === 0) await takeShots(app, `whole-large-${name.replace(' ', '-')}`);
    }
    console.log(`${name}: the longest tasks, ms: ${longest.map((ms) => ms.toFixed(1)).join(', ')}`);
    expect(long).toEqual([]);
  });
