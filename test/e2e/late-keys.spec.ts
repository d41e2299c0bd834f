import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** A key that was meant for a card does nothing once the composer has the keyboard, with a draft in it. */
const home = sharedHome();
let app: RunningApp;
let window: AppWindow;
let page: Page;
let server: ModelServer;

const DRAFT = 'now delete the whole';
const card = (): Locator => approval(page).first();
const choice = (name: string): Locator => card().getByRole('button', { name, exact: true });
const ready = (): Promise<void> => expect(card()).toHaveAttribute('data-ready', 'true', { timeout: LONG });

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take());
  window = new AppWindow(app);
  page = app.page;
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

/** A card that has the keyboard, a draft in the composer, and a reply that goes on once it is let. */
async function askWithDraft(title: string): Promise<() => void> {
  const held = gate();
  await window.startSession(title, modelOf(endpointOn(server.url, 'loopback')));
  const call = { type: 'toolCall' as const, name: 'bash', arguments: { command: `touch ${title}.txt` } };
  server.script([{ content: [call] }, { text: 'Done.', holdAt: { frame: 0, until: held.until } }]);
  await window.say('Go');
  await ready();
  await window.composer.fill(DRAFT);
  await page.keyboard.press('Control+j');
  await ready();
  return held.open;
}

/** The run was not stopped, and nothing was said: the draft is as it was. */
async function untouched(goOn: () => void): Promise<void> {
  await expect(window.composer).toHaveValue(DRAFT);
  goOn();
  await answered(page, 'Done.');
  await expect(window.composer).toHaveValue(DRAFT);
  await expect(window.transcript).not.toContainText(DRAFT);
}

/** As soon as the composer has the keyboard, keys come to it; gives for each whether it did nothing there. */
function pressLate(keys: string[]): Promise<boolean[]> {
  return page.evaluate((pressed) => {
    const field = document.querySelector('[data-composer]')!;
    const press = (key: string): boolean => {
      const event = new KeyboardEvent('keydown', {
        key: key.replace('Control+', ''),
        code: key,
        ctrlKey: key.startsWith('Control+'),
        bubbles: true,
        cancelable: true,
      });
      let isHeard = false;
      const hear = (): void => void (isHeard = true);
      field.addEventListener('keydown', hear, { once: true });
      field.dispatchEvent(event);
      field.removeEventListener('keydown', hear);
      return event.defaultPrevented && !isHeard;
    };
    return new Promise((resolve) => {
      field.addEventListener('focus', () => resolve(pressed.map(press)), { once: true });
    });
  }, keys);
}

const WAYS: [name: string, answer: () => Promise<void>][] = [
  ['enter', () => choice('Run once').press('Enter')],
  ['space', () => choice('Run once').press(' ')],
  ['one', () => page.keyboard.press('1')],
  ['escape', () => page.keyboard.press('Escape')],
  [
    'why',
    async () => {
      await page.keyboard.press('5');
      await card().getByRole('textbox').fill('No.');
      await page.keyboard.press('Enter');
    },
  ],
];

for (const [name, answer] of WAYS) {
  test(`C2: what is pressed once more right after the last card has gone (${name}) neither sends, writes nor stops`, async () => {
    const goOn = await askWithDraft(`late-${name}`);
    const keys = ['Enter', 'Control+Enter', '1', ' ', 'Escape'];
    const late = pressLate(keys);
    await answer();
    expect(await late).toEqual(keys.map(() => true));
    await expect(approval(page)).toHaveCount(0);
    await untouched(goOn);
  });
}

test('C2: a key counts again once something else was pressed, and after a moment by itself', async () => {
  const goOn = await askWithDraft('counts');
  const late = pressLate(['1', 'a', 'b', '1']);
  await page.keyboard.press('Escape');
  expect(await late).toEqual([true, false, false, false]);
  await untouched(goOn);
  await askWithDraft('moment').then((open) => open());
  await page.keyboard.press('Escape');
  await answered(page, 'Done.');
  server.script(['Told.']);
  await expect(async () => {
    await page.keyboard.press('Enter');
    await expect(window.composer).toHaveValue('', { timeout: 1_000 });
  }).toPass({ timeout: LONG });
  await answered(page, 'Told.');
});

const HELD: [name: string, key: string, on: () => Locator][] = [
  ['enter', 'Enter', () => choice('Run once')],
  ['one', '1', card],
  ['escape', 'Escape', card],
];

for (const [name, key, on] of HELD) {
  test(`C2: a key that is held down since it answered the last card (${name}) neither sends, writes nor stops`, async () => {
    const goOn = await askWithDraft(`held-${name}`);
    await on().focus();
    await page.keyboard.down(key);
    await expect(approval(page)).toHaveCount(0, { timeout: LONG });
    await expect(window.composer).toBeFocused();
    // Down once more without having been up: held.
    for (let times = 0; times < 5; times += 1) await page.keyboard.down(key);
    await page.keyboard.up(key);
    await untouched(goOn);
    expect(existsSync(join(home, 'workspaces', 'scratch', `held-${name}.txt`))).toBe(name !== 'escape');
  });
}

test('C2: a held key that was pressed elsewhere sends no draft and stops no run', async () => {
  const held = gate();
  await window.startSession('Elsewhere', modelOf(endpointOn(server.url, 'loopback')));
  server.script([{ text: 'Done.', holdAt: { frame: 0, until: held.until } }, 'Told.']);
  await window.say('Go');
  // The first Escape closes the list of commands.
  await window.composer.fill('/');
  await expect(page.getByRole('listbox', { name: 'Commands' })).toBeVisible();
  await page.keyboard.down('Escape');
  await expect(page.getByRole('listbox', { name: 'Commands' })).toHaveCount(0);
  await page.keyboard.down('Escape');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.down('Escape');
  await page.keyboard.up('Escape');
  await window.composer.fill(DRAFT);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.down('Enter');
  await window.composer.focus();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await untouched(held.open);
  await page.keyboard.press('Enter');
  await answered(page, 'Told.');
  await expect(window.transcript).toContainText(DRAFT);
});
