import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { PATIENCE } from '../support/patience';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answerCard, answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { MainThread, MARK, type Watched } from '../support/faults/main-thread';
import type { ModelServer } from '../support/model-server';

/** Questions about as much as a call may hold: their cards come without a task that a person would notice (docs/specs/safety.md A2, C2). */
const LONG_TASK_MS = 50;
/** Just under what a call's arguments may have, as JSON in UTF-8. */
const MOST_BYTES = 1_040_000;
const OLD_BYTES = 5_000_000;
/** Each time a question of its own: a task that is long because of the text is long each time. */
const TRIES = 3;

const home = sharedHome();
let app: RunningApp;
let window: AppWindow;
let page: Page;
let server: ModelServer;

const card = (): Locator => approval(page).first();

function filled(piece: (index: number) => string, bytes = MOST_BYTES): string {
  const pieces = [];
  for (let left = bytes, index = 0; left > 0; index += 1) {
    const next = piece(index);
    left -= Buffer.byteLength(JSON.stringify(next)) - 2;
    if (left > 0) pieces.push(next);
  }
  return pieces.join('');
}

interface LargeCall {
  name: string;
  call: { name: string; arguments: Record<string, unknown> };
  /** What the card says of its parts. */
  says: RegExp;
  before?: () => void;
}

const write = (content: string, path = 'large.txt'): LargeCall['call'] => ({
  name: 'write',
  arguments: { path, content },
});

const CALLS: LargeCall[] = [
  {
    name: 'one line of code',
    call: write(filled((n) => `const a${n} = f(b[${n}], "c"); `)),
    says: / lines? in \d+ parts\. None has a risk word/,
  },
  { name: 'one line of hidden characters', call: write(filled(() => 'x\u200b')), says: /with risk words or hidden/ },
  {
    name: 'one line of letters that no font has together',
    call: write(filled(() => 'aก')),
    says: / lines? in \d+ parts\. None has a risk word/,
  },
  { name: 'short lines', call: write(filled((n) => `line ${n}\n`)), says: /None has a risk word/ },
  { name: 'risky lines', call: write(filled((n) => `rm -rf a${n}\n`)), says: /with risk words or hidden/ },
  {
    name: 'a large file that is written over',
    call: write('short\n', 'old.txt'),
    says: /lines in [\d,]+ parts/,
    before: () => {
      const old = filled((n) => `const a${n} = f(b[${n}], "c");\n`, OLD_BYTES);
      writeFileSync(join(home, 'workspaces', 'scratch', 'old.txt'), old);
    },
  },
  {
    name: 'a command of risky lines',
    call: { name: 'bash', arguments: { command: 'rm a\n'.repeat(20_000) } },
    says: /with risk words or hidden/,
  },
];

async function press(key: string): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-approval] [role="region"]')?.focus());
  await page.keyboard.press(key);
}

/** What the main thread did from now until the card was whole and an answer would count. */
async function watchUntilRead(begin: () => Promise<void>): Promise<Watched> {
  const thread = await MainThread.start(page);
  await begin();
  // Not by locators: to resolve one, the driver wraps and visits each element of the card, on the thread that is watched.
  await page.waitForFunction(() => document.querySelector('[data-approval] [role="region"]'), null, { timeout: LONG });
  await expect(async () => {
    // Both ends must have been on screen. On a busy machine End can come before the start was drawn.
    await press('Home');
    await page.waitForFunction(() => document.querySelector('[data-approval]:not([data-unseen="start"])'), null, {
      timeout: 3_000,
    });
    await press('End');
    await page.waitForFunction(() => document.querySelector('[data-approval][data-ready="true"]'), null, {
      timeout: 3_000,
    });
  }).toPass({ timeout: 120_000 * PATIENCE });
  await page.evaluate((mark) => void performance.mark(`${mark}read`), MARK);
  // Files of megabytes: their memory is what costs a slow machine most.
  return thread.stop(LONG_TASK_MS, 'large');
}

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
  page = app.page;
  // Code that runs for the first time is compiled: not what is measured.
  await ask('First', { name: 'bash', arguments: { command: 'rm -rf first\u200b' } });
  await answerCard(page, 'Decline');
  await answered(page, 'Done.');
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

async function ask(title: string, call: LargeCall['call']): Promise<void> {
  await window.startSession(title, modelOf(endpointOn(server.url, 'loopback')));
  server.script([{ content: [{ type: 'toolCall', ...call }], chunkChars: 30_000 }, 'Done.']);
  await window.say('Go');
}

