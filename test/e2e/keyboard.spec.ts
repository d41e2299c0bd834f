import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { launchApp, removeHome, type RunningApp } from '../support/electron-app';
import { answered, approval, composer, LONG, sessionRows, transcript } from '../support/e2e/chat';
import { focused, pressUntilFocused } from '../support/e2e/keyboard';

/** The whole way without a pointer: write, allow, look back, find commands, change settings, manage sessions. */
test.describe.configure({ mode: 'serial' });

let app: RunningApp;
let page: Page;

test.beforeAll(async () => {
  app = await launchApp({ env: { ESPALIER_DEMO_SPEED: '4000' } });
  page = app.page;
});
test.afterAll(async () => {
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(app.home);
});

/** Types as a person does, where the focus is. */
const type = (text: string): Promise<void> => page.keyboard.type(text);
const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

async function toComposer(): Promise<void> {
  await press('Control+l');
  await expect(composer(page)).toBeFocused();
}
async function toFilter(): Promise<void> {
  await press('F6');
  await page.getByRole('searchbox').focus();
}
async function toPalette(): Promise<void> {
  await press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused();
}

test('a message, an approval and the answer', async () => {
  await toComposer();
  await type('Write a haiku to notes.md');
  await press('Shift+Enter');
  await type('Thank you');
  await expect(composer(page)).toHaveValue('Write a haiku to notes.md\nThank you');
  await press('Enter');
  await expect(approval(page)).toBeVisible({ timeout: LONG });

  const allow = approval(page).getByRole('button', { name: 'Write once' });
  await pressUntilFocused(page, 'Shift+Tab', allow);
  expect((await focused(page)).visible).toBe(true);
  // A press counts once the card has stood still for a moment.
  await expect(allow).not.toHaveAttribute('aria-disabled', 'true', { timeout: LONG });
  await press('Enter');
  await answered(page, 'is written');
  expect(existsSync(join(app.home, 'workspaces', 'scratch', 'notes.md'))).toBe(true);
});

test('Tab stops have names and a focus that is seen, and lead all the way round', async () => {
  await toComposer();
  const seen = new Set<string>();
  for (let stop = 0; stop < 60; stop++) {
    await press('Tab');
    const here = await focused(page);
    // Between the last stop and the first the window itself has the keyboard.
    if (here.name === 'nothing') continue;
    expect.soft(here, here.name).toMatchObject({ visible: true, named: true });
    seen.add(here.name);
    if (here.name.startsWith('textarea')) break;
  }
  expect([...seen].join('\n')).toMatch(/textarea “Message”/);
  for (const name of [
    'New session',
    'Filter sessions',
    'Settings',
    'Resize sessions',
    'workspace',
    'Transcript',
    'Attach',
  ])
    expect([...seen].join('\n')).toContain(name);
});

test('F6 walks the panes both ways', async () => {
  await toComposer();
  const pane = (): Promise<string | undefined> =>
    page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane);
  const walk: (string | undefined)[] = [];
  for (let step = 0; step < 4; step++) {
    await press('F6');
    walk.push(await pane());
  }
  expect(walk).toEqual(['sessions', 'bar', 'transcript', 'composer']);
  await press('Shift+F6');
  expect(await pane()).toBe('transcript');
});

test('the transcript scrolls and folds open', async () => {
  await pressUntilFocused(page, 'Shift+F6', transcript(page), 6);
  const fold = transcript(page).locator('button[aria-expanded]:not([aria-haspopup])').first();
  await pressUntilFocused(page, 'Tab', fold);
  const before = await fold.getAttribute('aria-expanded');
  await press('Enter');
  await expect(fold).not.toHaveAttribute('aria-expanded', before ?? '');
  await press('Enter');
});

test('the palette finds commands by name and gives the focus back', async () => {
  await toComposer();
  await toPalette();
  await type('theme: dark');
  await press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(composer(page)).toBeFocused();
  await toPalette();
  // The list scrolls below the field; it must not squeeze it.
  const field = page.getByRole('dialog').getByRole('combobox');
  await expect.poll(async () => (await field.boundingBox())?.height).toBeGreaterThanOrEqual(46);
  await press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
});

test('slash commands complete and run', async () => {
  await toComposer();
  await type('/na');
  await expect(page.getByRole('option', { name: /name/ })).toBeVisible();
  await press('Tab');
  await type('A walk by keyboard');
  await press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'A walk by keyboard' })).toBeVisible();
  await expect(composer(page)).toHaveValue('');
});

test('settings are reached, changed and left', async () => {
  await press('Control+,');
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await expect(dialog).toBeVisible();
  const providers = dialog.getByRole('tab', { name: 'Providers' });
  await pressUntilFocused(page, 'Tab', providers);
  // The focus follows each press a moment later: the next press counts from where it is.
  for (const name of ['Tools', 'Extensions', 'MCP', 'Context', 'Instructions', 'Appearance']) {
    await press('ArrowDown');
    await expect(dialog.getByRole('tab', { name })).toBeFocused();
  }
  const enterSends = dialog.getByRole('switch', { name: 'Enter sends' });
  await pressUntilFocused(page, 'Tab', enterSends);
  await press('Space');
  await expect(enterSends).not.toBeChecked();
  await press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(composer(page)).toBeFocused();

  await type('one');
  await press('Enter');
  await type('two');
  await expect(composer(page)).toHaveValue('one\ntwo');
  await press('Control+Enter');
  await answered(page, 'This is turn 2');
});

test('sessions are made, walked, renamed, filtered, deleted and taken back', async () => {
  await press('Control+n');
  await expect(sessionRows(page)).toHaveCount(2);
  await expect(composer(page)).toBeFocused();
  await press('Control+PageDown');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A walk by keyboard');

  await press('F6');
  const row = sessionRows(page).filter({ hasText: 'A walk by keyboard' });
  await pressUntilFocused(page, 'ArrowDown', row, 3);
  await press('F2');
  await expect(page.getByRole('textbox', { name: 'Session title' })).toBeFocused();
  await press('Control+a');
  await type('Renamed');
  await press('Enter');
  await expect(sessionRows(page).filter({ hasText: 'Renamed' })).toHaveCount(1);

  await toFilter();
  await type('rename');
  await expect(sessionRows(page)).toHaveCount(1);
  await press('ArrowDown');
  await expect(sessionRows(page).first()).toBeFocused();
  await press('Delete');
  await expect(sessionRows(page).filter({ hasText: 'Renamed' })).toHaveCount(0);
  const undo = page.getByRole('button', { name: 'Undo' });
  await press('F8');
  await pressUntilFocused(page, 'Tab', undo, 5);
  await press('Enter');
  await toFilter();
  await press('Escape');
  await expect(sessionRows(page).filter({ hasText: 'Renamed' })).toHaveCount(1);
  await expect(sessionRows(page)).toHaveCount(2);
});

test('the sessions pane is resized and hidden', async () => {
  const bar = page.getByRole('separator', { name: 'Resize sessions' });
  await pressUntilFocused(page, 'Tab', bar);
  const width = Number(await bar.getAttribute('aria-valuenow'));
  await press('ArrowRight');
  await expect(bar).toHaveAttribute('aria-valuenow', String(width + 16));
  await press('Control+b');
  await expect(sessionRows(page).first()).toBeHidden();
  await press('Control+b');
  await expect(sessionRows(page).first()).toBeVisible();
});
