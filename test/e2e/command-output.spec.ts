import { expect, type Locator } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answerCard, answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** What a card shows of a command, and in which direction and letters texts are drawn: TS11. */
const home = sharedHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const card = (): Locator => window.transcript.locator('[data-status="running"], [data-status="ran"]').last();
const heightOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.height ?? 0;

/** Whether a text stands within what a box shows. */
function isShown(box: Locator, text: string): Promise<boolean> {
  return box.evaluate((element, words) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.nodeValue?.indexOf(words) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      const { top, bottom } = range.getBoundingClientRect();
      const bounds = element.getBoundingClientRect();
      return top >= bounds.top - 1 && bottom <= bounds.bottom + 1;
    }
    return false;
  }, text);
}

test('TS11: a finished command shows the end of its output, as tall as it was, and its clock counts no waiting', async () => {
  await window.startSession('Output', modelOf(endpointOn(server.url, 'loopback')));
  const command = 'seq -f "row %g." 1 120; while [ ! -e go ]; do sleep 0.1; done; echo "row 121."; rm go';
  server.script([
    { content: [{ type: 'toolCall', name: 'bash', arguments: { command } }] },
    { content: [{ type: 'toolCall', name: 'write', arguments: { path: 'next', content: 'x' } }] },
    'Done.',
  ]);
  await window.say('Go');
  await approval(window.page).first().waitFor({ timeout: LONG });
  // So long the person thinks about it.
  await window.page.waitForTimeout(4_000);
  await answerCard(window.page, 'Run once');
  const live = window.transcript.getByLabel('Live output');
  await expect(live).toContainText('row 120.', { timeout: LONG });
  expect(await isShown(live, 'row 120.')).toBe(true);
  await expect(card()).toContainText(/[0-3] s/);
  const before = await heightOf(card());
  await takeShots(app, 'output-live');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${home}/workspaces/scratch/go`, '');

  const output = window.transcript.getByLabel('Output of bash');
  await expect(output).toContainText('row 121.', { timeout: LONG });
  await answerCard(window.page, 'Decline');
  await answered(window.page, 'Done.');
  expect(await isShown(output, 'row 121.')).toBe(true);
  expect(await isShown(output, 'row 100.')).toBe(false);
  const ran = window.transcript.locator('[data-status="ran"]').first();
  expect(await heightOf(ran)).toBe(before);
  await takeShots(app, 'output-finished');
  expect(await seriousIssues(window.page)).toEqual([]);

  // What is above is scrolled to, and the rest comes above that: what is read stays.
  await expect(output).not.toContainText('row 81.');
  await output.evaluate((box) => (box.scrollTop = -box.scrollHeight));
  expect(await isShown(output, 'row 82.')).toBe(true);
  const placeOf = (text: string): Promise<number> =>
    output.getByText(text).evaluate((line) => Math.round(line.getBoundingClientRect().bottom));
  const place = await placeOf('row 82.');
  await output.getByRole('button', { name: 'Show 81 earlier lines' }).press('Enter');
  await expect(output).toContainText('row 1.');
  await expect(output).toBeFocused();
  expect(await placeOf('row 82.')).toBe(place);
  expect(await heightOf(ran)).toBe(before);

  // One that is opened later takes the room that it needs.
  await ran.getByRole('button').first().click();
  await ran.getByRole('button').first().click();
  await expect(output).toContainText('row 121.');
  expect(await isShown(output, 'row 121.')).toBe(true);
});

test('C1: the whole call is there while it runs, and stays open when it has ended', async () => {
  await window.startSession('Running', modelOf(endpointOn(server.url, 'loopback')));
  const command = `echo begun; while [ ! -e go ]; do sleep 0.1; done; rm go; echo the end of ${'x'.repeat(200)}`;
  server.script([{ content: [{ type: 'toolCall', name: 'bash', arguments: { command } }] }, 'Done.']);
  await window.say('Go');
  await answerCard(window.page, 'Run once');
  await expect(window.transcript.getByLabel('Live output')).toContainText('begun', { timeout: LONG });
  // One line takes the room of one.
  expect(await heightOf(window.transcript.getByLabel('Live output'))).toBeLessThan(50);
  await card().getByRole('button').first().click();
  const whole = card().getByRole('region', { name: 'The whole call' });
  await expect(whole).toHaveText(command);
  await takeShots(app, 'whole-running');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${home}/workspaces/scratch/go`, '');
  await answered(window.page, 'Done.');
  await expect(card()).toHaveAttribute('data-status', 'ran');
  await expect(card().getByLabel('Output of bash')).toContainText('the end of');
  await expect(whole).toHaveText(command);
});

test('TS11: a command that prints nothing stays one line', async () => {
  await window.startSession('Silent', modelOf(endpointOn(server.url, 'loopback')));
  server.script([{ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'true' } }] }, 'Done.']);
  await window.say('Go');
  await answerCard(window.page, 'Run once');
  await answered(window.page, 'Done.');
  await expect(card().getByRole('button').first()).toHaveAttribute('aria-expanded', 'false');
});

test('TS11: a text runs in its own direction, code from left to right and without ligatures, a wide table scrolls', async () => {
  await window.startSession('Directions', modelOf(endpointOn(server.url, 'loopback')));
  const wide = Array.from({ length: 30 }, (_, at) => `column${at}withalongname`);
  server.script(
    [
      'שלום, זו תשובה.',
      '- פריט ראשון\n- second',
      'Left to right, with `a != b`.',
      '```js\nif (a !== b) return a => b;\n```',
      `| ${wide.join(' | ')} |\n|${' --- |'.repeat(30)}\n| ${wide.join(' | ')} |`,
    ].join('\n\n'),
  );
  await window.say('مرحبا بالعالم\nand a line');
  await answered(window.page, 'column29withalongname');
  const directionOf = (text: string): Promise<string> =>
    window.transcript
      .getByText(text)
      .first()
      .evaluate((element) => getComputedStyle(element).direction);
  expect(await directionOf('שלום, זו תשובה.')).toBe('rtl');
  expect(await directionOf('פריט ראשון')).toBe('rtl');
  expect(await directionOf('Left to right')).toBe('ltr');
  expect(await directionOf('مرحبا')).toBe('rtl');
  await window.composer.fill('שלום');
  expect(await window.composer.evaluate((field) => getComputedStyle(field).direction)).toBe('rtl');
  await window.composer.fill('');
  const ligatures = await window.transcript.evaluate((element) =>
    [...element.querySelectorAll('*')]
      .map((one) => getComputedStyle(one))
      .filter(({ fontFamily }) => fontFamily.includes('JetBrains'))
      .map(({ fontVariantLigatures }) => fontVariantLigatures),
  );
  expect(ligatures.length).toBeGreaterThan(3);
  expect(new Set(ligatures)).toEqual(new Set(['none']));
  const table = window.transcript.getByRole('region', { name: 'Table' });
  expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeGreaterThan(500);
  await table.evaluate((box) => (box.scrollLeft = 300));
  expect(await table.evaluate((box) => box.scrollLeft)).toBe(300);
  await takeShots(app, 'directions');
});
