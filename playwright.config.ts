import { defineConfig } from '@playwright/test';
import { APART_SPECS, APART_TESTS } from './test/support/apart/flows';
import { PATIENCE } from './test/support/patience';

/** One for each worker: on one display, windows of several would take the focus from each other. */
const displays = process.env.ESPALIER_DISPLAYS?.split(',').filter(Boolean) ?? [];
const display = displays[Number(process.env.TEST_PARALLEL_INDEX)];
if (display) process.env.DISPLAY = display;

/** Tests of how long the window's tasks are. */
const TASKS = /@tasks/;

const jsonReport = process.env.ESPALIER_E2E_REPORT;

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test/results/e2e',
  workers: Math.max(1, displays.length),
  // On a machine that stands still for seconds a press can come at the wrong moment. A test that needs the second try is named
  // in the last lines of `npm test`; whoever works on the code gets none (docs/decisions/0015-second-try.md).
  retries: process.env.CI ? 1 : 0,
  // A busy machine is slow, not wrong; a wait ends as soon as the state is there.
  timeout: 240_000 * PATIENCE,
  expect: { timeout: 30_000 * PATIENCE },
  forbidOnly: Boolean(process.env.CI),
  projects: [
    { name: 'electron', grepInvert: TASKS },
    // They judge times, which `npm test` does not: `npm run faults` runs them, with nothing beside them.
    ...(process.env.ESPALIER_TASKS ? [{ name: 'tasks', grep: TASKS }] : []),
    // Where its runtimes are not there, the set-up has said why.
    ...(process.env.ESPALIER_APART
      ? [{ name: 'apart', testMatch: APART_SPECS, grep: APART_TESTS, grepInvert: TASKS }]
      : []),
  ],
  reporter: jsonReport ? [['line'], ['json', { outputFile: jsonReport }]] : 'line',
});