for (const { name, call, says, before } of CALLS)
  test(`${name}: the card comes without a long task, and all of it is told`, { tag: '@tasks' }, async () => {
    before?.();
    const watched: Watched[] = [];
    do {
      watched.push(await watchUntilRead(() => ask(name, call)));
      await expect(card()).toContainText(says);
      if (watched.length === 1) {
        await takeShots(app, `large-${name.replace(/\W+/g, '-')}`);
        expect(await seriousIssues(page)).toEqual([]);
      }
      await answerCard(page, 'Decline');
      await answered(page, 'Done.');
    } while (watched.length < TRIES && (watched.at(-1)?.long.length ?? 0) > 0);
    console.log(`${name}: the longest tasks, ms: ${watched.map(({ longestMs }) => longestMs.toFixed(1)).join(', ')}`);
    expect(watched.at(-1)?.long).toEqual([]);
  });

const command = (text: string): LargeCall['call'] => ({ name: 'bash', arguments: { command: text } });
const field = (): Locator => card().getByRole('textbox');

/** Presses until `shown` is there: a card that just moved takes no press. */
async function pressEdit(shown: Locator): Promise<void> {
  const edit = card().getByRole('button', { name: 'Edit the command' });
  await expect(edit).not.toHaveAttribute('aria-disabled', 'true', { timeout: LONG });
  await expect(async () => {
    if ((await shown.count()) === 0) await edit.evaluate((button: HTMLElement) => button.click());
    await expect(shown).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: LONG });
}

for (const [name, text] of [
  ['letters that no font has together', 'aก'.repeat(24_000)],
  ['very many lines', 'echo abc\n'.repeat(11_000)],
] as const)
  test(`C2: a command of ${name} is not edited, and its card says what to do instead`, async () => {
    await ask(`Not edited: ${name}`, command(text));
    await pressEdit(card().getByRole('alert').filter({ hasText: 'too much text to be edited here' }));
    await expect(field()).toHaveCount(0);
    await takeShots(app, `not-edited-${name.replace(/\W+/g, '-')}`);
    await expect(async () => {
      // A card that just moved takes no press.
      if ((await field().count()) === 0) await card().getByRole('button', { name: 'Decline and say why' }).click();
      await expect(field()).toBeVisible({ timeout: 3_000 });
    }).toPass({ timeout: LONG });
    await field().fill('In a script, please.');
    await field().press('Enter');
    await answered(page, 'Done.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('In a script, please.');
  });

test('C2: the field of a command takes no more than it can lay out in time', { tag: '@tasks' }, async () => {
  const most = `echo ${'aก'.repeat(600)}${' word'.repeat(1_000)}`;
  const watched: Watched[] = [];
  do {
    await ask(`Edited ${watched.length}`, command(most));
    const edit = card().getByRole('button', { name: 'Edit the command' });
    await expect(edit).not.toHaveAttribute('aria-disabled', 'true', { timeout: LONG });
    const thread = await MainThread.start(page);
    await pressEdit(field());
    for (const key of ['x', 'y', 'z']) await page.keyboard.press(key);
    await page.waitForFunction(() => document.querySelector('textarea')?.value.endsWith('xyz'), null, {
      timeout: LONG,
    });
    await page.evaluate((mark) => void performance.mark(`${mark}read`), MARK);
    watched.push(await thread.stop(LONG_TASK_MS, 'large'));
    if (watched.length === 1) {
      const paste = (text: string): Promise<void> =>
        field().evaluate((area, pasted) => {
          const data = new DataTransfer();
          data.setData('text/plain', pasted);
          const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
          if (area.dispatchEvent(event)) document.execCommand('insertText', false, pasted);
        }, text);
      await paste('กa'.repeat(1_000));
      await expect(card().getByRole('alert')).toHaveText('This field has no room for so much text. Nothing was added.');
      await expect(field()).toHaveValue(`${most}xyz`);
      await takeShots(app, 'no-room-to-edit');
      await paste(' end');
      await expect(field()).toHaveValue(`${most}xyz end`);
      await expect(card().getByRole('alert')).toHaveCount(0);
    }
    await field().press('Escape');
    await answerCard(page, 'Decline');
    await answered(page, 'Done.');
  } while (watched.length < TRIES && (watched.at(-1)?.long.length ?? 0) > 0);
  console.log(`edited: the longest tasks, ms: ${watched.map(({ longestMs }) => longestMs.toFixed(1)).join(', ')}`);
  expect(watched.at(-1)?.long).toEqual([]);
});
