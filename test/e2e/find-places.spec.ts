import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerCard, answered, approval } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentContext, startModelServer, type CapturedRequest, type ModelServer } from '../support/model-server';

/** That find leads to the word itself, wherever in a message it stands. */
const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;
const model = () => modelOf(endpointOn(server.url, 'loopback'));
const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const press = (key: string): Promise<void> => app.page.keyboard.press(key);
const bar = (): Locator => app.page.getByRole('search', { name: 'Find in this session' });
const panel = (): Locator => app.page.getByRole('complementary', { name: 'Search everything' });

/** The place at which one is: its text, the words around it, and whether it is seen. */
const here = () =>
  app.page.evaluate(() => {
    const range = [...(CSS.highlights.get('found-here') ?? [])][0] as Range | undefined;
    if (!range) return null;
    const { top, bottom, left } = range.getBoundingClientRect();
    const [first, last] = [top, bottom].map((y) => document.elementFromPoint(left + 2, y === top ? y + 2 : y - 2));
    const element = range.startContainer.parentElement;
    const isSeen = [first, last].every((seen) => element !== null && element.contains(seen ?? null));
    return { text: String(range), around: range.startContainer.textContent?.slice(0, 60), isSeen };
  });

test.beforeAll(async () => {
  server = await startModelServer();
  const endpoint = endpointOn(server.url, 'loopback');
  writeEndpoint(home, { ...endpoint, models: [{ ...endpoint.models[0]!, contextWindow: 40_000 }] });
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  await window.request('settings.set', { key: 'compaction.keepRecentTokens', value: 500 });
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

async function find(words: string): Promise<void> {
  await window.composer.focus();
  await press('Control+f');
  await bar().getByRole('textbox').fill(words);
  await expect(bar()).toContainText(/\d+ of \d+|1 hit/);
}

test('SE1, SE5: each place of a tall reply is led to and marked', async () => {
  await window.startSession('Tall', model());
  server.script(`First okapi. ${'more words here. '.repeat(800)} Last okapi.`);
  await window.say('go');
  await answered(app.page, 'Last okapi');
  await find('okapi');
  await expect.poll(here).toMatchObject({ text: 'okapi', isSeen: true });
  const at = await app.page.locator('[data-transcript]').evaluate((list) => list.scrollTop);
  await press('Shift+Enter');
  await expect
    .poll(() => app.page.locator('[data-transcript]').evaluate((list) => list.scrollTop))
    .toBeLessThan(at - 500);
  await expect.poll(here).toMatchObject({ text: 'okapi', isSeen: true });
  await window.shot('find-places');
  await press('Enter');
  await expect.poll(() => app.page.locator('[data-transcript]').evaluate((list) => list.scrollTop)).toBe(at);
  await press('Escape');
  expect(await app.page.evaluate(() => CSS.highlights.size)).toBe(0);
  // From another session, by the search of all.
  await window.startSession('Other', model());
  await press('Control+Shift+F');
  await panel().getByRole('combobox').fill('okapi');
  await expect(panel().locator('[data-hit]').first()).toBeVisible();
  await press('Enter');
  await expect.poll(here).toMatchObject({ text: 'okapi', isSeen: true });
  await app.page.emulateMedia({ colorScheme: 'dark' });
  await window.shot('find-places-panel-dark');
  await app.page.emulateMedia({ colorScheme: 'light' });
  await press('Escape');
  await expect.poll(() => app.page.evaluate(() => CSS.highlights.size)).toBe(0);
});

test('SE1: a hit in a folded output opens it, also far above its last lines', async () => {
  await window.startSession('Output', model());
  const command = 'for i in $(seq 600); do [ $i = 301 ] && echo "gi""raffe $i" || echo "line $i"; done; exit 3';
  server.script([{ content: [{ type: 'toolCall', name: 'bash', arguments: { command } }] }, 'Done counting.']);
  await window.say('go');
  await answerCard(app.page, 'Run once');
  await answered(app.page, 'Done counting');
  const other = await window.startSession('Else', model());
  await window.show(other);
  await window.row(await idOf('Output')).click();
  await find('giraffe');
  await expect(bar()).toContainText('1 hit');
  await expect.poll(here).toMatchObject({ text: 'giraffe', isSeen: true });
  await window.shot('find-output');
  // What the card says in its own words is no hit.
  await bar().getByRole('textbox').fill('Exit code 3');
  await expect(bar()).toContainText('No hits');
  await press('Escape');
});

test('SE1: a hit in a summary opens its card', async () => {
  const id = await window.startSession('Sum', model());
  for (let turn = 0; turn < 4; turn++) {
    server.script(`Answer ${turn} ${'lorem ipsum '.repeat(300)}`);
    await window.say(`Question ${turn} ${'dolor '.repeat(300)}`);
    await answered(app.page, `Answer ${turn}`);
  }
  server.script((request) => (isSummary(request) ? '## Goal\nThe walrus ships.' : 'x'));
  await window.say('/compact');
  await app.page
    .getByText(/Compacted \d+ messages/)
    .first()
    .waitFor();
  await window.rested(id);
  await find('walrus');
  await expect(bar()).toContainText('1 hit');
  await expect.poll(here).toMatchObject({ text: 'walrus', isSeen: true });
  await window.shot('find-summary');
  await press('Escape');
});

test('WN8: the palette leads to a session by its title, before commands that have the same letters', async () => {
  await window.startSession('Plan A', model());
  await window.startSession('Café', model());
  for (const [typed, title] of [
    ['plan a', 'Plan A'],
    ['cafe', 'Café'],
  ] as const) {
    await press('Control+k');
    await expect(app.page.getByRole('combobox', { name: 'Commands' })).toBeFocused();
    await app.page.keyboard.type(typed);
    await expect(app.page.getByRole('option')).toHaveText([title]);
    await press('Enter');
    await expect(app.page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  }
});

test('SE1: right after a start find hears of what the index reads later; a filter hides nothing that waits', async () => {
  const id = await window.startSession('Nine', model());
  server.script('The puffin is here.');
  await window.say('go');
  await answered(app.page, 'The puffin');
  await app.close();
  // The index is a cache: it is made anew while the question stands.
  rmSync(join(home, 'search'), { recursive: true, force: true });
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  await window.show(id);
  await answered(app.page, 'The puffin');
  await find('puffin');
  await expect(bar()).toContainText('1 hit');
  await expect(bar()).not.toContainText('so far');
  await press('Escape');
  server.script({ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'echo hi' } }] });
  await window.say('run it');
  await approval(app.page).first().waitFor();
  await app.page.getByPlaceholder('Filter by title').fill('nothing like it');
  await expect(app.page.getByRole('heading', { name: /^Waiting for you/ })).toBeVisible();
  await expect(app.page.getByText('No title contains “nothing like it”.')).toBeVisible();
  await window.shot('filter-waiting');
});

const idOf = async (title: string): Promise<string> =>
  (await window.request('app.bootstrap', {})).sessions.find((one) => one.title === title)?.id ?? '';
