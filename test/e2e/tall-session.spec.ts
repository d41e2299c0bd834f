import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval, LONG, transcript } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { header } from '../support/e2e/session-files';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { EDGE_PX } from '../../src/renderer/parts/use-stretch';
import type { ModelServer } from '../support/model-server';

/** A transcript taller than an element of Chromium can be, 33.5 million pixels: TS15. */
test.describe.configure({ mode: 'serial' });

const files = newHome();
const MESSAGES = 13_500;
const ID = '0b0c0d0e-0000-4000-8000-00000000000a';
const LAST = `Message ${MESSAGES - 1}.`;
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const idOf = (n: number): string => n.toString(16).padStart(16, '0');

function tallSession(): string {
  const path = join(files, 'tall.jsonl');
  const file = openSync(path, 'w');
  const words = 'lorem ipsum dolor sit amet consectetur '.repeat(205);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  writeSync(file, `${header(3, ID)}\n`);
  for (let n = 0; n < MESSAGES; n++) {
    const message =
      n === 0
        ? { role: 'user', content: 'Message 0.', timestamp: 1 }
        : {
            ...{ role: 'assistant', content: [{ type: 'text', text: `Message ${n}. ${words}` }], usage, timestamp: n },
            ...{ api: 'x', provider: 'x', model: 'x', stopReason: 'stop' },
          };
    // The model sees the last few only: its window is small.
    const body =
      n === MESSAGES - 3
        ? { type: 'compaction', summary: 'Words.', firstKeptEntryId: idOf(n - 1), tokensBefore: 1000 }
        : { type: 'message', message };
    const entry = { ...body, id: idOf(n), parentId: n === 0 ? null : idOf(n - 1) };
    writeSync(file, `${JSON.stringify({ ...entry, timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000) })}\n`);
  }
  closeSync(file);
  return path;
}

const row = (n: number): Locator => transcript(window.page).getByText(`Message ${n}.`).first();

/** Two frames have passed: what a frame tells of the one before it was told. */
async function drawn(): Promise<void> {
  await window.page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

const top = (): Promise<number> => transcript(window.page).evaluate((element) => element.scrollTop);

/** The end is seen: the last row ends above the edge of the transcript. */
async function atEnd(): Promise<void> {
  await expect(async () => {
    await drawn();
    const [last, count, below] = await transcript(window.page).evaluate((element) => {
      const rows = [...element.querySelectorAll('[aria-posinset]')];
      const end = rows.reduce((a, b) => (Number(a.ariaPosInSet) > Number(b.ariaPosInSet) ? a : b));
      const room = element.getBoundingClientRect();
      return [Number(end.ariaPosInSet), Number(end.ariaSetSize), end.getBoundingClientRect().bottom - room.bottom];
    });
    expect(last).toBe(count);
    expect(below).toBeLessThanOrEqual(0);
  }).toPass({ timeout: LONG });
  await expect(window.button(/Jump to latest/)).toHaveCount(0);
}

/** Every older row of the path is there. */
async function isWhole(): Promise<void> {
  await expect
    .poll(
      async () => Number(await transcript(window.page).locator('[aria-setsize]').first().getAttribute('aria-setsize')),
      { timeout: 2 * LONG },
    ) // prettier-ignore
    .toBeGreaterThanOrEqual(MESSAGES);
}

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
  await window.importByMenu([tallSession()]);
  await expect(window.row(ID)).toBeVisible({ timeout: 4 * LONG });
  await window.show(ID);
});
test.afterAll(() => {
  removeHome(files);
});

test('it opens at its end, and stays there while older rows come', async () => {
  await expect(transcript(window.page)).toContainText(LAST, { timeout: LONG });
  await isWhole();
  await atEnd();
});

