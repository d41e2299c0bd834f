import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { LONG, composer, sessionRows, transcript } from '../support/e2e/chat';
import { loggedProblems } from '../support/e2e/files';
import { GraphPage } from '../support/e2e/graph';
import { takeShots } from '../support/e2e/shots';

/** WN18: the first start opens on the tour; its three coach marks are done by the person, and none comes back. */
const ON = { ESPALIER_NO_TOUR: '0', ESPALIER_DEMO_SPEED: '100000' };
/** What the meter shows: the tokens that the last reply of the recording reported. */
const RECORDED = readFileSync(join(process.cwd(), 'resources/tour/session.jsonl'), 'utf8');
const TOKENS = Number([...RECORDED.matchAll(/"totalTokens":(\d+)/g)].at(-1)?.[1]);
const FULL = `${(TOKENS / 1000).toFixed(1).replace('.0', '')}k`;
const TITLE = 'Tour: a faster importer';
const homes: string[] = [];
let app: RunningApp;

const freshHome = (): string => {
  const home = newHome();
  homes.push(home);
  return home;
};
const launch = async (home: string, size = { width: 1280, height: 800 }): Promise<RunningApp> =>
  (app = await launchApp({ home, env: ON, graph: true, size }));
const coach = (page: Page): Locator => page.locator('[data-coach]');
const markOf = (page: Page, name: string | RegExp): Locator => page.getByRole('region', { name });
const grip = (page: Page): Locator => page.getByRole('button', { name: 'Drag the cut line' });
const sheet = (page: Page): Locator => page.getByRole('dialog', { name: 'Compact this session' });
const ways = (page: Page): Locator => page.getByRole('group', { name: 'This is a demo session' });
const seen = (home: string): unknown =>
  (JSON.parse(readFileSync(join(home, 'tour.json'), 'utf8')) as { seen: unknown }).seen;

/** As it is now, at this size. */
async function shot(name: string): Promise<void> {
  const folder = process.env.ESPALIER_SHOTS;
  if (folder) await app.page.screenshot({ path: join(folder, `${name}.png`) });
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (!box) throw new Error('It is not on screen.');
  return box;
}

function overlap(a: Awaited<ReturnType<typeof boxOf>>, b: Awaited<ReturnType<typeof boxOf>>): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

test.afterAll(async () => {
  await app?.close();
  homes.forEach(removeHome);
});

