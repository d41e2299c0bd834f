import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The scripts are plain JavaScript that runs before any package is installed; types are given here. */
async function load<T>(script: string): Promise<T> {
  return (await import(pathToFileURL(join(process.cwd(), 'scripts', 'lib', script)).href)) as T;
}

interface Tally {
  passed: number;
  failures: string[];
  skips: { name: string; reason?: string }[];
  again: string[];
}
interface TallyModule {
  countCommand(part: string, code: number): Tally;
  countVitest(code: number, report: unknown, reasons: unknown): Tally;
  countFigures(part: string, code: number, figures: unknown): Tally;
  countMissing(name: string, reason: string): Tally;
  countPlaywright(code: number, report: unknown): Tally;
  total(tallies: Tally[]): { passed: number; failed: number; again: string[] };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-scripts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('set-up', () => {
  it('says which Node is needed when this one is too old', async () => {
    const { checkNode } = await load<{ checkNode(version: string): void }>('dependencies.mjs');
    for (const version of ['18.20.1', '20.18.9']) expect(() => checkNode(version)).toThrow(`needs Node 20.19 or newer`);
    for (const version of ['20.19.0', '22.0.0', '26.1.0']) expect(() => checkNode(version)).not.toThrow();
  });

  it('leaves installed dependencies alone, and remembers them by the lock file', async () => {
    const { ensureDependencies } = await load<{ ensureDependencies(folder: string): Promise<void> }>(
      'dependencies.mjs',
    );
    const packages = {
      'node_modules/a': { version: '1.0.0' },
      'node_modules/only-on-mac': { version: '1.0.0', optional: true },
    };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
    mkdirSync(join(folder, 'node_modules'));
    const installed = { packages: { 'node_modules/a': { version: '1.0.0' } } };
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify(installed));
    await ensureDependencies(folder);
    rmSync(join(folder, 'node_modules', '.package-lock.json'));
    // With the stamp of this very lock file nothing is looked at again (npm ci would fail in this folder).
    await ensureDependencies(folder);
  });

  it('builds when an output is missing or an input is newer, a deleted file included', async () => {
    const { isBuildStale } = await load<{ isBuildStale(folder: string): boolean }>('build.mjs');
    const put = (path: string, seconds: number) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
      utimesSync(join(folder, path), seconds, seconds);
      utimesSync(join(folder, dirname(path)), seconds, seconds);
    };
    put('src/main/index.ts', 100);
    utimesSync(join(folder, 'src'), 100, 100);
    put('out/main/index.js', 200);
    put('out/preload/index.js', 200);
    expect(isBuildStale(folder)).toBe(true);
    put('out/renderer/index.html', 200);
    expect(isBuildStale(folder)).toBe(false);
    utimesSync(join(folder, 'src/main'), 300, 300);
    expect(isBuildStale(folder)).toBe(true);
  });

  it('keeps what it fetches in the cache folder of the system', async () => {
    const { cacheFolder } = await load<{ cacheFolder(env: Record<string, string>): string }>('registry.mjs');
    expect(cacheFolder({ XDG_CACHE_HOME: '/elsewhere' })).toBe(join('/elsewhere', 'espalier'));
    expect(cacheFolder({})).toMatch(/\.cache.espalier$/);
  });
});

describe('the default app of the development runtime', () => {
  // Runs it in Node with a small stand-in for `electron`: what is under test is how it reads its arguments.
  function start(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const stub = `module.exports = { app: new Proxy({}, { get: (_, name) => (...args) => console.log(name, ...args) }) };`;
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'electron.js'), stub);
    writeFileSync(
      join(folder, 'hook.js'),
      `const m = require('module'); const resolve = m._resolveFilename;
       m._resolveFilename = (name, ...rest) => (name === 'electron' ? ${JSON.stringify(join(folder, 'electron.js'))} : resolve(name, ...rest));`,
    );
    const script = join(process.cwd(), 'scripts', 'default-app', 'main.js');
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        ['--require', join(folder, 'hook.js'), '-e', runner(script), '--', ...args],
        { cwd: folder },
        (error, stdout, stderr) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });
  }
  const runner = (script: string) => `require(${JSON.stringify(script)})`;

  it('preloads what -r names, takes name and version from the app, then runs its main', async () => {
    mkdirSync(join(folder, 'app'));
    writeFileSync(
      join(folder, 'app', 'package.json'),
      JSON.stringify({ productName: 'Tree', version: '1.2.3', main: 'start.js' }),
    );
    writeFileSync(join(folder, 'app', 'start.js'), `console.log('started', process.defaultApp)`);
    writeFileSync(join(folder, 'first.js'), `console.log('preloaded')`);
    const { code, stdout } = await start([
      '-r',
      './first.js',
      '--no-sandbox',
      './app',
      '--require',
      'belongs-to-the-app',
    ]);
    expect(stdout.trim().split('\n')).toEqual([
      'preloaded',
      'setName Tree',
      'setVersion 1.2.3',
      `setAppPath ${join(folder, 'app')}`,
      'started true',
    ]);
    expect(code).toBe(0);
  });

  it('says so and ends with 1 when there is no app', async () => {
    expect(await start(['./nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no app at') as string,
    });
    expect(await start([])).toMatchObject({ code: 1, stderr: expect.stringContaining('No app was named') as string });
  });
});

