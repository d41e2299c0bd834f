import type { Page } from '@playwright/test';
import type { Case, FigureInput } from '../../support/figures';
import { median, percentile } from '../harness';
import { markdownText } from '../sessions';
import { openBenchPage } from '../window/open-page';

/** QP7: one message of 60,000 characters in 200 chunks. */
const CHARS = 60_000;
const CHUNKS = 200;
const REPETITIONS = 5;
const DECILE = CHUNKS / 10;

const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time, 0);

async function checkEqual(page: Page, text: string): Promise<void> {
  const { ours, peer } = await page.evaluate((shown) => window.bench.showBoth(shown), text);
  if (ours.length < 50 || ours.join('\n') !== peer.join('\n')) {
    const at = ours.findIndex((words, index) => words !== peer[index]);
    throw new Error(`Ours and the peer draw different words: “${ours[at]}” and “${peer[at]}”.`);
  }
}

const markdown: Case = {
  name: 'P7',
  issue: 2,
  times: ['src/renderer/features/markdown/markdown.tsx:MarkdownStream'],
  timeoutMinutes: 10,
  async run({ scratch, log }): Promise<FigureInput[]> {
    const text = markdownText(CHARS).slice(0, CHARS);
    const { app, page, peer } = await openBenchPage(scratch);
    try {
      await checkEqual(page, text);
      const stream = (side: 'ours' | 'peer') =>
        page.evaluate(([name, shown, chunks]) => window.bench.streamOnce(name, shown, chunks), [
          side,
          text,
          CHUNKS,
        ] as const);
      const runs = { ours: [] as number[][], peer: [] as number[][] };
      await stream('ours');
      await stream('peer');
      for (let run = 0; run < REPETITIONS; run += 1) {
        runs.ours.push(await stream('ours'));
        runs.peer.push(await stream('peer'));
        log(`ours ${sum(runs.ours.at(-1) ?? []).toFixed(0)} ms, peer ${sum(runs.peer.at(-1) ?? []).toFixed(0)} ms`);
      }
      return figures(runs, peer);
    } finally {
      await app.close();
    }
  },
};

function figures(runs: { ours: number[][]; peer: number[][] }, peer: string): FigureInput[] {
  const over = (side: number[][], of: (times: number[]) => number): number => median(side.map(of));
  const p95 = (times: number[]): number => percentile(times, 0.95);
  const growth = (times: number[]): number => median(times.slice(-DECILE)) / median(times.slice(0, DECILE));
  const note = `against ${peer}, ${REPETITIONS} runs each in turns, in the app's window`;
  return [
    {
      name: 'P7 streaming 60k chars in 200 chunks',
      value: over(runs.ours, sum),
      unit: 'ms',
      peer: over(runs.peer, sum),
      note,
      target: { on: 'ratio', op: '>=', bound: 10 },
    },
    {
      name: 'P7 one chunk, p95',
      value: over(runs.ours, p95),
      unit: 'ms',
      peer: over(runs.peer, p95),
      target: { on: 'value', op: '<=', bound: 10 },
    },
    {
      name: 'P7 last tenth of the chunks against the first',
      value: over(runs.ours, growth),
      unit: 'x',
      peer: over(runs.peer, growth),
      note: 'medians of the tenths',
      target: { on: 'value', op: '<=', bound: 1.5 },
    },
  ];
}

export default markdown;
