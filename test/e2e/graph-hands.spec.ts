import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PATIENCE } from '../support/patience';
import { writeBranchySession, type BranchySession } from '../support/branchy-session';
import type { RunningApp } from '../support/electron-app';
import { GraphPage } from '../support/e2e/graph';
import { sharedHome, test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import { shortOrLong } from '../support/long-form';

/** Drags that end otherwise than they should: nothing stays of them, and nobody is told of an error (GR22). */
test.describe.configure({ mode: 'serial' });

const GESTURES = shortOrLong(40, 100);
const home = sharedHome();
const file = join(home, 'branchy.jsonl');
let session: BranchySession;
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let sessionId: string;

test.beforeAll(async ({ shared }) => {
  ({ app } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  session = writeBranchySession(file, { turns: 60, branches: 6, branchLength: 3, compactions: 1 });
  await window.importByMenu([file]);
  await expect(graph.head).toBeVisible();
  sessionId = await window.shownId();
  await window.dismissToasts();
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

const row = (back: number) => graph.node(session.trunk.at(-1 - back) ?? '');
const leafId = async (): Promise<string | null> => (await window.request('session.open', { sessionId })).leafId;
const place = async (back: number): Promise<{ x: number; y: number }> => graph.middleOf(row(back));
/** Nothing follows the pointer, nothing is asked, no error is told, HEAD is where it was. */
async function nothingCame(before: string | null): Promise<void> {
  await expect(graph.ghost).toHaveCount(0);
  await expect(graph.pane.locator('[data-dragging]')).toHaveCount(0);
  await expect(app.page.getByRole('dialog')).toHaveCount(0);
  await expect(app.page.getByRole('alert')).toHaveCount(0);
  expect(await leafId()).toBe(before);
}

test('GR22: a press that moves less than 6 pixels is a click, one that moves further a drag', async () => {
  const { x, y } = await place(3);
  await app.page.mouse.move(x, y);
  await app.page.mouse.down();
  await app.page.mouse.move(x + 5, y);
  await expect(graph.ghost).toHaveCount(0);
  await app.page.mouse.up();
  await expect(graph.cursor).toHaveAttribute('data-entry', session.trunk.at(-4) ?? '');
  await app.page.mouse.move(x, y);
  await app.page.mouse.down();
  await app.page.mouse.move(x + 7, y);
  await expect(graph.ghost).toHaveCount(1);
  await app.page.keyboard.press('Escape');
  await app.page.mouse.up();
  await expect(graph.preview).toHaveCount(0);
});

test('GR22: out of the pane a drag says that letting go cancels, and it does; back in the pane it goes on', async () => {
  const before = await leafId();
  await graph.dragTo(row(3), await place(6));
  await expect(graph.ghost).toContainText('Already on this branch');
  const pane = (await graph.pane.boundingBox())!;
  await app.page.mouse.move(pane.x - 60, pane.y + 300, { steps: 4 });
  await expect(graph.ghost).toContainText('Let go to cancel');
  await expect(graph.ghost).toHaveAttribute('data-drag-ghost', 'off');
  const back = await place(6);
  await app.page.mouse.move(back.x, back.y, { steps: 4 });
  await expect(graph.ghost).toContainText('Already on this branch');
  await app.page.mouse.move(pane.x - 60, pane.y + 300, { steps: 4 });
  await app.page.mouse.up();
  await nothingCame(before);
});

test('GR22: Esc in a drag that has moved the view puts it back', async () => {
  const before = await leafId();
  const then = await place(3);
  const pane = (await graph.plane.boundingBox())!;
  await graph.dragTo(row(3), { x: then.x, y: pane.y + 10 });
  // The view creeps on near the edge.
  await expect.poll(async () => (await row(3).boundingBox())?.y ?? 10_000).toBeGreaterThan(then.y + 60);
  await app.page.keyboard.press('Escape');
  await app.page.mouse.up();
  expect(await place(3)).toEqual(then);
  await nothingCame(before);
});

test('GR22: what takes the keyboard or the pointer ends a drag; its words stay in the pane', async () => {
  const before = await leafId();
  const pane = (await graph.plane.boundingBox())!;
  const drag = (): Promise<void> => graph.dragTo(graph.head, { x: pane.x + pane.width - 20, y: pane.y + 200 }, 'head');
  for (const key of ['ControlOrMeta+,', 'ControlOrMeta+k', 'F1']) {
    await drag();
    await app.page.keyboard.press(key);
    await expect(app.page.getByRole('dialog')).toHaveCount(1);
    await expect(graph.ghost).toHaveCount(0);
    await app.page.mouse.up();
    await app.page.keyboard.press('Escape');
    await nothingCame(before);
  }
  await drag();
  const words = (await graph.ghost.locator('div').boundingBox())!;
  expect(words.x).toBeGreaterThanOrEqual(pane.x);
  expect(words.x + words.width).toBeLessThanOrEqual(pane.x + pane.width);
  await app.page.mouse.down({ button: 'right' });
  await expect(graph.ghost).toHaveCount(0);
  await app.page.mouse.up({ button: 'right' });
  await app.page.mouse.up();
  await expect(app.page.getByRole('menu')).toHaveCount(0);
  await nothingCame(before);
  // GR24, GR32: what the keyboard carries is put down by Esc wherever that is, and by a press on anything.
  for (const putDown of [() => app.page.keyboard.press('Escape'), () => window.composer.click()]) {
    await graph.plane.focus();
    await app.page.keyboard.press('o');
    await expect(graph.ghost).toHaveCount(1);
    await window.composer.focus();
    await expect(graph.ghost).toHaveCount(1);
    await putDown();
    await nothingCame(before);
  }
});

test('WN9: the keyboard is in the pane after each of its menus, tabs and pictures', async () => {
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await app.page.keyboard.press('ContextMenu');
  await expect(app.page.getByRole('menu').locator(':focus').or(app.page.locator('[role="menu"]:focus'))).toHaveCount(1);
  await app.page.keyboard.press('Escape');
  await expect(graph.plane).toBeFocused();
  await app.page.keyboard.press('ContextMenu');
  const hide = app.page.getByRole('menuitem', { name: 'Hide this branch' });
  await expect(hide).toBeDisabled();
  await expect(hide).toContainText('HEAD is in it');
  await app.page.getByRole('menuitem', { name: 'Copy reference' }).click();
  await expect(graph.plane).toBeFocused();
  const tab = (name: RegExp) => graph.pane.getByRole('tab', { name });
  await tab(/Tree/).focus();
  await app.page.keyboard.press('ArrowRight');
  await expect(tab(/Branches/)).toBeFocused();
  await app.page.keyboard.press('ArrowLeft');
  await expect(tab(/Tree/)).toBeFocused();
  await graph.showCanvas();
  await expect(graph.plane).toBeFocused();
  await graph.pane.getByRole('button', { name: 'Show as rail' }).click();
  await expect(graph.plane).toBeFocused();
  await graph.pane.getByRole('button', { name: 'Graph in the whole window' }).click();
  await graph.plane.focus();
  await app.page.keyboard.press('ControlOrMeta+Shift+g');
  await expect(window.composer).toBeFocused();
  await app.page.keyboard.press('ControlOrMeta+Shift+g');
  await expect(graph.plane).toBeFocused();
  await window.dismissToasts();
});

test('GR22: Space and the middle button pan, also from a row; Space alone folds', async () => {
  const before = await leafId();
  const drag = async (button: 'left' | 'middle'): Promise<void> => {
    const { x, y } = await place(5);
    await app.page.mouse.move(x, y);
    await app.page.mouse.down({ button });
    await app.page.mouse.move(x, y + 60, { steps: 4 });
    await app.page.mouse.up({ button });
    await expect.poll(async () => (await place(5)).y).toBeGreaterThan(y + 40);
    await graph.plane.focus();
    await app.page.keyboard.press('h');
    await expect.poll(async () => (await place(5)).y).toBe(y);
  };
  await drag('middle');
  await graph.plane.focus();
  await app.page.keyboard.down(' ');
  const { x, y } = await place(5);
  await app.page.mouse.move(x, y);
  await app.page.mouse.down();
  await app.page.mouse.move(x, y + 60, { steps: 4 });
  await app.page.mouse.up();
  await app.page.keyboard.up(' ');
  await expect.poll(async () => (await place(5)).y).toBeGreaterThan(y + 40);
  await nothingCame(before);
  await app.page.keyboard.press('h');
  await expect.poll(async () => (await place(5)).y).toBe(y);
});

test('GR21: the + is where branches leave already; at HEAD it is another try of its prompt', async () => {
  const before = await leafId();
  const plus = (entryId: string) => graph.node(entryId).locator('[data-plus]');
  const over = async (entryId: string): Promise<void> => {
    const { x, y } = await graph.middleOf(graph.node(entryId));
    await app.page.mouse.move(x, y);
  };
  const end = session.branches.at(-1)?.prompts ?? [];
  await graph.toggle(graph.node(end[0] ?? ''));
  await over(end.at(-1) ?? '');
  await expect(graph.node(end.at(-1) ?? '')).toHaveAttribute('data-hovered', 'true');
  // From the end of a branch one only goes on.
  await expect(plus(end.at(-1) ?? '')).toHaveCount(0);
  await over(session.trunk.at(-3) ?? '');
  await expect(plus(session.trunk.at(-3) ?? '')).toHaveAttribute(
    'title',
    'Try another way from here: a new branch after this turn',
  );
  const head = session.trunk.at(-1) ?? '';
  // Below the branch that was opened it may be out of sight.
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await expect(async () => {
    // Rows that came under a pointer that rests are told of with its next move.
    await over(session.trunk.at(-2) ?? '');
    await over(head);
    await expect(plus(head)).toHaveText('+ New branch', { timeout: 2_000 });
  }).toPass({ timeout: 60_000 * PATIENCE });
  await plus(head).click();
  // Its own prompt comes back to be said in another way.
  await expect(window.composer).not.toHaveText('');
  await app.page.keyboard.press('ControlOrMeta+a');
  await app.page.keyboard.press('Delete');
  await app.page.keyboard.press('Escape');
  await expect(graph.pane.locator('[data-ghost]')).toHaveCount(0);
  await window.request('session.go', { sessionId, targetId: before, exact: true, choice: { summarize: false } });
  await expect(row(0)).toHaveAttribute('data-head', 'true');
});

/** Shows rail or canvas beside the transcript, of the canvas as much as the gestures need. */
async function useKind(kind: 'rail' | 'canvas'): Promise<void> {
  if (kind === 'rail') return;
  await graph.showCanvas();
  await graph.plane.focus();
  await app.page.keyboard.press('h');
  await graph.pane.getByRole('button', { name: 'Zoom out' }).click();
}

/** Counts what drops bring on from now on: questions, and branches that are begun. */
async function noteDrops(): Promise<() => Promise<number>> {
  await app.page.evaluate(() => {
    const page = globalThis as { drops?: number };
    page.drops = 0;
    const isOne = (node: Node): boolean =>
      node instanceof Element &&
      (node.matches('[role="dialog"], [data-ghost]') || node.querySelector('[data-ghost]') !== null);
    const look = (changes: MutationRecord[]): void => {
      for (const { addedNodes } of changes) if ([...addedNodes].some(isOne)) page.drops = (page.drops ?? 0) + 1;
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  return () => app.page.evaluate(() => (globalThis as { drops?: number }).drops ?? 0);
}

for (const kind of ['rail', 'canvas'] as const) {
  test(`${kind}: a drag is left in mid-air: another window, another size, another session, a reload`, async () => {
    await useKind(kind);
    const before = await leafId();
    const inTheAir = async (): Promise<void> => {
      await graph.plane.focus();
      await app.page.keyboard.press('h');
      // Its middle is what the drag needs.
      await expect(row(4)).toBeInViewport({ ratio: 0.8 });
      await graph.dragTo(row(1), await place(4));
    };
    await inTheAir();
    await app.page.evaluate(() => globalThis.dispatchEvent(new Event('blur')));
    await nothingCame(before);
    await app.page.mouse.up();
    await inTheAir();
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1400, 700));
    await app.page.mouse.up();
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800));
    await expect.poll(() => app.page.evaluate(() => innerWidth)).toBe(1280);
    await nothingCame(before);
    await inTheAir();
    await app.page.keyboard.press('ControlOrMeta+n');
    await expect.poll(() => window.shownId()).not.toBe(sessionId);
    await expect(graph.ghost).toHaveCount(0);
    await app.page.mouse.up();
    await window.show(sessionId);
    await expect(graph.head).toBeVisible();
    await nothingCame(before);
    await inTheAir();
    await app.page.reload();
    await expect(graph.head).toBeVisible();
    await app.page.mouse.up();
    await nothingCame(before);
  });

  test(`${kind}: an entry comes under the pointer in the middle of a drag: the drag goes on, and can be cancelled`, async () => {
    const before = await leafId();
    await graph.dragTo(row(1), await place(4));
    await window.request('session.label', {
      sessionId,
      entryId: session.trunk[3] ?? '',
      label: `meanwhile on the ${kind}`,
    });
    await expect(graph.ghost).toBeVisible();
    await app.page.keyboard.press('Escape');
    await app.page.mouse.up();
    await nothingCame(before);
    // The view moves under a pointer that rests: it aims at what is there now.
    const at = await place(4);
    await graph.dragTo(graph.head, at, 'head');
    const aimed = (): Promise<unknown> =>
      graph.pane.evaluate((pane, { x, y }) => {
        const isThere = ({ left, right, top, bottom }: DOMRect): boolean =>
          left <= x && x <= right && top <= y && y <= bottom;
        const cells = [...pane.querySelectorAll<HTMLElement>('.react-flow [data-entry]')];
        const below = cells.find((cell) => isThere(cell.getBoundingClientRect()))?.dataset.entry;
        return { below, aimed: pane.querySelector<HTMLElement>('.react-flow [data-aim="target"]')?.dataset.entry };
      }, at);
    const first = session.trunk.at(-5);
    expect(await aimed()).toEqual({ below: first, aimed: first });
    await app.page.mouse.wheel(0, kind === 'rail' ? -62 : -112);
    await expect
      .poll(async () => {
        const now = (await aimed()) as { below?: string; aimed?: string };
        return now.below === now.aimed && now.aimed !== first;
      })
      .toBe(true);
    await app.page.keyboard.press('Escape');
    await app.page.mouse.up();
    await nothingCame(before);
  });

  test(`${kind}: ${GESTURES} gestures at speed leave nothing behind`, async () => {
    const before = await leafId();
    const pane = (await graph.plane.boundingBox())!;
    let seed = 7;
    const below = (end: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % end;
    const anywhere = (): [number, number] => [
      pane.x - 40 + below(pane.width + 40),
      pane.y - 30 + below(pane.height + 30),
    ];
    const { mouse, keyboard } = app.page;
    const came = await noteDrops();
    for (let n = 0; n < GESTURES; n++) {
      await mouse.move(...anywhere());
      const button = below(5) === 0 ? 'middle' : 'left';
      await mouse.down({ button });
      for (let steps = below(4); steps >= 0; steps--) await mouse.move(...anywhere());
      if (below(4) === 0) await mouse.wheel(0, below(400) - 200);
      if (below(3) > 0) await keyboard.press('Escape');
      await mouse.up({ button });
      // What is dropped may ask or begin a branch: that is no accident, and is taken back.
      await keyboard.press('Escape');
    }
    await expect(async () => {
      await keyboard.press('Escape');
      await expect(app.page.locator('[role="dialog"], [data-ghost], [data-reading]')).toHaveCount(0, { timeout: 500 });
    }).toPass({ timeout: 20_000 * PATIENCE });
    expect(await came()).toBeGreaterThan(0);
    // What asks nothing may have led HEAD up its own path.
    if ((await leafId()) !== before)
      await window.request('session.go', { sessionId, targetId: before, exact: true, choice: { summarize: false } });
    await nothingCame(before);
  });
}
