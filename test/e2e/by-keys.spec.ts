import { expect, test, type Locator, type Page } from '@playwright/test';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { answered, approval, composer, LONG, transcript } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { focused, pressUntilFocused } from '../support/e2e/keyboard';

/** WN7, WN23: the first hour without a pointer, in one go: the tour, a search, a pin, an approval, and leaving a branch. */
const home = newHome();
let app: RunningApp;
let page: Page;
let graph: GraphPage;

test.beforeAll(async () => {
  const env = { ESPALIER_NO_TOUR: '0', ESPALIER_DEMO_SPEED: '100000' };
  app = await launchApp({ home, env, graph: true, size: { width: 1280, height: 800 } });
  page = app.page;
  graph = new GraphPage(page);
  await page.evaluate(() => {
    for (const type of ['pointerdown', 'mousedown', 'wheel', 'touchstart'])
      window.addEventListener(type, () => (document.documentElement.dataset.pointed = type), { capture: true });
  });
});
test.afterAll(async () => {
  // Nothing of this was done by a pointer.
  expect(await page.locator('html').getAttribute('data-pointed')).toBeNull();
  expect(app.problems).toEqual([]);
  await app.close();
  removeHome(home);
});

const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
const type = (text: string): Promise<void> => page.keyboard.type(text);
const dialog = (name: string | RegExp): Locator => page.getByRole('dialog', { name });
const leave = (): Locator => dialog('Leave this branch?');
const mark = (name: string): Locator => page.getByRole('region', { name });

/** Where the walk stops: it has the keyboard, the focus is seen, and it has a name. */
async function at(stop: Locator): Promise<void> {
  await expect(stop).toBeFocused({ timeout: LONG });
  await expect(stop).toBeInViewport();
  const here = await focused(page);
  expect(here, here.name).toMatchObject({ visible: true, named: true });
}

/** There by one key, pressed again and again. */
async function walkTo(stop: Locator, key = 'Tab', most = 60): Promise<void> {
  await expect(stop).toBeVisible({ timeout: LONG });
  await pressUntilFocused(page, key, stop, most);
  await at(stop);
}

test('the tour: the cut is moved, undone, and a branch pulled out', async () => {
  await expect(mark('Tour, 1 of 3: Drag this line down')).toBeVisible({ timeout: LONG });
  await press('Control+l');
  await at(composer(page));
  await walkTo(page.getByRole('button', { name: 'Drag the cut line' }), 'Shift+Tab');
  await press('Enter');
  const sheet = dialog('Compact this session');
  const line = sheet.getByRole('slider', { name: 'Cut line' });
  await at(line);
  const before = await line.getAttribute('aria-valuenow');
  await press('ArrowDown', 'ArrowDown');
  await expect(line).not.toHaveAttribute('aria-valuenow', before ?? '');
  await walkTo(sheet.getByRole('button', { name: 'Compact', exact: true }));
  await press('Enter');
  await expect(mark('Tour, 2 of 3: Now undo it')).toBeVisible({ timeout: LONG });
  // The grip from which it came goes while the agent is busy: the keyboard is not lost with it.
  await at(composer(page));

  await walkTo(transcript(page).getByRole('button', { name: 'Undo', exact: true }), 'Shift+Tab');
  await press('Enter');
  await expect(mark('Tour, 3 of 3: Pull out a branch')).toBeVisible({ timeout: LONG });

  await press('Control+l');
  await walkTo(graph.plane, 'F6', 8);
  await press('Home', 'ArrowDown', 'b');
  await expect(page.getByRole('group', { name: 'Where your message goes' })).toBeVisible({ timeout: LONG });
  await expect(page.locator('[data-coach]')).toHaveCount(0);
  await at(composer(page));
  await press('Escape');
  await expect(page.getByRole('group', { name: 'Where your message goes' })).toHaveCount(0);
});

test('a search: found, shown, and back in the composer', async () => {
  await press('Control+Shift+f');
  const panel = page.getByRole('complementary', { name: 'Search everything' });
  const field = panel.getByRole('combobox', { name: 'Search all sessions' });
  await at(field);
  await type('Cancel must work between two batches');
  await expect(panel.locator('[data-hit]').first()).toBeVisible({ timeout: LONG });
  await press('ArrowDown', 'Enter');
  await expect(page.locator('[data-marked="true"]')).toBeInViewport({ timeout: LONG });
  await at(field);
  await press('Escape');
  await expect(panel).toHaveCount(0);
});

test('a pin: at a message, and let go of in its list', async () => {
  await press('Control+l');
  await walkTo(transcript(page), 'Shift+F6', 8);
  await press('End');
  const reply = transcript(page).locator('[data-kind="assistant"]').last();
  await walkTo(reply.getByRole('button', { name: 'Copy message' }));
  await press('k');
  await expect(reply.getByRole('button', { name: 'Unpin this message' })).toBeVisible();
  await press('Control+l');
  await walkTo(page.getByRole('button', { name: /^Context: / }));
  await press('Enter');
  const meter = dialog('Context usage');
  await walkTo(meter.getByRole('region', { name: 'Pinned messages' }).getByRole('button', { name: /Unpin/ }).first());
  await press('Enter');
  await expect(reply.getByRole('button', { name: 'Unpin this message' })).toHaveCount(0);
  await press('Escape');
  await expect(meter).toHaveCount(0);
});

test('an approval: answered with a key', async () => {
  await press('Control+l');
  await at(composer(page));
  await type('Run `ls -la`');
  await press('Enter');
  await expect(approval(page)).toBeVisible({ timeout: LONG });
  await press('Control+j');
  const once = approval(page).getByRole('button', { name: 'Run once' });
  await walkTo(once);
  await expect(once).not.toHaveAttribute('aria-disabled', 'true', { timeout: LONG });
  await press('Enter');
  await answered(page, 'It ran');
  await at(composer(page));
});

test('leaving: the question is answered, and the way back leads back', async () => {
  await walkTo(graph.plane, 'F6', 8);
  await press('h');
  const head = graph.pane.locator('[data-head]');
  const before = await head.getAttribute('data-entry');
  await press('Home', 'ArrowDown', 'Enter');
  await expect(leave()).toBeVisible({ timeout: LONG });
  const none = leave().getByRole('radio', { name: /^No summary/ });
  await walkTo(none);
  await press('ArrowDown');
  await expect(
    leave()
      .getByRole('radio', { name: /^Summarise/ })
      .first(),
  ).toBeChecked();
  await walkTo(leave().getByRole('button', { name: 'Summarise and go' }));
  await press('Enter');
  await expect(leave()).toHaveCount(0, { timeout: LONG });
  await expect(head).not.toHaveAttribute('data-entry', before ?? '', { timeout: LONG });
  await press('Control+l');
  await at(composer(page));
  await press('Alt+ArrowLeft');
  await expect(leave().or(head.and(page.locator(`[data-entry="${before}"]`)))).toBeVisible({ timeout: LONG });
});
