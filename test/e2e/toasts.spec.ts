import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Locator } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { seriousIssues } from '../support/e2e/axe';
import { answered, approval, LONG } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { startModelServer, type ModelServer } from '../support/model-server';

/** Messages of what somebody just did (WN9, GR25): clear of everything, one for each text, gone by themselves. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

const toasts = (): Locator => window.page.locator('[data-toast]');
const broken = ['first', 'second', 'third'].map((name) => join(home, `${`${name} file that is no session `.repeat(6).trim()}.jsonl`)); // prettier-ignore

/** What a toast must not lie on: buttons of the page that can be seen where they are, notices and the tools of rows. */
const CLEAR_OF = {
  'a notice': '[data-pane="transcript"] [role="alert"], [role="alert"]:has([aria-label="Dismiss"])',
  'a card': '[data-approval]',
  'the tools of a row': '[role="toolbar"]',
  'the composer': '[data-composer]',
  'the graph': '[data-pane="graph"]',
  'a dialog': '[role="dialog"]',
} as const;

interface Look {
  toasts: number;
  /** Toasts that are not whole in the window. */
  cut: string[];
  /** What the toasts lie on. */
  covered: string[];
  /** What was there to be covered. */
  seen: string[];
}

/** Where toasts and what they keep clear of are drawn, cut by what scrolls around them. */
function look(): Promise<Look> {
  return window.page.evaluate((clearOf) => {
    type Box = Record<'left' | 'top' | 'right' | 'bottom', number>;
    const meet = (a: Box, b: Box): Box => ({
      left: Math.max(a.left, b.left),
      top: Math.max(a.top, b.top),
      right: Math.min(a.right, b.right),
      bottom: Math.min(a.bottom, b.bottom),
    });
    const isSome = ({ left, top, right, bottom }: Box): boolean => right - left > 1 && bottom - top > 1;
    const boxOf = (node: Element): Box => {
      let box: Box = node.getBoundingClientRect();
      for (let at = node; at.parentElement && getComputedStyle(at).position !== 'fixed'; at = at.parentElement) {
        const around = at.parentElement;
        if (getComputedStyle(around).overflow !== 'visible') box = meet(box, around.getBoundingClientRect());
      }
      return meet(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
    };
    const all = [...document.querySelectorAll('[data-toast]')];
    const boxes = all.map(boxOf);
    const full = all.map((node) => node.getBoundingClientRect());
    const covered: string[] = [];
    const seen: string[] = [];
    for (const [name, selector] of Object.entries(clearOf)) {
      for (const node of document.querySelectorAll(selector)) {
        if (node.closest('[data-toast]')) continue;
        const box = boxOf(node);
        if (!isSome(box)) continue;
        seen.push(name);
        if (boxes.some((toast) => isSome(meet(toast, box)))) covered.push(name);
      }
    }
    const cut = all
      .filter((_node, at) => Math.abs(full[at]!.bottom - full[at]!.top - (boxes[at]!.bottom - boxes[at]!.top)) > 1)
      .map(({ textContent }) => textContent);
    return { toasts: all.length, cut, covered, seen: [...new Set(seen)] };
  }, CLEAR_OF);
}

async function resize(width: number, height: number): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w, h), [width, height] as const); // prettier-ignore
  await expect.poll(() => window.page.evaluate(() => [innerWidth, innerHeight])).toEqual([width, height]);
}

/** Three files that are no sessions, each told of in a long text. The focus holds them. */
async function raiseThree(): Promise<void> {
  await window.composer.focus();
  await window.importByMenu(broken);
  await expect(toasts()).toHaveCount(3, { timeout: LONG });
  await window.page.keyboard.press('F8');
}

/** Escape takes the newest, and with the last one the focus goes back. */
async function dismiss(count: number): Promise<void> {
  await window.page.keyboard.press('F8');
  for (let left = count - 1; left >= 0; left--) {
    await window.page.keyboard.press('Escape');
    await expect(toasts()).toHaveCount(left);
  }
  await expect(window.composer).toBeFocused();
}