test.describe('on the very first start', () => {
  test.describe.configure({ mode: 'serial' });
  const home = freshHome();

  test('the tour is there, at its cut line, with the ways to one’s own session', async () => {
    const { page } = await launch(home);
    await expect(sessionRows(page)).toHaveCount(1);
    await expect(sessionRows(page).first()).toContainText(TITLE);
    await expect(markOf(page, 'Tour, 1 of 3: Drag this line down')).toBeVisible({ timeout: LONG });
    await expect(grip(page)).toBeInViewport();
    await expect(
      transcript(page).getByText('Now batch the inserts. Cancel must work between two batches.'),
    ).toBeInViewport();
    // Nothing is said of a database that was emptied: it is new.
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByText('database')).toHaveCount(0);
    await expect(ways(page).getByRole('button')).toHaveText(['Paste a key', 'Import from pi']);
    await expect(page.getByText(FULL).first()).toBeVisible();
    // The first figure of the mark is the meter's.
    await expect(coach(page)).toContainText(new RegExp(`${FULL} → down to about [0-9.]+k tokens`));
    expect(overlap(await boxOf(coach(page)), await boxOf(grip(page)))).toBe(false);
    expect(await seriousIssues(page)).toEqual([]);
    await takeShots(app, 'tour-1');
  });

  test('TS8: the line is dragged by the mouse, and Compact makes room', async () => {
    const { page } = app;
    const start = await boxOf(grip(page));
    const frame = await boxOf(page.locator('[data-transcript]'));
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(start.x + 10, start.y + 120, { steps: 5 });
    const ghost = page.locator('[data-cut-ghost]');
    // What is promised comes true within what is seen.
    await expect
      .poll(async () => Number(/about ([\d.]+)k/.exec(await ghost.innerText())?.[1]))
      .toBeLessThan(TOKENS / 1000 - 0.2);
    await page.mouse.move(start.x + 10, frame.y + frame.height - 40, { steps: 5 });
    await expect
      .poll(async () => Number(/about ([\d.]+)k/.exec(await ghost.innerText())?.[1]))
      .toBeLessThan(TOKENS / 1000 - 2);
    await expect(ghost).not.toContainText('not smaller');
    const near = await ghost.getAttribute('data-cut-ghost');
    // At the edge the transcript moves on below it.
    await page.mouse.move(start.x + 10, frame.y + frame.height - 6, { steps: 5 });
    await expect.poll(() => ghost.getAttribute('data-cut-ghost')).not.toBe(near);
    await expect.poll(async () => Number(/about ([\d.]+)k/.exec(await ghost.innerText())?.[1])).toBeLessThan(36);
    await page.mouse.move(start.x + 10, frame.y + frame.height / 2, { steps: 3 });
    const cut = await ghost.getAttribute('data-cut-ghost');
    await takeShots(app, 'tour-drag');
    await page.mouse.up();
    await expect(sheet(page).getByRole('slider', { name: 'Cut line' })).toBeVisible({ timeout: LONG });
    expect(cut).not.toBe(near);
    await sheet(page).getByRole('button', { name: 'Compact', exact: true }).click();
    await expect(markOf(page, 'Tour, 2 of 3: Now undo it')).toBeVisible({ timeout: LONG });
    await expect.poll(() => seen(home)).toEqual(['cut']);
    // The message that stood under the line is the first that is kept.
    const kept = transcript(page).locator('[data-kind="cut"] + *');
    await expect(kept).toHaveAttribute('data-entry', cut ?? '');
  });

  test('Undo brings every word back', async () => {
    const { page } = app;
    const undo = transcript(page).locator('[data-kind="cut"]').getByRole('button', { name: 'Undo' });
    await expect(undo).toBeInViewport();
    expect(overlap(await boxOf(coach(page)), await boxOf(undo))).toBe(false);
    await takeShots(app, 'tour-2');
    const at = await boxOf(undo);
    await page.mouse.click(at.x + at.width / 2, at.y + at.height / 2);
    await expect(markOf(page, 'Tour, 3 of 3: Pull out a branch')).toBeVisible({ timeout: LONG });
    await expect.poll(() => seen(home)).toEqual(['cut', 'undo']);
    await expect(page.getByText(FULL).first()).toBeVisible();
  });

  test('the + of a turn, dragged to an empty space, begins a branch', async () => {
    const { page } = app;
    const graph = new GraphPage(page);
    const plus = graph.pane.locator('[class*="plus"]').first();
    await expect(plus).toBeVisible();
    await takeShots(app, 'tour-3');
    expect(overlap(await boxOf(coach(page)), await boxOf(plus))).toBe(false);
    const from = await boxOf(plus);
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + 10, { steps: 4 });
    await page.mouse.move(from.x + 110, from.y + 20, { steps: 4 });
    await expect(graph.ghost).toContainText('New branch here');
    await page.mouse.up();
    await expect(page.getByRole('group', { name: 'Where your message goes' })).toBeVisible({ timeout: LONG });
    await expect(coach(page)).toHaveCount(0);
    await expect.poll(() => seen(home)).toEqual(['cut', 'undo', 'branch']);
    await expect(ways(page)).toBeVisible();
  });

  test('GR34: after a restart no mark comes back, the session is where it was, and its graph shows HEAD', async () => {
    await composer(app.page).press('Escape');
    await composer(app.page).fill('/compact');
    await composer(app.page).press('Enter');
    const before = new GraphPage(app.page);
    await expect(before.head).toHaveAttribute('data-kind', 'compaction', { timeout: LONG });
    await expect(before.head).toBeInViewport();
    await app.close();
    expect(app.problems).toEqual([]);
    const { page } = await launch(home);
    const { head } = new GraphPage(page);
    await expect(head).toHaveAttribute('data-kind', 'compaction', { timeout: LONG });
    await expect(head).toBeInViewport();
    await takeShots(app, 'graph-again');
    await expect(sessionRows(page)).toHaveCount(1);
    await expect(transcript(page).locator('[data-entry]').first()).toBeVisible({ timeout: LONG });
    await expect(ways(page)).toBeVisible();
    await expect(coach(page)).toHaveCount(0);
  });

  test('deleted, it does not come back by itself; the palette makes it anew, without marks', async () => {
    const { page } = app;
    await sessionRows(page).first().press('Delete');
    await expect(page.getByRole('heading', { name: 'Long sessions that forget nothing' })).toBeVisible({
      timeout: LONG,
    });
    await app.close();
    const { page: again } = await launch(home);
    await expect(again.getByRole('heading', { name: 'Long sessions that forget nothing' })).toBeVisible({
      timeout: LONG,
    });
    await expect(again.getByText(TITLE)).toHaveCount(0);
    await again.keyboard.press('Control+K');
    await again.getByRole('combobox').fill('open the tour');
    await again.keyboard.press('Enter');
    await expect(sessionRows(again).filter({ hasText: TITLE })).toHaveCount(1, { timeout: LONG });
    await expect(ways(again)).toBeVisible();
    await expect(coach(again)).toHaveCount(0);
  });

  test('all of this logs no warning and no error', async () => {
    await app.close();
    expect(loggedProblems(home)).toEqual([]);
  });
});

