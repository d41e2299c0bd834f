// npm test: sets up whatever is missing, then types, lint, unused code, format, unit and integration tests, the short fault runs and
// the tests in the real app. Goes on after a failure, so that the last line counts everything.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureApart } from './lib/apart.mjs';
import { ensureBuild } from './lib/build.mjs';
import { ensureDisplay } from './lib/display.mjs';
import { root, run, runBin } from './lib/run.mjs';
import { main, say } from './lib/say.mjs';
import { countCommand, countFigures, countMissing, countPlaywright, countVitest, total } from './lib/tally.mjs';
import { setUp } from './setup.mjs';

const results = join(root, 'test', 'results');
/** Of the tests in the app, of which each waits for most of its time. */
const WORKERS = 5;

/** Says what comes, and how long it took. */
async function stage(name, work) {
  say(name);
  const start = Date.now();
  const done = await work();
  console.log(`${name}: ${Math.round((Date.now() - start) / 1000)} s`);
  return done;
}

/** Reads a report; null when the program that writes it died first. */
function read(name) {
  try {
    return JSON.parse(readFileSync(join(results, name), 'utf8'));
  } catch {
    return null;
  }
}

/** Runs beside the unit tests: what it prints comes whole. */
const check = (packageName, args, command = packageName) => runBin(packageName, args, { command, held: true });
const typesOf = (project) => check('typescript-native', ['-p', `tsconfig.${project}.json`, '--noEmit'], 'tsc');

/** What only reads the sources, in two lanes: the format alone takes as long as all the rest. */
async function checkSources() {
  const format = async () => [countCommand('format', await check('prettier', ['--check', '--log-level', 'warn', '.']))];
  const rest = async () => {
    const types = [];
    for (const project of ['test', 'web', 'node', 'scripts']) types.push(await typesOf(project));
    return [
      countCommand('types', Math.max(...types)),
      countCommand('lint', await check('oxlint', ['-c', 'oxlint.config.mjs'])),
      countCommand('unused code', await check('knip', [])),
      countCommand('code that only tests use', await check('knip', ['--production'])),
    ];
  };
  return (await Promise.all([format(), rest()])).flat();
}

/** The checks, then the build; whether there is one. */
async function checkAndBuild() {
  const checks = await checkSources();
  const isBuilt = await ensureBuild().then(
    () => true,
    (error) => console.error(error.message),
  );
  return [checks, isBuilt];
}

async function runVitest(env) {
  const reporters = ['--reporter=default', '--reporter=json', '--reporter=./scripts/lib/skip-reasons.mjs'];
  const code = await runBin('vitest', ['run', ...reporters, '--outputFile.json=test/results/vitest.json'], { env });
  return countVitest(code, read('vitest.json'), read('vitest-skips.json'));
}

async function runFaults(env, held = false) {
  const code = await run(process.execPath, ['scripts/lib/run-ts.mjs', 'test/faults/main.ts', '--ci'], { env, held });
  return countFigures('faults', code, read('faults.json'));
}

/** The tests in the app, on the one display there is or on several: a worker on each. */
async function runPlaywright(env, displays = []) {
  const report = 'playwright.json';
  const own = { ESPALIER_E2E_REPORT: join(results, report), ESPALIER_DISPLAYS: displays.join(',') };
  const code = await runBin('@playwright/test', ['test'], { command: 'playwright', env: { ...env, ...own } });
  return countPlaywright(code, read(report));
}

/**
 * Fault runs and the tests in the app: mostly waiting, so side by side, each worker on a virtual display of its own (on one display
 * their windows would take the focus from each other). On a person's own display one after the other.
 */
async function runInApp(env) {
  const displays = [];
  try {
    while (displays.length < WORKERS) displays.push(await ensureDisplay());
    const names = displays.flatMap((display) => display.env.DISPLAY ?? []);
    if (names.length === 0) return [await runFaults(env), await runPlaywright(env)];
    return await Promise.all([runPlaywright(env, names), runFaults(env, true)]);
  } finally {
    for (const display of displays) display.stop();
  }
}

async function runAll() {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const { env, stop } = await setUp({ scratch: true });
  try {
    const tallies = [];
    // The tests wait for processes, servers and limits: what only computes fills the time.
    const [tests, [checks, isBuilt]] = await stage('types, lint, unused code, format, unit and integration tests', () =>
      Promise.all([runVitest(env), checkAndBuild()]),
    );
    tallies.push(...checks, tests);
    if (isBuilt) {
      const apart = await ensureApart();
      if (apart.problem !== null) tallies.push(countMissing('the app on what ships, its halves apart', apart.problem));
      const inApp = () => runInApp({ ...env, ...apart.env });
      tallies.push(...(await stage('short fault runs and tests in the app', inApp)));
    } else {
      tallies.push(countCommand('build (no fault runs and no tests in the app without it)', 1));
    }
    return total(tallies);
  } finally {
    stop();
  }
}

await main(async () => {
  const { passed, failed, skips, again, failures } = await runAll();
  for (const { name, reason } of skips) console.log(`skipped: ${name}: ${reason || 'no reason given'}`);
  for (const name of again) console.log(`passed at the second try: ${name}`);
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(`${passed} passed, ${failed} failed${skips.length > 0 ? `, ${skips.length} skipped` : ''}`);
  return failed > 0 ? 1 : 0;
});
