import { join } from 'node:path';
import type { Case, FigureInput } from '../../support/figures';
import { launchApp } from '../../support/electron-app';
import { median, percentile } from '../harness';
import { generateEntries, type SessionOptions } from '../sessions';
import { openAndPaint, putSessions, scrollUp, untilCopied } from '../window/sessions';

/** Both end in the same step of a turn, so that their last screens are alike. */
const SHORT: SessionOptions = { entries: 104, markdown: true };
const LONG: SessionOptions = { entries: 10_000, markdown: true };
/** As many as the window keeps open: after them it has let go of the two that are measured. */
const OTHERS: SessionOptions[] = [16, 24, 32].map((entries) => ({ entries, markdown: true }));
const REPETITIONS = 15;
const SCROLL_FRAMES = 240;

function newestEntry(options: SessionOptions): string {
  let id = '';
  for (const entry of generateEntries(options)) id = entry.id;
  return id;
}

/** QP8, QA2: the real window on real sessions of real markdown. */
const transcript: Case = {
  name: 'P8',
  issue: 2,
  times: ['src/renderer/features/transcript/transcript.tsx:Transcript'],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const home = join(scratch, 'home');
    const all = [SHORT, LONG, ...OTHERS];
    const ids = await putSessions(home, all);
    const places = all.map((options, index) => [ids[index] ?? '', newestEntry(options)] as const);
    const [short, long, ...others] = places;
    if (!short || !long) throw new Error('No sessions.');
    const app = await launchApp({ home, size: { width: 1280, height: 800 } });
    try {
      await untilCopied(app.page, all);
      log('the database has all sessions');
      const open = (place: readonly [string, string]) => app.page.evaluate(openAndPaint, place);
      const fresh = async (place: readonly [string, string]): Promise<number> => {
        for (const other of others) await open(other);
        await app.page.waitForTimeout(300);
        return open(place);
      };
      const times = { short: [] as number[], long: [] as number[] };
      const first = { short: await fresh(short), long: await fresh(long) };
      for (let run = 0; run < REPETITIONS; run += 1) {
        times.short.push(await fresh(short));
        times.long.push(await fresh(long));
        log(`104 entries ${times.short.at(-1)?.toFixed(0)} ms, 10,000 entries ${times.long.at(-1)?.toFixed(0)} ms`);
      }
      await app.page.waitForFunction(
        () => Number(document.querySelector('[data-entry]')?.getAttribute('aria-setsize')) > 6_000,
      );
      const scroll = await app.page.evaluate(scrollUp, SCROLL_FRAMES);
      return [
        {
          name: 'P8 first paint of 10,000 entries',
          value: median(times.long),
          unit: 'ms',
          note: `click to painted, window without the session; first time with main's reading ${first.long.toFixed(0)} ms`,
          target: { on: 'value', op: '<=', bound: 120 },
        },
        {
          name: 'P8 the same against 104 entries',
          value: median(times.long) / median(times.short),
          unit: 'x',
          note: `104 entries ${median(times.short).toFixed(0)} ms`,
          target: { on: 'value', op: '<=', bound: 1.2 },
        },
        {
          name: 'P8 DOM elements of the whole window',
          value: scroll.elements,
          unit: 'elements',
          note: 'most while scrolling',
          target: { on: 'value', op: '<=', bound: 1500 },
        },
        {
          name: 'P8 scroll frame, p95',
          value: percentile(scroll.times, 0.95),
          unit: 'ms',
          note: `400 px a frame up, ${SCROLL_FRAMES} frames, median ${median(scroll.times).toFixed(1)} ms, worst ${Math.max(...scroll.times).toFixed(0)}`,
          target: { on: 'value', op: '<=', bound: 25 },
        },
      ];
    } finally {
      await app.close();
    }
  },
};

export default transcript;