test.describe('at its first mark', () => {
  test.describe.configure({ mode: 'serial' });
  const home = freshHome();
  test.afterAll(() => app.close());

  test('by keyboard the grip leads to the line in the sheet', async () => {
    const { page } = await launch(home);
    await expect(coach(page)).toBeVisible({ timeout: LONG });
    await grip(page).focus();
    await page.keyboard.press('Enter');
    await expect(sheet(page).getByRole('slider', { name: 'Cut line' })).toBeFocused({ timeout: LONG });
    await page.keyboard.press('Escape');
    await expect(sheet(page)).toHaveCount(0);
    await expect(coach(page)).toBeVisible();
    // A drag that is given up asks nothing; one that goes nowhere is a press.
    const at = await boxOf(grip(page));
    await page.mouse.move(at.x + 10, at.y + 10);
    await page.mouse.down();
    await page.mouse.move(at.x + 10, at.y + 160, { steps: 4 });
    await expect(page.locator('[data-cut-ghost]')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('[data-cut-drag]')).toHaveCount(0);
    await page.mouse.up();
    await expect(sheet(page)).toHaveCount(0);
    await grip(page).click();
    await expect(sheet(page)).toBeVisible({ timeout: LONG });
    await page.keyboard.press('Escape');
    await expect(sheet(page)).toHaveCount(0);
  });

  test('TS8: a line that is dropped before it is known what can be cut falls where it was dropped', async () => {
    const { page } = app;
    await expect(coach(page)).toBeVisible({ timeout: LONG });
    const line = sheet(page).getByRole('slider', { name: 'Cut line' });
    await grip(page).click();
    await expect(line).toBeVisible({ timeout: LONG });
    const first = await line.getAttribute('aria-valuenow');
    await page.keyboard.press('Escape');
    await expect(sheet(page)).toHaveCount(0);
    // In one task: main can't have answered by then.
    const isKnown = await grip(page).evaluate(async (element) => {
      const { left, top } = element.getBoundingClientRect();
      const tell = (type: string, target: Element, y: number): void => {
        const at = { pointerId: 1, button: 0, clientX: left + 10, clientY: top + y };
        target.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, ...at }));
      };
      tell('pointerdown', element, 10);
      for (let drawn = 0; drawn < 100 && !document.querySelector('[data-cut-drag]'); drawn++) await Promise.resolve();
      const layer = document.querySelector('[data-cut-drag]')!;
      tell('pointermove', layer, 200);
      const found = document.querySelector('[data-cut-ghost]') !== null;
      tell('pointerup', layer, 200);
      return found;
    });
    expect(isKnown).toBe(false);
    await expect(line).toBeVisible({ timeout: LONG });
    await expect(page.locator('[data-cut-drag]')).toHaveCount(0);
    // Right below the old one, far above what is offered without a drag.
    expect(Number(await line.getAttribute('aria-valuenow'))).toBeLessThan(Number(first) / 2);
    await page.keyboard.press('Escape');
    await expect(sheet(page)).toHaveCount(0);
  });

  test('marks are skipped one by one, by keyboard, or all at once, and stay away', async () => {
    const { page } = app;
    await expect(coach(page)).toBeVisible({ timeout: LONG });
    await coach(page).getByRole('button', { name: 'Skip this one' }).focus();
    await page.keyboard.press('Enter');
    // Without a cut of one's own there is nothing to undo.
    await expect(markOf(page, 'Tour, 3 of 3: Pull out a branch')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(coach(page).getByRole('button', { name: 'Skip the tour' })).toBeFocused();
    await page.keyboard.press('Space');
    await expect(coach(page)).toHaveCount(0);
    await expect(composer(page)).toBeFocused();
    await expect.poll(() => seen(home)).toEqual(['cut', 'undo', 'branch']);
    await app.close();
    const { page: again } = await launch(home);
    await expect(ways(again)).toBeVisible({ timeout: LONG });
    await expect(coach(again)).toHaveCount(0);
  });

  test('its project is really there: the demo model reads it and the tests run', async () => {
    const { page } = app;
    await composer(page).fill('Read src/import.js');
    await composer(page).press('Enter');
    await expect(transcript(page).getByText(/The file has \d+ lines with text/)).toBeVisible({ timeout: LONG });
    expect(readFileSync(join(home, 'workspaces', 'scratch', 'importer', 'package.json'), 'utf8')).toContain('0.4.0');
  });
});