test.beforeAll(async () => {
  server = await startModelServer();
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  // A notice of the whole app.
  writeFileSync(join(home, 'settings.json'), '{"broken');
  for (const path of broken) writeFileSync(path, 'no session');
  app = await launchApp({ home, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  await window.startSession('Many messages', modelOf(endpointOn(server.url, 'loopback')));
  server.script('An answer.');
  await window.say('A question');
  await answered(window.page, 'An answer.');
  server.script({ content: [{ type: 'toolCall', name: 'bash', arguments: { command: 'echo asked' } }] });
  await window.say('Run it');
  await expect(approval(window.page)).toHaveCount(1, { timeout: LONG });
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(home);
});

for (const graph of [false, true]) {
  test(`GR25: three long toasts lie on nothing, the graph ${graph ? 'open' : 'closed'}`, async () => {
    if (graph) await window.page.keyboard.press('ControlOrMeta+Shift+G');
    await expect(window.page.locator('[data-pane="graph"]')).toHaveCount(graph ? 1 : 0);
    await raiseThree();
    for (const [width, height] of [
      [1280, 800],
      [960, 640],
    ] as const) {
      await resize(width, height);
      // In the smaller window the graph would lie on the card, and gives way.
      const seen = ['a notice', 'a card', 'the composer', ...(graph && width > 960 ? ['the graph'] : [])];
      const expected = { toasts: 3, cut: [], covered: [], seen: expect.arrayContaining(seen) as unknown };
      await expect.poll(look).toMatchObject(expected);
    }
    // In the smaller window the card has all the room.
    await resize(1280, 800);
    expect((await look()).seen).toContain('the tools of a row');
    expect(await seriousIssues(window.page)).toEqual([]);
    await takeShots(app, `toasts-${graph ? 'graph' : 'plain'}`);
    await dismiss(3);
  });
}

test('GR25: a short one stands in the sidebar and moves nothing that is read or written', async () => {
  const short = join(home, 'no session.jsonl');
  writeFileSync(short, 'no session');
  const boxes = (): Promise<unknown> =>
    Promise.all([window.composer, window.page.locator('[data-pane="transcript"]')].map((place) => place.boundingBox()));
  await resize(960, 640);
  const before = await boxes();
  await window.composer.focus();
  // What is written there is inherited by every element: in a long session that is a long task.
  const written = await window.page.evaluateHandle(() => {
    const values: (string | null)[] = [];
    const { documentElement } = document;
    new MutationObserver(() => values.push(documentElement.getAttribute('style'))).observe(documentElement, {
      attributeFilter: ['style'],
    });
    return values;
  });
  await window.importByMenu([short]);
  await expect(toasts()).toHaveCount(1, { timeout: LONG });
  await window.page.keyboard.press('F8');
  expect(await written.jsonValue()).toEqual([]);
  const seen: unknown = expect.arrayContaining(['the composer']);
  await expect.poll(look).toMatchObject({ toasts: 1, cut: [], covered: [], seen });
  expect(await boxes()).toEqual(before);
  const [toast, side] = await Promise.all([toasts().boundingBox(), window.page.locator('[data-pane="sessions"]').boundingBox()]); // prettier-ignore
  expect(toast!.x + toast!.width).toBeLessThanOrEqual(side!.x + side!.width);
  const settings = await window.button('Settings').boundingBox();
  expect(toast!.y + toast!.height).toBeLessThanOrEqual(settings!.y);
  // A dialog lies over the sidebar: there it stands below.
  await window.page.keyboard.press('ControlOrMeta+,');
  await expect(window.page.getByRole('dialog')).toBeVisible();
  await toasts().hover();
  await expect.poll(look).toMatchObject({ toasts: 1, cut: [], covered: [] });
  await window.page.keyboard.press('Escape');
  await expect(window.page.getByRole('dialog')).toHaveCount(0);
  await expect.poll(look).toMatchObject({ toasts: 1, cut: [], covered: [] });
  expect(await boxes()).toEqual(before);
  // A popover leaves both where they are.
  const place = await toasts().boundingBox();
  const opened = window.page.locator('[role="dialog"]');
  await window.button(/^Model: /).click();
  await expect(opened).toBeVisible();
  await toasts().hover();
  await expect.poll(look).toMatchObject({ toasts: 1, cut: [] });
  expect([await boxes(), await toasts().boundingBox()]).toEqual([before, place]);
  await window.page.keyboard.press('Escape');
  await expect(opened).toHaveCount(0);
  await takeShots(app, 'toasts-short');
  await toasts().getByRole('button', { name: 'Dismiss' }).click();
  await expect(toasts()).toHaveCount(0);
});

test('GR25: those that just fit there leave the list its room, and scroll', async () => {
  const wide = ['W M', 'M W'].map((name) => join(home, `${name}.jsonl`));
  for (const path of wide) writeFileSync(path, 'no session');
  await resize(960, 640);
  await window.composer.focus();
  await window.importByMenu(wide);
  await expect(toasts()).toHaveCount(2, { timeout: LONG });
  await window.page.keyboard.press('F8');
  const region = window.page.getByRole('region', { name: 'Notices (F8)' });
  const side = await window.page.locator('[data-pane="sessions"]').boundingBox();
  const { drawn, all, right } = await region.evaluate((node) => ({
    ...{ drawn: (node as HTMLElement).offsetHeight, all: node.scrollHeight },
    right: node.getBoundingClientRect().right,
  }));
  expect(right).toBeLessThanOrEqual(side!.x + side!.width);
  expect(drawn).toBeLessThanOrEqual(640 * 0.4);
  expect(all).toBeGreaterThan(drawn);
  await takeShots(app, 'toasts-scroll');
  await dismiss(2);
});

test('GR25: nor on the graph in the whole window', async () => {
  await resize(960, 640);
  await window.page.keyboard.press('ControlOrMeta+Shift+G');
  await window.button('Graph in the whole window').click();
  await window.importByMenu(broken);
  await expect(toasts()).toHaveCount(3, { timeout: LONG });
  await window.page.keyboard.press('F8');
  const seen: unknown = expect.arrayContaining(['the graph']);
  await expect.poll(look).toMatchObject({ toasts: 3, cut: [], covered: [], seen });
  await takeShots(app, 'toasts-full');
  await window.button('Back beside the transcript').click();
  for (const toast of (await toasts().all()).toReversed()) await toast.getByRole('button', { name: 'Dismiss' }).click();
  await expect(toasts()).toHaveCount(0);
});

test('GR25: nor on a dialog; let go, errors go by themselves', async () => {
  await resize(960, 640);
  await raiseThree();
  await window.page.keyboard.press('ControlOrMeta+,');
  await expect(window.page.getByRole('dialog')).toBeVisible();
  // The dialog has the focus: the pointer holds them.
  await toasts().last().hover();
  await expect.poll(look).toMatchObject({ toasts: 3, cut: [], covered: [] });
  expect((await look()).seen).toContain('a dialog');
  await takeShots(app, 'toasts-dialog');
  await window.page.keyboard.press('Escape');
  await expect(window.page.getByRole('dialog')).toHaveCount(0);
  // Beside the graph, which lies over the rest of it.
  await window.composer.hover({ position: { x: 20, y: 10 } });
  await window.composer.focus();
  await expect(toasts()).toHaveCount(0, { timeout: LONG });
});

test('WN9, GR25: told twice it is one with a count; errors are alerts; Escape takes the newest that has the focus', async () => {
  await raiseThree();
  await window.importByMenu(broken.slice(0, 1));
  await expect(toasts().filter({ hasText: '2×' })).toHaveCount(1, { timeout: LONG });
  await expect(toasts()).toHaveCount(3);
  for (const toast of await toasts().all()) await expect(toast).toHaveAttribute('role', 'alert');
  await dismiss(3);
});

test('GR25: what is done after all takes its error from the screen, and no other', async () => {
  const exportTo = async (filePath: string): Promise<void> => {
    await app.electron.evaluate(({ dialog }, path) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
    }, filePath);
    await window.clickMenu('File', 'Export…');
  };
  await window.composer.focus();
  await window.importByMenu(broken.slice(0, 1));
  const other = toasts().filter({ hasText: 'first file that is no session' });
  await expect(other).toHaveCount(1, { timeout: LONG });
  // Held: none of them goes by itself.
  await window.page.keyboard.press('F8');
  await exportTo(join(home, 'no such folder', 'x.jsonl'));
  await expect(toasts()).toHaveCount(2, { timeout: LONG });
  await exportTo(join(home, 'x.jsonl'));
  await expect(toasts().filter({ hasText: 'Exported to' })).toHaveCount(1, { timeout: LONG });
  await expect(toasts()).toHaveCount(2);
  await expect(other).toHaveCount(1);
  await dismiss(2);
});
