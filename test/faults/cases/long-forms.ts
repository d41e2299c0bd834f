import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runSpecs } from '../../support/faults/playwright';
import { zero, type Case, type CaseContext, type FigureInput } from '../../support/figures';
import { filesUnder } from '../../support/rule-ids';

const LONG = { ESPALIER_LONG_FORMS: '1' };

/** The tests below these folders that `npm test` runs in a short form (`test/support/long-form.ts`). */
function shortened(...folders: string[]): string[] {
  const isShortened = /from '[./]+\/support\/long-form'/;
  const paths = filesUnder(...folders).flatMap(({ path, text }) => (isShortened.test(text) ? [path] : []));
  if (paths.length === 0) throw new Error(`Nothing in ${folders.join(', ')} has a long form.`);
  return paths;
}

interface Report {
  numTotalTests: number;
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** Unit and integration tests on all of their inputs. */
async function runUnits({ scratch, log }: CaseContext): Promise<FigureInput[]> {
  const files = shortened('test/unit', 'test/integration');
  const report = join(scratch, 'vitest.json');
  const cli = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const child = spawn(process.execPath, [cli, 'run', '--reporter=json', `--outputFile=${report}`, ...files], {
    env: { ...process.env, ...LONG },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  const { numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  // A file that can't be read has no test that failed.
  const failed = testResults.flatMap(({ name, status, assertionResults }) => {
    const names = assertionResults.flatMap((test) => (test.status === 'failed' ? [test.fullName] : []));
    return status === 'failed' && names.length === 0 ? [name] : names;
  });
  for (const name of failed) log(name);
  return [
    zero('long forms: tests that failed', failed.length, 'tests', `of ${numTotalTests}; ${failed[0] ?? 'none'}`),
    {
      name: 'long forms: files that ran',
      value: testResults.length,
      unit: 'files',
      target: { on: 'value', op: '=', bound: files.length },
    },
  ];
}

/** Tests in the app on all of their inputs. */
async function runInApp(context: CaseContext): Promise<FigureInput[]> {
  const { count, failed } = await runSpecs(context, ['--project=electron', ...shortened('test/e2e')], LONG);
  return [zero('long forms in the app: tests that failed', failed, `of ${count}`)];
}

const longForms: Case[] = [
  { name: 'long forms', issue: 1, timeoutMinutes: 60, run: runUnits },
  { name: 'long forms in the app', issue: 1, timeoutMinutes: 60, run: runInApp },
];

export default longForms;