test('WN18: left at any point it harms nothing: every word is there, and it goes on where it was', async () => {
  const home = freshHome();
  const journal = (): string => {
    const folder = join(home, 'sessions');
    const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
    return readFileSync(join(folder, name), 'utf8');
  };
  const first = /Tour, 1 of 3/;
  const leave = async (): Promise<Page> => {
    await app.close();
    expect(app.problems).toEqual([]);
    return (await launch(home)).page;
  };
  let { page } = await launch(home);
  await expect(markOf(page, first)).toBeVisible({ timeout: LONG });
  const whole = journal();

  // With the line in the hand.
  const at = await boxOf(grip(page));
  await page.mouse.move(at.x + 10, at.y + 10);
  await page.mouse.down();
  await page.mouse.move(at.x + 10, at.y + 160, { steps: 4 });
  await expect(page.locator('[data-cut-ghost]')).toBeVisible();
  page = await leave();
  await expect(markOf(page, first)).toBeVisible({ timeout: LONG });
  expect(journal()).toBe(whole);

  // Before the sheet's answer.
  await grip(page).click();
  await expect(sheet(page)).toBeVisible({ timeout: LONG });
  page = await leave();
  await expect(markOf(page, first)).toBeVisible({ timeout: LONG });
  expect(journal()).toBe(whole);

  // With the cut made, and not undone.
  await grip(page).click();
  await sheet(page).getByRole('button', { name: 'Compact', exact: true }).click({ timeout: LONG });
  await expect(markOf(page, /Tour, 2 of 3/)).toBeVisible({ timeout: LONG });
  page = await leave();
  await expect(markOf(page, /Tour, 2 of 3/)).toBeVisible({ timeout: LONG });
  expect(journal().startsWith(whole)).toBe(true);
  await transcript(page).locator('[data-kind="cut"]').getByRole('button', { name: 'Undo' }).click();
  await expect(markOf(page, /Tour, 3 of 3/)).toBeVisible({ timeout: LONG });

  // For another session, whose transcript has no mark.
  await page.getByRole('button', { name: 'New session' }).first().click();
  await expect(sessionRows(page)).toHaveCount(2);
  await expect(coach(page)).toHaveCount(0);
  await sessionRows(page).filter({ hasText: TITLE }).click();
  await expect(markOf(page, /Tour, 3 of 3/)).toBeVisible({ timeout: LONG });
  expect(journal().startsWith(whole)).toBe(true);
  await app.close();
  expect(loggedProblems(home)).toEqual([]);
});

