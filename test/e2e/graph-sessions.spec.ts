import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import {
  combSession,
  compactedSession,
  editedSession,
  fanSession,
  type GraphSession,
  journalOf,
  nestedSession,
  starSession,
} from '../support/graph-sessions';
import type { RunningApp } from '../support/electron-app';
import { GraphPage } from '../support/e2e/graph';
import { ALL_SIZES, takeShots } from '../support/e2e/shots';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';

/** Each of the sessions that the graph is built for, as rail and as canvas: every block has words, Fit shows all, what is shown is clear. */

const RECORDED = resolve('test/fixtures/recorded-session/session.jsonl');
const SESSIONS: Record<string, () => GraphSession> = {
  edited: editedSession,
  five: () => fanSession(5),
  twelve: () => fanSession(12),
  nested: nestedSession,
  star: starSession,
  comb: combSession,
  compacted: compactedSession,
};
/** Further files, to look at. */
const MORE = (process.env.ESPALIER_SHOTS && process.env.ESPALIER_SHOTS_OF?.split(',')) || [];

const home = sharedHome();
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  // Opened by the person it stays open in a small window too.
  await app.page.keyboard.press('ControlOrMeta+Shift+g');
  await expect(graph.pane).toBeHidden();
  await app.page.keyboard.press('ControlOrMeta+Shift+g');
  await expect(graph.pane).toBeVisible();
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const shots = (name: string): Promise<void> => takeShots(app, name, ALL_SIZES);
const button = (name: string) => graph.pane.getByRole('button', { name, exact: true });

/** Every cell that is seen is whole words of a size that can be read. */
async function isReadable(): Promise<void> {
  await expect.poll(() => graph.cells()).toMatchObject({ without: [], tooSmall: [] });
}

async function open(file: string): Promise<void> {
  await window.importByMenu([file]);
  await expect(graph.head).toBeVisible();
  // It goes there when the session has come.
  await expect(window.composer).toBeFocused();
  await graph.plane.focus();
}

async function resize(width: number, height: number): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w, h), [
    width,
    height,
  ] as const);
  await expect.poll(() => app.page.evaluate(() => innerHeight)).toBe(height);
}

/** Goes to the first hit. */
async function find(words: string): Promise<void> {
  await graph.pane.getByRole('combobox', { name: 'Find in the tree' }).fill(words);
  await expect(
    graph.pane.getByRole('listbox', { name: 'Turns that were found' }).getByRole('option').first(),
  ).toBeVisible();
  await app.page.keyboard.press('Enter');
  await expect(graph.preview).toBeVisible();
}

async function look(name: string, words: string): Promise<void> {
  await isReadable();
  await expect(graph.head).toBeInViewport({ ratio: 0.99 });
  await shots(`${name}-rail`);
  await app.page.keyboard.press('Home');
  await isReadable();
  await shots(`${name}-rail-top`);
  await find(words);
  await expect.poll(() => graph.covered('[data-cursor]')).toEqual([]);
  await shots(`${name}-rail-hit`);
  await app.page.keyboard.press('Escape');
  await app.page.keyboard.press('Escape');
  const closed = graph.closed.first();
  if ((await closed.count()) > 0) {
    await graph.plane.focus();
    const { x, y } = await graph.middleOf(closed);
    await app.page.mouse.click(x, y);
    await shots(`${name}-rail-read`);
    for (let n = 0; n < 3; n++) await app.page.keyboard.press('Escape');
  }
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await expect(graph.head).toBeInViewport({ ratio: 0.99 });
  for (const height of [640, 800]) {
    await resize(1280, height);
    await expect(graph.head).toBeInViewport({ ratio: 0.99 });
  }
  await button('Graph in the whole window').click();
  await expect(graph.pane.locator('[data-graph="canvas"]')).toBeVisible();
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await isReadable();
  await shots(`${name}-canvas`);
  for (let step = 0; step < 5; step++) {
    await button('Zoom out').click();
    await isReadable();
    if (step === 2) await shots(`${name}-canvas-out`);
  }
  await button('Fit').click();
  await expect.poll(async () => (await graph.cells()).outside).toEqual([]);
  await isReadable();
  await expect(graph.head).toBeInViewport({ ratio: 0.99 });
  await shots(`${name}-canvas-fit`);
  for (const height of [640, 800]) {
    await resize(1280, height);
    await expect.poll(async () => (await graph.cells()).outside).toEqual([]);
  }
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await graph.pane.getByRole('button', { name: /back to 100%/ }).click();
  await find(words);
  await expect.poll(() => graph.covered('[data-cursor]')).toEqual([]);
  await shots(`${name}-canvas-hit`);
  await app.page.keyboard.press('Escape');
  await app.page.keyboard.press('Escape');
  await button('Back beside the transcript').click();
  await expect(graph.pane.locator('[data-graph="rail"]')).toBeVisible();
}

