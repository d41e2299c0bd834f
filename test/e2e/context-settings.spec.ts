import { expect, test, type Locator } from '@playwright/test';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerConsent } from '../support/e2e/consent';
import { seriousIssues } from '../support/e2e/axe';
import { answered, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import type { Settings } from '../../src/shared/settings';
import { SETTINGS } from '../../src/shared/settings';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Settings → Context with every kind of control, and the meter that changes some of them. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const SECRET = 'rk-e2e-very-secret-0042';
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async () => {
  server = await startModelServer();
  server.script('Certainly. '.repeat(30));
  const endpoint = endpointOn(server.url, 'loopback');
  writeEndpoint(home, { ...endpoint, models: endpoint.models.map((model) => ({ ...model, contextWindow: 100_000 })) });
  app = await launchApp({ home });
  window = new AppWindow(app);
  await window.startSession('The meter', modelOf(endpoint));
  await window.say('Hello');
  await answered(window.page, 'Certainly.');
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  await server.close();
  removeHome(home);
});

const settings = async (): Promise<Settings> => (await window.request('app.bootstrap', {})).settings;
const field = (label: string): Locator => pane().getByLabel(label, { exact: true });
const pane = (): Locator => window.page.getByRole('tabpanel');
const stored = <K extends keyof Settings>(key: K) => expect.poll(async () => (await settings())[key]);
const slider = (): Locator => window.page.getByRole('slider', { name: 'Compaction threshold' });
const meter = (): Locator => window.page.getByRole('button', { name: /^Context:/ });
const shots = async (name: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await window.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await window.shot(`${name}-${colorScheme}`);
  }
  await window.page.emulateMedia({ colorScheme: 'light' });
};
async function openContext(): Promise<void> {
  const tab = window.page.getByRole('tab', { name: 'Context' });
  if (!(await tab.isVisible())) await window.page.keyboard.press('Control+,');
  await tab.click();
  await expect(pane().getByRole('heading', { name: 'When to compact' })).toBeVisible();
  const rest = pane().getByText('Advanced', { exact: true });
  if (!(await pane().getByRole('region', { name: 'Limits and attempts' }).isVisible())) await rest.click();
  await expect(pane().getByRole('region', { name: 'Limits and attempts' })).toBeVisible();
}

test('every setting of the context is drawn, under its heading', async () => {
  await openContext();
  for (const [key, { label }] of Object.entries(SETTINGS)) {
    if (!/^(compaction|pruning)\./.test(key)) continue;
    const text = key === 'compaction.modelOverrides' ? 'No separate limits.' : label;
    await expect(pane().getByText(text, { exact: true }).first(), key).toBeVisible();
  }
  expect(await seriousIssues(window.page)).toEqual([]);
  await shots('context-top');
});

test('numbers: taken, refused with the bound and left to be mended, unset, reset', async () => {
  const keep = field('Recent messages to keep');
  await keep.fill('30,000');
  await stored('compaction.keepRecentTokens').toBe(30_000);
  await keep.fill('0');
  await keep.blur();
  await expect(pane().getByText('Must be a whole number from 1 to 1,000,000 tokens.')).toBeVisible();
  await expect(keep).toHaveValue('0');
  await expect(keep).toHaveAttribute('aria-invalid', 'true');
  expect((await settings())['compaction.keepRecentTokens']).toBe(30_000);
  await window.shot('context-refused');
  await window.button('Reset “Recent messages to keep” to its default').click();
  await stored('compaction.keepRecentTokens').toBeNull();
  await expect(keep).toHaveValue('');
  await expect(keep).toHaveAttribute('placeholder', '20,000');

  const reserve = field('Reserve for the answer');
  await expect(reserve).toHaveValue('');
  await expect(reserve).toHaveAttribute('placeholder', '16,384');
  await reserve.fill('9000');
  await reserve.press('Enter');
  await stored('compaction.reserveTokens').toBe(9000);
  await expect(pane().getByText(/Not below the context window/)).toHaveCount(0);
  // TG2: taken, but another one holds.
  await reserve.fill('100000');
  await reserve.press('Enter');
  await stored('compaction.reserveTokens').toBe(100_000);
  const warning = 'Not below the context window of loopback (100,000 tokens): 15,000, 15% of it, are kept free there.';
  await expect(pane().getByText(warning)).toBeVisible();
  await expect(reserve).toHaveAccessibleDescription(new RegExp('15,000, 15% of it'));
  await shots('context-reserve');
  await window.page.keyboard.press('Escape');
  await window.button('Compact').click();
  const sheet = window.page.getByRole('dialog', { name: 'Compact this session' });
  await expect(sheet).toContainText(
    'not below this model’s context window of 100k tokens. 15k, 15% of it, are kept free',
  );
  await window.shot('context-reserve-sheet');
  await window.page.keyboard.press('Escape');
  await openContext();
  await reserve.fill('');
  await reserve.blur();
  await stored('compaction.reserveTokens').toBe(null);
});