test('in a small window the last mark leads to the branches, and covers none of it', async () => {
  const home = freshHome();
  const { page } = await launch(home, { width: 960, height: 640 });
  await expect(coach(page)).toBeVisible({ timeout: LONG });
  expect(overlap(await boxOf(coach(page)), await boxOf(grip(page)))).toBe(false);
  await expect(grip(page)).toBeInViewport();
  await coach(page).getByRole('button', { name: 'Skip this one' }).click();
  await shot('tour-3-small');
  await coach(page).getByRole('button', { name: 'Show branches' }).click();
  await expect(new GraphPage(page).pane.locator('[data-coach]')).toBeVisible({ timeout: LONG });
  await expect(coach(page)).toHaveCount(1);
  await shot('tour-3-small-graph');
  await app.close();
});

test('the ways to one’s own session lead somewhere: to a key, and to a model of a server that was found', async () => {
  const server = createServer((request, response) => {
    const answer = request.url === '/api/tags' ? { models: [{ name: 'qwen3-coder' }] } : {};
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const home = freshHome();
  app = await launchApp({ home, env: { ...ON, OLLAMA_HOST: `http://127.0.0.1:${port}` }, graph: true });
  const { page } = app;
  await expect(ways(page)).toBeVisible({ timeout: LONG });
  await ways(page).getByRole('button', { name: 'Paste a key' }).click();
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await expect(settings.getByRole('textbox', { name: 'API key' })).toBeFocused({ timeout: LONG });
  // The first one leaves the form, which does not open by itself another time.
  await page.keyboard.press('Escape');
  await expect(settings.getByRole('button', { name: 'Paste a key' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(settings).toHaveCount(0);
  await page.keyboard.press('Control+,');
  await expect(settings.getByRole('button', { name: 'Paste a key' })).toBeVisible();
  await page.keyboard.press('Escape');
  await ways(page).getByRole('button', { name: 'Ollama found: qwen3-coder' }).click({ timeout: LONG });
  await expect(sessionRows(page)).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'Model: qwen3-coder' })).toBeVisible({ timeout: LONG });
  await expect(ways(page)).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  await app.close();
  server.close();
});

test('who has sessions gets no tour', async () => {
  const home = freshHome();
  mkdirSync(join(home, 'sessions'), { recursive: true });
  const lines = [
    {
      type: 'session',
      version: 3,
      id: '0198c0de-0000-7000-8000-000000000001',
      timestamp: '2026-01-01T00:00:00.000Z',
      cwd: '/',
    },
    { type: 'message', id: 'aaaaaaaaaaaaaaaa', parentId: null, timestamp: '2026-01-01T00:00:01.000Z', message: { role: 'user', content: 'An old question', timestamp: 1 } }, // prettier-ignore
  ];
  writeFileSync(
    join(home, 'sessions', '0198c0de-0000-7000-8000-000000000001.jsonl'),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  const { page } = await launch(home);
  await expect(sessionRows(page)).toHaveCount(1);
  await expect(sessionRows(page).first()).toContainText('An old question');
  await app.close();
});

test('where it can’t be copied, the app starts as without it', async () => {
  const home = freshHome();
  mkdirSync(join(home, 'workspaces', 'scratch'), { recursive: true });
  writeFileSync(join(home, 'workspaces', 'scratch', 'importer'), 'not a folder');
  const { page } = await launch(home);
  await expect(page.getByRole('heading', { name: 'Long sessions that forget nothing' })).toBeVisible({ timeout: LONG });
  await expect(page.getByText(TITLE)).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
  // Asked for, it says why not.
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox').fill('open the tour');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/The tour keeps its project in/)).toBeVisible({ timeout: LONG });
  await app.close();
});
