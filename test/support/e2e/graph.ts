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

  /** The row of the rail that stands for a branch, a fold or several branches. */
  get closed(): Locator {
    return this.pane.locator('[data-kind="branch"], [data-kind="fold"], [data-kind="many"]');
  }

  titled(text: string | RegExp): Locator {
    return this.pane.locator('.react-flow [data-entry]').filter({ hasText: text });
  }

  /** Beside the transcript, where the rail is until the person asks for the other. */
  async showCanvas(): Promise<void> {
    await this.pane.getByRole('button', { name: 'Show as canvas' }).click();
    await expect(this.pane.locator('[data-graph="canvas"]')).toBeVisible();
  }

  /** The outline in the place of the graph, and back. */
  async switchOutline(): Promise<void> {
    await this.choose('As an outline');
  }

  /** Presses one of what the filter's menu has. */
  async choose(name: string): Promise<void> {
    await this.pane.getByRole('button', { name: /^Filter: / }).click();
    await this.page.getByRole('menu').getByText(name, { exact: true }).click();
  }

  /** Where a row is opened and closed: beside its dot. */
  async toggle(row: Locator): Promise<void> {
    const { x, y, height } = await boxOf(row);
    await this.page.mouse.click(x + 43, y + height / 2);
  }

  /** Presses at one place, moves to another in steps, and leaves the button down. */
  async dragTo(from: Locator, to: { x: number; y: number }, at: 'middle' | 'plus' | 'head' = 'middle'): Promise<void> {
    const box = await boxOf(from);
    const start = { x: box.x + box.width / 3, y: box.y + box.height / 2 };
    await this.page.mouse.move(start.x, start.y);
    if (at !== 'middle')
      Object.assign(start, await this.middleOf(from.locator(at === 'plus' ? '[data-plus]' : '[data-pill]')));
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

  /** Of the cells on screen those without words, with words too small to read, and not wholly on the plane: by what they show. */
  cells(): Promise<{ count: number; without: string[]; tooSmall: string[]; outside: string[] }> {
    return this.plane.evaluate((plane) => {
      const pane = plane.getBoundingClientRect();
      const found = { count: 0, without: [] as string[], tooSmall: [] as string[], outside: [] as string[] };
      for (const cell of plane.querySelectorAll<HTMLElement>('.react-flow__node')) {
        const box = cell.getBoundingClientRect();
        const name = `${cell.querySelector<HTMLElement>('[data-entry]')?.dataset.entry}: ${cell.innerText}`;
        found.count += 1;
        if (box.left < pane.left || box.right > pane.right || box.top < pane.top || box.bottom > pane.bottom)
          found.outside.push(name);
        // The title of a card, or the name and the title of a row.
        const words = [...cell.querySelectorAll<HTMLElement>('b, span[dir="auto"]')].filter(
          (part) => part.innerText.trim() !== '' && part.getBoundingClientRect().width >= 11,
        );
        if (words.length === 0) found.without.push(name);
        const scale = box.width / cell.offsetWidth;
        if (words.some((part) => Number.parseFloat(getComputedStyle(part).fontSize) * scale < 11))
          found.tooSmall.push(name);
      }
      return found;
    });
  }

  /** Of nodes: those that are not wholly on the plane, or lie below what floats there. */
  covered(...selectors: string[]): Promise<string[]> {
    return this.plane.evaluate((plane, wanted) => {
      const pane = plane.getBoundingClientRect();
      const floating = [...plane.parentElement!.querySelectorAll('[data-floats], [data-preview]')]
        .filter((element) => element instanceof HTMLElement && element.offsetParent !== null)
        .map((element) => element.getBoundingClientRect());
      const slack = 1;
      return wanted.filter((selector) => {
        const box = plane.querySelector(selector)?.getBoundingClientRect();
        if (!box) return true;
        const isInside =
          box.top >= pane.top - slack &&
          box.bottom <= pane.bottom + slack &&
          box.left >= pane.left - slack &&
          box.right <= pane.right + slack;
        const isCovered = floating.some(
          (over) =>
            over.left < box.right - slack &&
            over.right > box.left + slack &&
            over.top < box.bottom - slack &&
            over.bottom > box.top + slack,
        );
        return !isInside || isCovered;
      });
    }, selectors);
  }

  /** A place of the plane where nothing is. */
  async empty(): Promise<{ x: number; y: number }> {
    const box = await boxOf(this.plane);
    return { x: box.x + box.width - 30, y: box.y + box.height - 30 };
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