test('what is typed takes effect when the settings are closed with it', async () => {
  await field('Attempts before pausing').fill('5');
  await window.page.keyboard.press('Escape');
  await stored('compaction.maxAutoAttempts').toBe(5);
  await openContext();
  await expect(field('Attempts before pausing')).toHaveValue('5');
  await window.button('Reset “Attempts before pausing” to its default').click();
});

test('switches, choices and lists', async () => {
  await pane().getByRole('switch', { name: 'Include thinking' }).click();
  await stored('compaction.includeThinking').toBe(true);
  await pane().getByRole('button', { name: 'Short summary: from the goal' }).click();
  await window.page.getByRole('menuitemradio', { name: 'none' }).click();
  await stored('compaction.shortSummary').toBe('off');
  await field('Protected tools').fill('read\n\n grep ');
  await field('Protected tools').blur();
  await stored('pruning.protectedTools').toEqual(['read', 'grep']);
});

test('models: chosen by name, typed, put in order, removed; one that is gone says so', async () => {
  await pane().getByRole('button', { name: 'Summary model: The session’s model' }).click();
  await window.page.getByPlaceholder('Search models').fill('loopback');
  await window.page
    .getByRole('option', { name: /loopback/ })
    .first()
    .click();
  await stored('compaction.model').toBe('loopback/loopback');

  const add = pane().getByRole('button', { name: 'Fallback models: add a model' });
  for (const name of ['loopback/loopback', 'gone/model']) {
    await add.click();
    await window.page.getByPlaceholder('Search models').fill(name);
    await window.page.getByRole('option', { name: `Use “${name}”` }).click();
  }
  await stored('compaction.fallbackModels').toEqual(['loopback/loopback', 'gone/model']);
  const order = pane().getByRole('list', { name: 'Fallback models' });
  await expect(order).toContainText('No longer available');
  await order.getByRole('button', { name: 'Move gone/model up' }).click();
  await stored('compaction.fallbackModels').toEqual(['gone/model', 'loopback/loopback']);
  await shots('context-models');
  await order.getByRole('button', { name: 'Remove gone/model' }).click();
  await stored('compaction.fallbackModels').toEqual(['loopback/loopback']);
  await window.button('Reset “Summary model” to its default').click();
  await stored('compaction.model').toBe('');
});

