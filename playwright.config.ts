import { defineConfig } from '@playwright/test';

const jsonReport = process.env.ESPALIER_E2E_REPORT;

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test/results/e2e',
  // One app at a time: windows of several would take the focus from each other.
  workers: 1,
  retries: 0,
  // A busy machine is slow, not wrong; a wait ends as soon as the state is there.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: jsonReport ? [['line'], ['json', { outputFile: jsonReport }]] : 'line',
});
