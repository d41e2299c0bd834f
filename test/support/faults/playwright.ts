import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CaseContext } from '../figures';

/** How many tests there were, and how many of them failed. */
export interface Ran {
  count: number;
  failed: number;
}

interface Report {
  stats: { expected: number; unexpected: number; flaky: number };
}

/** Runs tests of `test/e2e` one after the other, as they are; what they print goes to the log of the case. */
export async function runSpecs(
  { scratch, log }: CaseContext,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ran> {
  const report = join(scratch, 'playwright.json');
  const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');
  const child = spawn(process.execPath, [cli, 'test', '--retries=0', '--workers=1', ...args], {
    env: { ...process.env, ESPALIER_E2E_REPORT: report, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => log(text.trimEnd()));
  await once(child, 'close');
  const { stats } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  return { count: stats.expected + stats.unexpected + stats.flaky, failed: stats.unexpected };
}
