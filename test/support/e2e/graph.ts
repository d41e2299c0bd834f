import { expect, type Locator, type Page } from '@playwright/test';

/** The branch graph as a person points at it. */
export class GraphPage {
  constructor(private readonly page: Page) {}

  get pane(): Locator {
    return this.page.locator('[data-pane="graph"]');
  }
  get plane(): Locator {
    return this.pane.locator('[data-graph]');
  }
  get head(): Locator {
    return this.pane.locator('[data-head]');
  }
  get cursor(): Locator {
    return this.pane.locator('.react-flow [data-cursor]');
  }
  get ghost(): Locator {
    return this.pane.locator('[data-drag-ghost]');
  }
  get preview(): Locator {
    return this.pane.locator('[data-preview]');
  }

  node(entryId: string): Locator {
    return this.pane.locator(`.react-flow [data-entry="${entryId}"]`);
  }

  titled(text: string | RegExp): Locator {
    return this.pane.locator('.react-flow [data-entry]').filter({ hasText: text });
  }

  /** Presses at one place, moves to another in steps, and leaves the button down. */
  async dragTo(from: Locator, to: { x: number; y: number }, at: 'middle' | 'plus' | 'head' = 'middle'): Promise<void> {
    const box = await boxOf(from);
    const start = {
      middle: { x: box.x + box.width / 3, y: box.y + box.height / 2 },
      plus: { x: box.x + box.width, y: box.y + box.height / 2 },
      head: { x: box.x + box.width - 20, y: box.y - 10 },
    }[at];
    await this.page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    await this.page.mouse.move((start.x + to.x) / 2, (start.y + to.y) / 2, { steps: 4 });
    await this.page.mouse.move(to.x, to.y, { steps: 4 });
    await expect(this.ghost).toBeVisible();
  }

  async middleOf(locator: Locator): Promise<{ x: number; y: number }> {
    const box = await boxOf(locator);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** A place of the plane where nothing is. */
  async empty(): Promise<{ x: number; y: number }> {
    const box = await boxOf(this.plane);
    return { x: box.x + box.width - 30, y: box.y + 60 };
  }
}

/** Where something is once the view has come to rest: it moves for a moment after it was fitted or has followed HEAD. */
async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  let before = '';
  for (let looks = 0; looks < 100; looks++) {
    const box = await locator.boundingBox();
    const now = JSON.stringify(box);
    if (box && now === before) return box;
    before = now;
    await locator.page().waitForTimeout(60);
  }
  throw new Error(`${String(locator)} is not on screen, or never comes to rest`);
}