test('WN22: over the transcript the graph covers nothing of bars and composer; in a narrow pane nothing is cut', async () => {
  writeFileSync(join(home, 'five.jsonl'), journalOf(fanSession(5)).join('\n') + '\n');
  await open(join(home, 'five.jsonl'));
  const covered = () =>
    app.page.evaluate(() => {
      const pane = document.querySelector('[data-pane="graph"]')!.getBoundingClientRect();
      const parts = document.querySelectorAll(
        '[data-composer], [data-pane="bar"] button, [data-pane="composer"] button',
      );
      return [...parts].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.width > 0 && box.right > pane.left && box.bottom > pane.top && box.top < pane.bottom;
      }).length;
    });
  for (const [width, height] of [
    [960, 640],
    [1100, 700],
  ] as const) {
    await resize(width, height);
    await expect.poll(() => app.page.evaluate(() => innerWidth)).toBe(width);
    await expect.poll(covered).toBe(0);
  }
  // Another session has a pane of its own, whose composer grows.
  writeFileSync(join(home, 'six.jsonl'), journalOf(fanSession(6)).join('\n') + '\n');
  await open(join(home, 'six.jsonl'));
  const low = (await window.composer.boundingBox())!.height;
  await window.composer.fill('A line.\n'.repeat(8));
  await expect.poll(async () => (await window.composer.boundingBox())!.height).toBeGreaterThan(low + 40);
  await expect.poll(covered).toBe(0);
  await window.composer.fill('');
  await resize(1280, 800);
  await graph.pane.page().getByRole('separator', { name: 'Resize branches' }).press('Home');
  const cut = () =>
    graph.pane.evaluate((pane) => {
      const { left, right } = pane.getBoundingClientRect();
      const parts = [...pane.querySelectorAll('button, input')].map((part) => part.getBoundingClientRect());
      return parts.filter((box) => box.width > 0 && (box.left < left || box.right > right)).length;
    });
  await expect.poll(cut).toBe(0);
  expect((await graph.pane.locator('[data-graph-search]').boundingBox())!.width).toBeGreaterThan(120);
  await takeShots(app, 'narrow-pane', ALL_SIZES);
  await graph.pane.page().getByRole('separator', { name: 'Resize branches' }).press('Shift+ArrowLeft');
});

for (const [name, make] of Object.entries(SESSIONS)) {
  test(`GR8, GR9: ${name}`, async () => {
    const session = make();
    const file = join(home, `${name}.jsonl`);
    writeFileSync(file, `${journalOf(session).join('\n')}\n`);
    await open(file);
    const prompts = session.entries.filter(({ kind }) => kind === 'user');
    await look(name, `Question ${prompts[Math.floor(prompts.length / 2)]?.id}`);
  });
}

for (const [at, file] of [RECORDED, ...MORE].entries()) {
  test(`GR8, GR9: of a real session (${at + 1})`, async () => {
    await open(file);
    await look(at === 0 ? 'recorded' : `more${at}`, 'the');
  });
}
