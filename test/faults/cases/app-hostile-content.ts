import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { AppWindow } from '../../support/e2e/window';
import { appCase, openApp, sleep, type FaultApp } from '../../support/faults/fault-app';
import { contentCases, recordCases, sessionOf, type HostileCase } from '../../support/faults/hostile-cases';
import { prepareScriptedHome } from '../../support/faults/scripted-run';
import { hostileMarkdown } from '../../support/hostile-markdown';
import { zero, type CaseContext, type FigureInput } from '../../support/figures';

/** Cases that share a session. */
const A_SESSION = 50;
/** Entries of 1 MB that share one. */
const LARGE_A_SESSION = 10;
const LONG_TASK_MS = 50;
const OPEN_MS = 60_000;

/** What the window says about itself after it showed a session from its end to its beginning. */
interface Seen {
  /** Rows that say that they could not be drawn, with the entries on screen then. */
  faults: number;
  panes: string[];
  /** Tasks over 50 ms, each with the entries that were on screen. */
  long: { ms: number; entries: string[] }[];
  rows: number;
}

/** Walks the transcript up, a screen at a time, and lets each rest until nothing is drawn any more. */
async function lookThrough(page: Page): Promise<Seen> {
  return page.evaluate(
    async ({ limit, patience }) => {
      const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 17)));
      const seen = { faults: 0, panes: [] as string[], long: [] as { ms: number; entries: string[] }[], rows: 0 };
      const shown = new Set<string>();
      const onScreen = (): string[] =>
        [...document.querySelectorAll<HTMLElement>('[data-transcript] [data-entry]')].map(
          (row) => row.dataset.entry ?? '',
        );
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries())
          if (duration > limit) seen.long.push({ ms: Math.round(duration), entries: onScreen() });
      });
      observer.observe({ type: 'longtask' });
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
      for (let steps = 0; steps < 3_000; steps += 1) {
        await rest();
        for (const id of onScreen()) shown.add(id);
        seen.faults = Math.max(seen.faults, document.querySelectorAll('[data-fault]').length);
        const before = scroller.scrollTop;
        if (before <= 0) break;
        // Long rows are passed by in larger steps: what they hold is drawn alike all over.
        scroller.scrollTop = Math.max(0, before - Math.max(scroller.clientHeight * 0.8, before / 40));
      }
      await rest();
      observer.disconnect();
      seen.rows = shown.size;
      seen.panes = [...document.querySelectorAll('[role="alert"]')]
        .map((alert) => alert.textContent ?? '')
        .filter((text) => text.includes('could not be drawn'));
      return seen;
    },
    { limit: LONG_TASK_MS, patience: 200 },
  );
}

interface Found {
  failed: string[];
  long: string[];
  rowFaults: number;
  rows: number;
}

/** Opens a session of these cases. Null: all is well; else what is wrong with the window. */
async function show(
  app: FaultApp,
  scratch: string,
  name: string,
  cases: readonly HostileCase[],
  found: Found,
): Promise<string | null> {
  const window = new AppWindow(app);
  const path = join(scratch, `${name}.jsonl`);
  writeFileSync(path, sessionOf(name, cases));
  const before = await app.page.locator('[data-session]').count();
  try {
    await window.importByMenu([path]);
    await app.page.waitForFunction((count) => document.querySelectorAll('[data-session]').length > count, before, {
      timeout: OPEN_MS,
    });
    await app.page.locator('[data-transcript]').getByText('a sound question after it').waitFor({ timeout: OPEN_MS });
    const seen = await lookThrough(app.page);
    found.rows += seen.rows;
    found.rowFaults += seen.faults;
    if (seen.panes.length > 0) return seen.panes.join('; ');
    const named = new Map(cases.map((item) => [item.id, item.name]));
    for (const { ms, entries } of seen.long)
      found.long.push(
        `${ms} ms at ${
          entries
            .map((id) => named.get(id))
            .filter(Boolean)
            .slice(0, 4)
            .join(' | ') || name
        }`,
      );
    await app.page.locator('[data-composer]').fill('still here', { timeout: 10_000 });
    await app.page.locator('[data-composer]').fill('', { timeout: 10_000 });
    return null;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? 'failed') : String(error);
  }
}