describe('the count of npm test', () => {
  it('counts commands, tests, files that did not load, figures and windows alike', async () => {
    const { countCommand, countFigures, countPlaywright, countVitest, total } = await load<TallyModule>('tally.mjs');
    const vitest = countVitest(
      1,
      {
        testResults: [
          {
            name: 'a',
            status: 'failed',
            assertionResults: [
              { status: 'passed', fullName: 'A one' },
              { status: 'failed', fullName: 'A two' },
            ],
          },
          { name: 'broken.test.ts', status: 'failed', assertionResults: [] },
          { name: 'b', status: 'passed', assertionResults: [{ status: 'skipped', fullName: 'B data' }] },
        ],
      },
      [{ name: 'B > data', reason: 'no shared data' }],
    );
    expect(vitest).toEqual({
      passed: 1,
      failures: ['A two', 'broken.test.ts'],
      skips: [{ name: 'B data', reason: 'no shared data' }],
      again: [],
    });

    const spec = (title: string, status: string) => ({
      file: 'a.spec.ts',
      title,
      tests: [{ status, annotations: [{ type: 'serial' }, { type: 'skip', description: 'why' }] }],
    });
    const inner = { specs: [spec('y', 'unexpected'), spec('z', 'skipped')] };
    const suites = [{ specs: [spec('x', 'expected'), spec('w', 'flaky')], suites: [inner] }];
    const windows = countPlaywright(1, { suites, errors: [] });
    expect(windows).toEqual({
      passed: 2,
      failures: ['a.spec.ts: y'],
      skips: [{ name: 'a.spec.ts: z', reason: 'why' }],
      again: ['a.spec.ts: w'],
    });

    const apart = {
      ...spec('x', 'unexpected'),
      tests: [{ status: 'unexpected', annotations: [], projectName: 'apart' }],
    };
    expect(countPlaywright(1, { suites: [{ specs: [apart] }], errors: [] }).failures).toEqual(['a.spec.ts: x (apart)']);

    const figures = countFigures('faults', 1, [{ pass: true }, { pass: false, name: 'kill', note: '1 lost' }]);
    expect(figures).toEqual({ passed: 1, failures: ['kill: 1 lost'], skips: [], again: [] });
    expect(total([vitest, windows, figures, countCommand('types', 0), countCommand('lint', 2)])).toMatchObject({
      passed: 5,
      failed: 5,
      again: ['a.spec.ts: w'],
    });
  });

  it('a part that can’t be run here is told with its reason, and is no failure', async () => {
    const { countMissing, total } = await load<TallyModule>('tally.mjs');
    const missing = countMissing('apart', 'no Chromium');
    expect(missing).toEqual({ passed: 0, failures: [], skips: [{ name: 'apart', reason: 'no Chromium' }], again: [] });
    expect(total([missing])).toMatchObject({ passed: 0, failed: 0 });
  });

  it('a part that died without naming a failure is a failure', async () => {
    const { countFigures, countPlaywright, countVitest } = await load<TallyModule>('tally.mjs');
    expect(countVitest(139, null, null).failures).toHaveLength(1);
    expect(countVitest(1, { testResults: [] }, []).failures).toHaveLength(1);
    expect(countPlaywright(1, null).failures).toHaveLength(1);
    expect(countPlaywright(1, { suites: [], errors: [{ message: 'No tests found' }] }).failures).toEqual([
      'No tests found',
    ]);
    expect(countFigures('faults', 0, null).failures).toHaveLength(1);
  });
});
