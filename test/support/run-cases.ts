import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { formatTable, judge, judgeError, type Case, type CaseContext, type Figure } from './figures';

const BUSY_LOAD = 1.0; // QD1: above it, times say more about the machine than about the code
const DEFAULT_TIMEOUT_MINUTES = 30;

class SkippedCase extends Error {}

interface RunOptions {
  /** What the program is called in its output and in the results file (`bench` or `faults`). */
  name: string;
  /** The folder whose modules default-export a `Case` or a list of them. */
  casesFolder: string;
  /** The folder for `<name>.json`; default `test/results`. */
  resultsFolder?: string;
  args?: readonly string[];
}

interface Selection {
  only: string | null;
  isCi: boolean;
  isStrict: boolean;
}

function parseArguments(args: readonly string[]): Selection {
  const selection: Selection = { only: null, isCi: false, isStrict: false };
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i];
    if (arg === '--ci') selection.isCi = true;
    else if (arg === '--strict') selection.isStrict = true;
    else if (arg === '--only') selection.only = args[(i += 1)] ?? '';
    else if (arg !== '--') throw new Error(`Unknown argument ${arg}. Known: --only <name>, --ci, --strict.`);
  }
  return selection;
}

/** Loads every case of a folder, in the order of the file names. */
async function discoverCases(folder: string): Promise<Case[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const cases: Case[] = [];
  for (const file of files.sort()) {
    const module = (await import(pathToFileURL(join(folder, file)).href)) as { default: Case | Case[] };
    cases.push(...[module.default].flat());
  }
  return cases;
}

function isSelected(testCase: Case, { only, isCi }: Selection): boolean {
  // A case that is asked for by its name runs in its short form even where `npm test` leaves it out.
  if (isCi && !testCase.ci && only === null) return false;
  return only === null || testCase.name.toLowerCase().includes(only.toLowerCase());
}

/** Runs one case in a folder of its own. A throw or a time-out becomes a failed figure, a skip becomes none. */
async function runCase(testCase: Case, isCi: boolean): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'espalier-case-'));
  const context: CaseContext = {
    scratch,
    isCi,
    log: (line) => console.log(`  ${line}`),
    skip: (reason) => {
      throw new SkippedCase(reason);
    },
  };
  const minutes = testCase.timeoutMinutes ?? DEFAULT_TIMEOUT_MINUTES;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${minutes} minutes`)), minutes * 60_000);
  });
  try {
    const inputs = await Promise.race([testCase.run(context), timeout]);
    if (inputs.length === 0) throw new Error('the case reported no figure');
    return inputs.filter(({ isOfMachine }) => !(isCi && isOfMachine)).map((input) => judge(testCase.issue, input));
  } catch (error) {
    if (error instanceof SkippedCase) {
      console.log(`skipped ${testCase.name}: ${error.message}`);
      return [];
    }
    console.error(error);
    return [judgeError(testCase, error)];
  } finally {
    clearTimeout(timer);
    // Processes that were just killed may still be letting go of their files.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Prints how busy the machine is. Returns false when the run should not go on. */
function checkLoad(isStrict: boolean): boolean {
  const load = loadavg()[0] ?? 0;
  console.log(`load average ${load.toFixed(2)}`);
  if (load <= BUSY_LOAD) return true;
  console.log(`The machine is busy (above ${BUSY_LOAD}): times of this run are not to be trusted.`);
  return !isStrict;
}

/**
 * Runs the cases of a folder, prints their table and writes `<name>.json` after each case, so that a crash keeps what
 * was measured.
 * @returns the process's exit code: 1 when a figure missed its target, the machine was too busy for `--strict`, or
 *   `--only` names no case.
 */
export async function runCases({
  name,
  casesFolder,
  resultsFolder,
  args = process.argv.slice(2),
}: RunOptions): Promise<number> {
  const selection = parseArguments(args);
  const results = join(resultsFolder ?? fileURLToPath(new URL('../results', import.meta.url)), `${name}.json`);
  mkdirSync(dirname(results), { recursive: true });
  rmSync(results, { force: true });
  if (!checkLoad(selection.isStrict)) return 1;

  const known = await discoverCases(casesFolder);
  const cases = known.filter((testCase) => isSelected(testCase, selection));
  if (cases.length === 0 && selection.only !== null) {
    console.error(
      `No case is called "${selection.only}". Known: ${known.map((known) => known.name).join(', ') || 'none'}.`,
    );
    return 1;
  }
  const figures: Figure[] = [];
  const save = () => writeFileSync(results, `${JSON.stringify(figures, null, 2)}\n`);
  save();
  for (const testCase of cases) {
    console.log(`${name}: ${testCase.name}`);
    const startedAt = performance.now();
    figures.push(...(await runCase(testCase, selection.isCi)));
    console.log(`  took ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    save();
  }
  if (figures.length > 0) console.log(`\n${formatTable(figures)}`);
  const failed = figures.filter((figure) => !figure.pass).length;
  console.log(`\n${name}: ${figures.length - failed} of ${figures.length} figures within target`);
  return failed === 0 ? 0 : 1;
}
