import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { zero, type Case, type CaseContext, type FigureInput } from '../../support/figures';

interface Report {
  stats: { expected: number; unexpected: number; flaky: number };
}

/** Runs the tests of `test/e2e` that judge how long the window's tasks are: they are Playwright's, and say themselves what was long. */
async function runTaskTests({ scratch, log }: CaseContext): Promise<FigureInput[]> {
  const report = join(scratch, 'tasks.json');
  const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');
  const child = spawn(process.execPath, [cli, 'test', '--project=tasks', '--retries=0', '--workers=1'], {
    env: { ...process.env, ESPALIER_TASKS: '1', ESPALIER_E2E_REPORT: report },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => log(text.trimEnd()));
  await once(child, 'close');
  const { stats } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const count = stats.expected + stats.unexpected + stats.flaky;
  if (count === 0) throw new Error('No test has the tag @tasks.');
  return [
    zero('window: cards, calls, folds and a wide session with a task over 50 ms', stats.unexpected, `of ${count}`),
  ];
}

const tasks: Case = { name: 'long tasks of the window', issue: 11, timeoutMinutes: 20, run: runTaskTests };

export default tasks;
