import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { AppWindow } from '../e2e/window';
import type { FaultApp } from './fault-app';
import { sessionOf, type HostileCase } from './hostile-cases';
import { MainThread, MARK, type Moved, type Watched } from './main-thread';

const LONG_TASK_MS = 50;
const OPEN_MS = 60_000;

/** What the window says about itself after it showed a session from its end to its beginning. */
interface Seen {
  /** Rows that say that they could not be drawn, with the entries on screen then. */
  faults: number;
  panes: string[];
  rows: number;
}

/** Walks the transcript up, a screen at a time, and lets each rest until nothing is drawn any more. */
async function lookThrough(page: Page, screens = 3_000): Promise<Seen> {
  return page.evaluate(
    async ({ mark, patience, most }) => {
      const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 17)));
      const seen = { faults: 0, panes: [] as string[], rows: 0 };
      const shown = new Set<string>();
      const onScreen = (): string[] =>
        [...document.querySelectorAll<HTMLElement>('[data-transcript] [data-entry]')].map(
          (row) => row.dataset.entry ?? '',
        );
      const scroller = document.querySelector<HTMLElement>('[data-transcript]');
      if (!scroller) return seen;
      const rest = async (): Promise<void> => {
        let height = -1;
        for (let tries = 0; tries < patience; tries += 1) {
          await frame();
          await frame();
          if (scroller.scrollHeight === height) return;
          height = scroller.scrollHeight;
        }
      };
      for (let steps = 0; steps < most; steps += 1) {
        await rest();
        const ids = onScreen();
        for (const id of ids) shown.add(id);
        performance.mark(mark + ids.join(' '));
        seen.faults = Math.max(seen.faults, document.querySelectorAll('[data-fault]').length);
        const before = scroller.scrollTop;
        if (before <= 0) break;
        // Long rows are passed by in larger steps: what they hold is drawn alike all over.
        scroller.scrollTop = Math.max(0, before - Math.max(scroller.clientHeight * 0.8, before / 40));
      }
      await rest();
      performance.mark(mark + onScreen().join(' '));
      performance.clearMarks();
      seen.rows = shown.size;
      seen.panes = [...document.querySelectorAll('[role="alert"]')]
        .map((alert) => alert.textContent ?? '')
        .filter((text) => text.includes('could not be drawn'));
      return seen;
    },
    { mark: MARK, patience: 200, most: screens },
  );
}

/** What was found out about a window. */
export interface Found {
  /** What is wrong with it. */
  problem: string | null;
  /** Tasks over 50 ms of the processor, in words. */
  long: string[];
  tasks: number;
  longestMs: number;
  /** See `Watched`. */
  slowness: number;
  rowFaults: number;
  rows: number;
}

/** Of a window whose tasks were not measured. */
const UNTIMED: Watched = { tasks: 0, longestMs: 0, long: [], slowness: 1 };

function foundOf(watched: Watched, seen: Seen, where: (mark: string) => string): Found {
  return {
    problem: seen.panes.length > 0 ? seen.panes.join('; ') : null,
    long: watched.long.map(({ ms, most, mark }) => `${ms} ms (${most}) at ${where(mark)}`),
    tasks: watched.tasks,
    longestMs: watched.longestMs,
    slowness: watched.slowness,
    rowFaults: seen.faults,
    rows: seen.rows,
  };
}

/** The cases that were on screen at a mark. */
function casesOf(mark: string, named: ReadonlyMap<string, string>): string {
  return mark
    .split(' ')
    .flatMap((id) => named.get(id) ?? [])
    .slice(0, 6)
    .join(' | ');
}

/** Opens a session of these cases and looks through it. `moved` null: its tasks are not measured. */
export async function showCases(
  app: FaultApp,
  scratch: string,
  name: string,
  cases: readonly HostileCase[],
  moved: Moved | null = 'small',
): Promise<Found> {
  const window = new AppWindow(app);
  const path = join(scratch, `${name}.jsonl`);
  writeFileSync(path, sessionOf(name, cases));
  const named = new Map(cases.map((item) => [item.id, item.name]));
  return watched(
    app,
    moved,
    (mark) => casesOf(mark, named) || name,
    async () => {
      // The list draws only the rows that are in view: what tells the new session is that its transcript is another element.
      await app.page.evaluate(() => document.querySelector('[data-transcript]')?.setAttribute('data-before', ''));
      await window.importByMenu([path]);
      // Not by its text: to find that, the page is made to read all of the others in one task.
      const last = app.page.locator('[data-transcript]:not([data-before]) [data-entry="end00001"]');
      await last.waitFor({ timeout: OPEN_MS });
      return lookThrough(app.page);
    },
  );
}

/** Says something to the shown session; `name` is what the answer is made of. */
export async function showAnswer(app: FaultApp, name: string, moved: Moved | null = 'small'): Promise<Found> {
  const window = new AppWindow(app);
  return watched(
    app,
    moved,
    () => name,
    async () => {
      await window.say('Go on.');
      await window.rested(await window.shownId());
      return lookThrough(app.page, 0);
    },
  );
}

/** What the main thread does while something is shown, and whether the window can be used afterwards. */
async function watched(
  { page }: FaultApp,
  moved: Moved | null,
  where: (mark: string) => string,
  show: () => Promise<Seen>,
): Promise<Found> {
  const thread = moved === null ? null : await MainThread.start(page);
  try {
    const seen = await show();
    const found = foundOf(thread && moved ? await thread.stop(LONG_TASK_MS, moved) : UNTIMED, seen, where);
    await page.locator('[data-composer]').fill('still here', { timeout: 10_000 });
    await page.locator('[data-composer]').fill('', { timeout: 10_000 });
    return found;
  } catch (error) {
    await thread?.drop();
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? 'failed') : String(error);
    return { problem, long: [], tasks: 0, longestMs: 0, slowness: 1, rowFaults: 0, rows: 0 };
  }
}
