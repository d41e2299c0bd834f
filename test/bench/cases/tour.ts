import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { launchApp } from '../../support/electron-app';
import type { Case, FigureInput } from '../../support/figures';

/** A hand takes that long from one thing on screen to the next, and moves in so many steps. */
const MOVE_MS = 700;
const MOVE_STEPS = 25;
/** Words a minute that people read on screen. */
const WORDS_A_MINUTE = 230;
const BOUND_S = 60;
const LONG = 60_000;

/** WN18: the three coach marks of the first start, read and done with the mouse as slowly as a person is, at the demo's own speed. */
const tour: Case = {
  name: 'tour',
  issue: 13,
  times: ['src/renderer/features/tour/coach-mark.tsx:CoachMark'],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const env = { ESPALIER_NO_TOUR: '0' };
    const app = await launchApp({ home: join(scratch, 'home'), env, graph: true, size: { width: 1280, height: 800 } });
    try {
      const seconds = await takeTour(app.page, log);
      return [
        {
          name: 'Tour: its three marks, read and done',
          value: seconds,
          unit: 's',
          note: `from the first mark on screen until the last is done; ${MOVE_MS} ms a move, ${WORDS_A_MINUTE} words a minute`,
          target: { on: 'value', op: '<=', bound: BOUND_S },
        },
      ];
    } finally {
      await app.close();
    }
  },
};

/** Does what the marks say. Gives the seconds that it took. */
async function takeTour(page: Page, log: (line: string) => void): Promise<number> {
  const hand = new Hand(page);
  const mark = (name: string): Locator => page.getByRole('region', { name });
  const read = async (name: string): Promise<void> => {
    await mark(name).waitFor({ timeout: LONG });
    await readOut(page, mark(name));
    log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  };
  await mark('Tour, 1 of 3').waitFor({ timeout: LONG });
  const start = performance.now();

  await read('Tour, 1 of 3');
  const grip = await hand.middleOf(page.getByRole('button', { name: 'Drag the cut line' }));
  await hand.moveTo(grip.x, grip.y);
  await page.mouse.down();
  await hand.moveTo(grip.x, grip.y + 220);
  await readOut(page, page.locator('[data-cut-ghost]'));
  await page.mouse.up();
  const sheet = page.getByRole('dialog', { name: 'Compact this session' });
  const compact = sheet.getByRole('button', { name: 'Compact', exact: true });
  await compact.waitFor({ timeout: LONG });
  await hand.press(compact);

  await read('Tour, 2 of 3');
  await hand.press(page.locator('[data-transcript] [data-kind="cut"]').getByRole('button', { name: 'Undo' }));

  await read('Tour, 3 of 3');
  const plus = await hand.middleOf(page.locator('[data-pane="graph"] [data-plus]').first());
  await hand.moveTo(plus.x, plus.y);
  await page.mouse.down();
  await hand.moveTo(plus.x + 110, plus.y + 20);
  await page.mouse.up();
  await page.getByRole('group', { name: 'Where your message goes' }).waitFor({ timeout: LONG });
  await page.locator('[data-coach]').waitFor({ state: 'detached', timeout: LONG });
  return (performance.now() - start) / 1000;
}

/** Takes the time that a person needs for the words of something. */
async function readOut(page: Page, what: Locator): Promise<void> {
  const words = (await what.innerText()).split(/\s+/).length;
  await page.waitForTimeout((words * 60_000) / WORDS_A_MINUTE);
}

/** A mouse that is moved by a person. */
class Hand {
  private at = { x: 640, y: 400 };

  constructor(private readonly page: Page) {}

  async moveTo(x: number, y: number): Promise<void> {
    const from = this.at;
    for (let step = 1; step <= MOVE_STEPS; step++) {
      // Slow at both ends, as a hand is.
      const way = (1 - Math.cos((Math.PI * step) / MOVE_STEPS)) / 2;
      await this.page.mouse.move(from.x + (x - from.x) * way, from.y + (y - from.y) * way);
      await this.page.waitForTimeout(MOVE_MS / MOVE_STEPS);
    }
    this.at = { x, y };
  }

  async press(what: Locator): Promise<void> {
    const { x, y } = await this.middleOf(what);
    await this.moveTo(x, y);
    await this.page.mouse.click(x, y);
  }

  async middleOf(what: Locator): Promise<{ x: number; y: number }> {
    const box = await what.boundingBox();
    if (!box) throw new Error(`${String(what)} is not on screen.`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
}

export default tour;
