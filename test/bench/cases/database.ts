import type { Case, FigureInput } from '../../support/figures';
import { median, percentile } from '../harness';
import { openBenchPage } from '../window/open-page';

const RECORDS = 10_000;
const REPETITIONS = 5;
const ARCHIVE_MS = 150;

/** P12: the window's database code on the real IndexedDB, strict, under the app's origin. */
const database: Case = {
  name: 'P12',
  issue: 2,
  times: [
    'src/renderer/db/session-records.ts:applyPages',
    'src/renderer/db/page-writer.ts:PageWriter.push',
    'src/renderer/db/session-records.ts:archiveOlder',
  ],
  async run({ scratch, log }): Promise<FigureInput[]> {
    const { app, page } = await openBenchPage(scratch);
    try {
      const runs = [];
      for (let run = 0; run <= REPETITIONS; run += 1) {
        const times = await page.evaluate((count) => window.bench.measureDatabase(count), RECORDS);
        if (times.kept !== RECORDS) throw new Error(`${times.kept} of ${RECORDS} records are there.`);
        log(
          `import ${times.importMs.toFixed(0)} ms, archive ${times.archiveMs.toFixed(0)} (bare ${times.bareMs.toFixed(0)}), move ${times.moveMs.toFixed(0)}`,
        );
        // The first is the warm-up.
        if (run > 0) runs.push(times);
      }
      const batches = runs.flatMap((run) => run.batches);
      const [archiveMs, bareMs] = [median(runs.map((run) => run.archiveMs)), median(runs.map((run) => run.bareMs))];
      const note = `records of 2 KB, strict, ${REPETITIONS} runs`;
      return [
        {
          name: 'P12 apply a batch of 20, p95',
          value: percentile(batches, 0.95),
          unit: 'ms',
          note: `${note}; p50 ${median(batches).toFixed(1)} ms of ${batches.length}`,
          target: { on: 'value', op: '<=', bound: 15 },
        },
        {
          name: 'P12 import 10,000 records',
          value: median(runs.map((run) => run.importMs)),
          unit: 'ms',
          note: `${note}; pages of 100 as main sends them`,
          target: { on: 'value', op: '<=', bound: 1500 },
        },
        {
          name: 'P12 archive 10,000 records in chunks',
          value: archiveMs,
          unit: 'ms',
          peer: bareMs,
          note: `bar: ${ARCHIVE_MS} ms, or 1.2 times what the bare database takes (ratio 0.83); one transaction; moving 10,000 single rows, which the app does 200 at a time, takes ${median(runs.map((run) => run.moveMs)).toFixed(0)} ms`,
          target:
            archiveMs <= ARCHIVE_MS
              ? { on: 'value', op: '<=', bound: ARCHIVE_MS }
              : { on: 'ratio', op: '>=', bound: 0.83 },
        },
      ];
    } finally {
      await app.close();
    }
  },
};

export default database;
