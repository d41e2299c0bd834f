import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { AppWindow } from '../support/e2e/window';

/** After damage to the file of a session that was repaired, its transcript opens at its end, as ever. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const files = newHome();
const MESSAGES = 240;
const ID = '0b0c0d0e-0000-4000-8000-000000000001';
const journal = join(home, 'sessions', `${ID}.jsonl`);
const index = join(home, 'sessions', `${ID}.index`);
let app: RunningApp;
let window: AppWindow;

/** Messages of very different heights, so that what is not drawn yet is higher or lower than it was taken for. */
function session(): string {
  const lines: unknown[] = [
    { type: 'session', version: 3, id: ID, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/tmp' },
  ];
  for (let n = 0; n < MESSAGES; n++) {
    const words = `Message ${n}. ${'word '.repeat((n * 37) % 200)}${n % 5 === 0 ? '\n\n- a\n- b\n\n```\ncode\ncode\ncode\n```\n' : ''}`;
    const content = [{ type: 'text', text: `${words}${n === MESSAGES - 1 ? ' The very last words.' : ''}` }];
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }; // prettier-ignore
    const reply = { role: 'assistant', content, api: 'x', provider: 'x', model: 'x', usage, stopReason: 'stop', timestamp: n }; // prettier-ignore
    lines.push({
      type: 'message',
      id: `${n}`.padStart(16, '0'),
      parentId: n === 0 ? null : `${n - 1}`.padStart(16, '0'),
      timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
      message: n % 2 === 0 ? { role: 'user', content, timestamp: n } : reply,
    });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function start(): Promise<void> {
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
}

/** What is seen is the end, also once every older row is there and what is drawn was measured. */
async function atEnd(): Promise<void> {
  const transcript = window.page.locator('[data-transcript]');
  await expect(transcript).toContainText('The very last words.', { timeout: LONG });
  await expect(transcript.locator('[aria-setsize]').last()).toHaveAttribute('aria-setsize', /^2[34]\d$/, {
    timeout: LONG,
  });
  const distance = (): Promise<number> =>
    transcript.evaluate((element) => Math.round(element.scrollHeight - element.clientHeight - element.scrollTop));
  await expect.poll(distance).toBeLessThanOrEqual(1);
  await expect(window.button(/Jump to latest/)).toHaveCount(0);
}

/** Two frames have passed: what a frame tells of the one before it was told. */
async function drawn(): Promise<void> {
  await window.page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

test.beforeAll(async () => {
  writeFileSync(join(files, 'long.jsonl'), session());
  await start();
  await window.importByMenu([join(files, 'long.jsonl')]);
  await expect(window.row(ID)).toBeVisible({ timeout: LONG });
  await window.show(ID);
  await atEnd();
});
test.afterAll(async () => {
  await app.close();
  removeHome(home);
  removeHome(files);
});

const harms: Record<string, (text: string) => void> = {
  'its index lost': () => rmSync(index),
  'cut in its middle': (text) => writeFileSync(journal, text.slice(0, text.length / 2)),
  'cut short before its last words': (text) => writeFileSync(journal, text.slice(0, -3000)),
  'changed in its middle': (text) => {
    const at = text.indexOf('Message 100.');
    writeFileSync(journal, `${text.slice(0, at - 200)}${'#'.repeat(300)}${text.slice(at + 100)}`);
  },
  'its header overwritten': (text) => writeFileSync(journal, `${'#'.repeat(100)}${text.slice(100)}`),
  removed: () => rmSync(journal),
  'turned round, its index lost': (text) => {
    // Of a journal that was just brought back it may not be written yet.
    rmSync(index, { force: true });
    writeFileSync(journal, `${text.trimEnd().split('\n').reverse().join('\n')}\n`);
  },
};

for (const [what, harm] of Object.entries(harms)) {
  test(`${what} while the app is closed: the transcript opens at its end`, async () => {
    await app.close();
    harm(readFileSync(journal, 'utf8'));
    await start();
    await expect(window.row(ID)).toBeVisible({ timeout: LONG });
    await window.show(ID);
    await atEnd();
  });

  test(`${what} while it is shown, and brought back: the transcript stays at its end`, async () => {
    harm(readFileSync(journal, 'utf8'));
    await window.page.reload();
    await expect(window.row(ID)).toBeVisible({ timeout: LONG });
    await window.show(ID);
    await atEnd();
  });
}

test('a draft that is written over several lines leaves the transcript at its end', async () => {
  await window.show(ID);
  await atEnd();
  // The field measures itself with each key: for that moment the transcript has more room.
  await window.composer.fill('one\ntwo\nthree\nfour\nfive\nsix');
  await window.composer.press('End');
  await window.composer.pressSequentially(' and seven');
  await drawn();
  await atEnd();
  await window.composer.fill('');
  await atEnd();
});

test('a notice that goes and comes back before the next frame leaves the transcript at its end', async () => {
  await window.page.locator('[data-pane="transcript"]').evaluate((pane) => {
    const notice = document.createElement('div');
    notice.style.cssText = 'flex: none; height: 100px';
    pane.prepend(notice);
  });
  await atEnd();
  await window.page.locator('[data-pane="transcript"]').evaluate((pane) => {
    const [notice] = pane.children;
    const transcript = pane.querySelector('[data-transcript]')!;
    notice!.remove();
    // Lays out, as any measurement does.
    if (transcript.scrollTop + transcript.clientHeight < transcript.scrollHeight - 1) throw new Error('not at its end');
    pane.prepend(notice!);
  });
  await drawn();
  await atEnd();
  await window.page.locator('[data-pane="transcript"]').evaluate((pane) => pane.firstElementChild!.remove());
});

test('scrolling up, however little, ends that until the person asks for the end', async () => {
  const transcript = window.page.locator('[data-transcript]');
  const top = (): Promise<number> => transcript.evaluate((element) => element.scrollTop);
  const grow = (): Promise<void> =>
    transcript.locator('[aria-setsize]').last().evaluate((row) => {
      const more = document.createElement('div');
      more.style.height = '300px';
      row.append(more);
    }); // prettier-ignore
  await atEnd();
  const end = await top();
  await transcript.hover();
  await window.page.mouse.wheel(0, -40);
  // It glides.
  let left = end;
  await expect(async () => {
    left = await top();
    await drawn();
    expect(left).toBeLessThan(end - 20);
    expect(await top()).toBe(left);
  }).toPass({ timeout: LONG });
  await grow();
  await expect(window.button(/Jump to latest/)).toBeVisible();
  expect(await top()).toBe(left);
  await transcript.press('End');
  await atEnd();
  await grow();
  await atEnd();
  expect(await top()).toBeGreaterThan(end + 598);
});

/** The last row gets taller by so much. */
async function growBy(px: number): Promise<void> {
  await window.page.locator('[data-transcript] [aria-setsize]').last().evaluate((row, height) => {
    const more = document.createElement('div');
    more.style.height = `${height}px`;
    row.append(more);
  }, px); // prettier-ignore
}

for (const [how, up] of Object.entries({
  'the wheel': () => window.page.mouse.wheel(0, -12),
  'a slow hand on the touchpad': () => window.page.mouse.wheel(0, -2),
  'an arrow key': () => window.page.locator('[data-transcript]').press('ArrowUp'),
}))
  test(`a little up by ${how}, right after the list went to the end by itself: what grows a little takes nobody back`, async () => {
    const transcript = window.page.locator('[data-transcript]');
    await transcript.press('End');
    await atEnd();
    await transcript.hover();
    // The list follows by a command of its own, which is at work for some frames.
    await growBy(9);
    await up();
    const top = (): Promise<number> => transcript.evaluate((element) => element.scrollTop);
    const distance = (): Promise<number> => transcript.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop); // prettier-ignore
    await expect.poll(distance).toBeGreaterThan(1);
    let left = 0;
    await expect(async () => {
      left = await top();
      await drawn();
      expect(await top()).toBe(left);
    }).toPass({ timeout: LONG });
    const before = await distance();
    for (let grown = 0; grown < 5; grown++) {
      await growBy(3);
      await drawn();
    }
    expect(await top()).toBe(left);
    expect(await distance()).toBeCloseTo(before + 15, 0);
    // Going down again, near enough, is to read the newest.
    await window.page.mouse.wheel(0, 5);
    await atEnd();
    await growBy(30);
    await atEnd();
  });