/** Halves a session that fails until one case is left, each half in a window of its own. */
async function bisect(
  home: string,
  scratch: string,
  name: string,
  cases: readonly HostileCase[],
  reason: string,
): Promise<string> {
  const [only, second] = cases;
  if (only && !second) return `${only.name}: ${reason}`;
  const middle = Math.ceil(cases.length / 2);
  for (const [index, half] of [cases.slice(0, middle), cases.slice(middle)].entries()) {
    const app = await openApp(home);
    const found: Found = { failed: [], long: [], rowFaults: 0, rows: 0 };
    const problem = await show(app, scratch, `${name}${index}`, half, found);
    await app.kill();
    if (problem) return bisect(home, scratch, `${name}${index}`, half, problem);
  }
  return `${name}, ${cases.length} cases together: ${reason}`;
}

/** Formulas and code: what they need is loaded before anything is measured. */
function formulas(): HostileCase[] {
  return contentCases(100).filter(({ name }) => /^"(\$a\$|\$\$a\$\$|```js)/.test(name));
}

/** Every nth, so that a short run meets all kinds. */
function sample<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, index) => items[Math.floor(index * step)] as T);
}

async function hostileContent({ scratch, isCi, log }: CaseContext): Promise<FigureInput[]> {
  const records = sample(recordCases(isCi ? 20_000 : 100_000), isCi ? 110 : 1_600);
  const small = sample(contentCases(8_000), isCi ? 80 : 500);
  const large = sample(contentCases(1_000_000).slice(30), isCi ? 10 : 300);
  const groups = [
    ...inGroups('records', records, A_SESSION),
    ...inGroups('content', small, A_SESSION),
    ...inGroups('large', large, LARGE_A_SESSION),
  ];
  const { home, server } = await prepareScriptedHome(join(scratch, 'home'));
  const app = await openApp(home);
  // Code that runs for the first time is compiled: not what is measured.
  const warm: Found = { failed: [], long: [], rowFaults: 0, rows: 0 };
  await show(app, scratch, 'warm', [...sample(contentCases(8_000), 40), ...formulas()], warm);

  const found: Found = { failed: [], long: [], rowFaults: 0, rows: 0 };
  for (const { name, cases } of groups) {
    const problem = await show(app, scratch, name, cases, found);
    if (!problem) continue;
    log(`${name}: ${problem}`);
    found.failed.push(await bisect(home, scratch, name, cases, problem));
    break;
  }
  const streams = found.failed.length === 0 ? await hostileStreams(app, server, isCi ? 6 : 60, found) : 0;
  await app.close();
  for (const line of [...found.failed, ...found.long.slice(0, 40)]) log(line);
  const count = records.length + small.length + large.length + streams;
  const note = `${count} cases, ${found.rows} rows shown, ${found.rowFaults} of them said that they could not be drawn`;
  return [
    zero(
      'Hostile content in the real window: windows that failed',
      found.failed.length,
      'windows',
      `${note}. ${found.failed.join('; ')}`,
    ),
    {
      ...zero(
        'Hostile content in the real window: tasks over 50 ms',
        found.long.length,
        'tasks',
        `${note}. ${found.long.slice(0, 5).join('; ')}`,
      ),
      isOfMachine: true,
    },
  ];
}

/** Replies that arrive in large chunks, as fast as they can be sent. Returns how many. */
async function hostileStreams(
  app: FaultApp,
  server: Awaited<ReturnType<typeof prepareScriptedHome>>['server'],
  count: number,
  found: Found,
): Promise<number> {
  const window = new AppWindow(app);
  const texts = sample(hostileMarkdown(60_000), count);
  await window.request('sessions.create', {}).then(({ id }) => window.show(id));
  for (const { name, text } of texts) {
    server.script(() => ({ text: `${text}\n\nThe end of it.`, chunkChars: 3_000 }));
    await window.say('Go on.');
    const sessionId = await window.shownId();
    await window.rested(sessionId);
    await sleep(50);
    const usable = await app.page.locator('[data-composer]').isEditable();
    if (!usable) {
      found.failed.push(`a stream of ${name}`);
      return count;
    }
  }
  return texts.length;
}

function inGroups(name: string, cases: readonly HostileCase[], size: number): { name: string; cases: HostileCase[] }[] {
  const groups = [];
  for (let at = 0; at < cases.length; at += size)
    groups.push({ name: `${name}${at}`, cases: cases.slice(at, at + size) });
  return groups;
}

export default [appCase('A-hostile-content', hostileContent, { issue: 11, ci: true, timeoutMinutes: 60 })];