test('the endpoint: refused in the clear, its key kept apart and never shown again', async () => {
  await openContext();
  const address = field('Address');
  await address.fill('http://example.com/compact');
  await address.blur();
  await expect(pane().getByText(/Must be an https address \(http is allowed only for localhost/)).toBeVisible();
  await address.fill('http://127.0.0.1:9/compact');
  await address.blur();
  expect(await answerConsent(app, 'Use this address')).toContain('http://127.0.0.1:9');
  await stored('compaction.remoteEndpoint').toBe('http://127.0.0.1:9/compact');
  const key = pane().getByRole('group', { name: 'Endpoint key' });
  await key.getByRole('button', { name: 'Add key' }).click();
  await key.getByLabel('Key for your summary endpoint').fill(SECRET);
  await shots('context-endpoint');
  await key.getByRole('button', { name: 'Save key' }).click();
  await expect(key.getByText(/^key (stored, encrypted|for this run only)$/)).toBeVisible();
  await expect(key).toContainText('Sent only to 127.0.0.1:9.');
  const told = JSON.stringify(await window.request('app.bootstrap', {})) + (await window.page.content());
  expect(told).not.toContain(SECRET);
  for (const file of readdirSync(home, { withFileTypes: true })) {
    if (file.isFile()) expect(readFileSync(join(home, file.name), 'latin1'), file.name).not.toContain(SECRET);
  }
  await key.getByRole('button', { name: 'Remove key' }).click();
  await expect(key.getByText('no key')).toBeVisible();
  await window.button('Reset “Address” to its default').click();
  await stored('compaction.remoteEndpoint').toBe('');
});

test('limits for single models: added, refused in place, stored, removed', async () => {
  await openContext();
  const section = pane().getByRole('region', { name: 'Limits per model' });
  await section.getByRole('button', { name: 'Add a model' }).click();
  await window.page.getByPlaceholder('Search models').fill('loopback');
  await window.page
    .getByRole('option', { name: /loopback/ })
    .first()
    .click();
  const limits = section.getByRole('group', { name: 'Limits for loopback' });
  await limits.getByLabel('Threshold (%)').fill('150');
  await limits.getByLabel('Threshold (%)').blur();
  await expect(limits.getByText('Must be a whole number from 1 to 99 %.')).toBeVisible();
  await limits.getByLabel('Threshold (%)').fill('50');
  await limits.getByLabel('Reserve for the answer').fill('120,000');
  await limits.getByLabel('Reserve for the answer').blur();
  await expect(limits.getByText(/^Not below the context window of loopback/)).toBeVisible();
  await limits.getByLabel('Reserve for the answer').fill('');
  await limits.getByLabel('Recent messages to keep').fill('7000');
  await limits.getByLabel('Recent messages to keep').blur();
  await stored('compaction.modelOverrides').toEqual({
    'loopback/loopback': { thresholdPercent: 50, keepRecentTokens: 7000 },
  });
  await limits.scrollIntoViewIfNeeded();
  await shots('context-overrides');
  expect(await seriousIssues(window.page)).toEqual([]);
  await window.page.keyboard.press('Escape');
});

test('the line of the meter changes the limits of the model where those decide', async () => {
  await meter().click();
  await expect(slider()).toHaveAttribute('aria-valuetext', /^Compacts at 50%, limit for this model, 50k tokens$/);
  await slider().press('ArrowRight');
  await stored('compaction.modelOverrides').toEqual({
    'loopback/loopback': { thresholdPercent: 51, keepRecentTokens: 7000 },
  });
  await window.page.keyboard.press('Escape');
  await openContext();
  await window.button('Remove the limits for loopback').click();
  await stored('compaction.modelOverrides').toEqual({});
  await window.page.keyboard.press('Escape');
});

test('the line is dragged, and moved by keys; the setting and the figures follow', async () => {
  await window.request('settings.set', { key: 'compaction.thresholdTokens', value: 30_000 });
  await meter().click();
  await expect(slider()).toHaveAttribute('aria-valuenow', '30');
  const box = await slider().boundingBox();
  const bar = await slider().locator('xpath=..').boundingBox();
  if (!box || !bar) throw new Error('The line is not to be seen');
  const { mouse } = window.page;
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await mouse.move(bar.x + bar.width * 0.5, box.y, { steps: 4 });
  // Nothing is set before it is let go of.
  await expect(window.page.getByText('Compacts at 50%')).toBeVisible();
  expect((await settings())['compaction.thresholdPercent']).toBe(null);
  await mouse.move(bar.x + bar.width * 0.7, box.y, { steps: 4 });
  await mouse.up();
  await stored('compaction.thresholdPercent').toBe(70);
  await stored('compaction.thresholdTokens').toBe(null);
  await expect(window.page.getByText('Compacts above 70k')).toBeVisible();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'PageDown']) await slider().press(key);
  await stored('compaction.thresholdPercent').toBe(58);
  await expect(slider()).toHaveAttribute('aria-valuetext', 'Compacts at 58%, 58k tokens');
  await slider().press('End');
  await stored('compaction.thresholdPercent').toBe(99);
  await slider().press('Home');
  await stored('compaction.thresholdPercent').toBe(1);
  await window.request('settings.set', { key: 'compaction.thresholdPercent', value: 85 });
  await expect(slider()).toHaveAttribute('aria-valuenow', '85');
  expect(await seriousIssues(window.page)).toEqual([]);
  await shots('meter-open');
});

test('switched off it says so under the composer, and one click turns it on', async () => {
  await window.page.getByRole('switch', { name: 'Automatic compaction' }).click();
  await stored('compaction.enabled').toBe(false);
  await expect(slider()).toHaveCount(0);
  await window.page.keyboard.press('Escape');
  await shots('meter-off');
  await window.button(/^Automatic compaction off/).click();
  await stored('compaction.enabled').toBe(true);
  await expect(window.button(/^Automatic compaction off/)).toHaveCount(0);
});

test('in a small window, and where the environment forces it off', async () => {
  await app.close();
  expect(app.problems).toEqual([]);
  app = await launchApp({ home, size: { width: 960, height: 640 }, env: { ESPALIER_DISABLE_AUTOCOMPACT: '1' } });
  window = new AppWindow(app);
  await expect(window.page.getByText('Automatic compaction off (ESPALIER_DISABLE_AUTOCOMPACT)')).toBeVisible({ timeout: LONG });
  await meter().click();
  await expect(window.page.getByRole('switch', { name: 'Automatic compaction' })).toBeDisabled();
  await shots('small-meter');
  await window.page.keyboard.press('Escape');
  await window.request('settings.set', {
    key: 'compaction.modelOverrides',
    value: { 'loopback/loopback': { thresholdPercent: 50 } },
  });
  await window.page.keyboard.press('Escape');
  await window.say('/autocompact');
  await expect(window.page.getByText('Automatic compaction stays off.').first()).toBeVisible();
  expect((await settings())['compaction.enabled']).toBe(true);
  await openContext();
  await expect(pane().getByRole('switch', { name: 'Automatic compaction' })).toBeDisabled();
  await shots('small-context-1');
  for (const [name, heading] of [['2', 'Summaries'], ['3', 'Tool outputs'], ['4', 'Limits per model']] as const) {
    await pane().getByRole('heading', { name: heading }).evaluate((element) => element.scrollIntoView());
    await shots(`small-context-${name}`);
  }
  expect(await pane().evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
}); // prettier-ignore