test('a question that waits at its end is seen and answered', async () => {
  await window.request('session.setModel', { sessionId: ID, ...modelOf(endpointOn(server.url, 'loopback')) });
  const call = { type: 'toolCall' as const, name: 'bash', arguments: { command: 'touch reached' } };
  server.script([{ content: [call] }, `The last of the last. See [entry:${idOf(6_000)}]`]);
  await window.say('Go');
  await expect(approval(window.page)).toBeInViewport({ timeout: LONG });
  await answerCard(window.page, 'Run once');
  await answered(window.page, 'The last of the last.');
  await atEnd();
});

/** Every row that is drawn has its text, and nothing moves any more. */
async function settled(): Promise<void> {
  await expect(async () => {
    const was = await top();
    await drawn();
    expect(await top()).toBe(was);
    const rows = transcript(window.page).locator('[data-entry]');
    expect(await rows.evaluateAll((all) => all.every((one) => one.textContent.includes('Message ')))).toBe(true);
  }).toPass({ timeout: LONG });
}

/** Scrolls up a little; resolves with how far what is read moved by it on the screen, and the list in itself. */
async function stepUp(px: number): Promise<{ readPx: number; listPx: number }> {
  const list = await transcript(window.page).elementHandle();
  const read = await list!.evaluateHandle((element) => {
    const upper = element.getBoundingClientRect().top;
    return [...element.querySelectorAll('[data-entry]')].find(
      (one) => one.getBoundingClientRect().bottom > upper + 10,
    )!;
  });
  const bottom = (): Promise<number> => read.evaluate((one) => (one.isConnected ? one.getBoundingClientRect().bottom : NaN)); // prettier-ignore
  const [was, place] = [await bottom(), await top()];
  await list!.evaluate((element, by) => element.scrollBy({ top: -by, behavior: 'instant' }), px);
  await settled();
  return { readPx: (await bottom()) - was, listPx: place - (await top()) };
}

test('scrolling up goes on past the edge of what is laid out, and what is read stays where it is', async () => {
  for (let edges = 0; edges < 3; edges++) {
    await transcript(window.page).evaluate((element, px) => void (element.scrollTop = px), EDGE_PX + 10_000);
    await settled();
    let moved = false;
    for (let step = 0; step < 100 && !moved; step++) {
      const { readPx, listPx } = await stepUp(600);
      expect(Math.abs(readPx - 600), `edge ${edges}, step ${step}`).toBeLessThanOrEqual(1);
      moved = listPx < -EDGE_PX;
    }
    expect(moved, `edge ${edges}`).toBe(true);
    expect((await stepUp(600)).readPx).toBeCloseTo(600, 0);
  }
});

test('Home shows the first, and End and the button the last', async () => {
  await transcript(window.page).press('Home');
  await expect(row(0)).toBeInViewport({ timeout: LONG });
  await transcript(window.page).press('End');
  await atEnd();
  await expect(transcript(window.page)).toContainText('The last of the last.');
  await transcript(window.page).press('Home');
  await expect(row(0)).toBeInViewport({ timeout: LONG });
  await window.button(/Jump to latest/).click();
  await atEnd();
});

test('a reference leads to its entry, wherever that is, and the place is kept while another session is shown', async () => {
  await transcript(window.page).getByTitle('Go to this message').click();
  const article = transcript(window.page).locator(`[data-entry="${idOf(6_000)}"]`);
  await expect(article).toContainText('Message 6000.', { timeout: LONG });
  const place = (): Promise<number> => article.evaluate((one) => Math.round(one.getBoundingClientRect().top - one.closest('[data-transcript]')!.getBoundingClientRect().top)); // prettier-ignore
  await expect.poll(place).toBe(0);
  await settled();
  await transcript(window.page).evaluate((element) => element.scrollBy({ top: -333, behavior: 'instant' }));
  await expect.poll(place).toBe(333);
  await window.startSession('Another', modelOf(endpointOn(server.url, 'loopback')));
  await window.show(ID);
  await expect.poll(place).toBe(333);
  await transcript(window.page).press('End');
  await atEnd();
});
