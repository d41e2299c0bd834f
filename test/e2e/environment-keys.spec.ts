import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chromium, expect, test, type Browser, type Page } from '@playwright/test';
import { chromiumFlags, cleanEnvironment, electronExecutable, newHome, removeHome } from '../support/electron-app';
import { LONG } from '../support/e2e/chat';
import { filesHolding } from '../support/e2e/files';

/**
 * docs/specs/safety.md D1: a key in the environment is in no process of the app, and the app has it all the same. The app ends its
 * first process here, which Playwright's own start would hold on to: so it is started plainly and driven over the debugging port.
 */
test.skip(process.platform !== 'linux', 'not run: only Linux tells it in /proc');
test.describe.configure({ mode: 'serial' });

const canary = `sk-ant-canary-${randomBytes(12).toString('hex')}`;
const other = `other-canary-${randomBytes(12).toString('hex')}`;
const home = newHome();
const mark = `--some-argument=${home}`;
let browser: Browser;
let page: Page;
let printed = '';

function launch(environment: Record<string, string>): ChildProcess {
  const args = [process.cwd(), ...chromiumFlags(), '--remote-debugging-port=0', mark];
  const env = { ...cleanEnvironment(), ESPALIER_HOME: home, ...environment };
  const child = spawn(electronExecutable(), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return child;
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)));

/** Processes of this app: those that were started with its argument, and all below them. */
function processes(): { pid: number; environ: string; cmdline: string }[] {
  const all = new Map<number, { pid: number; parent: number; environ: string; cmdline: string }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const [environ, cmdline, stat] = ['environ', 'cmdline', 'stat'].map((file) =>
        readFileSync(`/proc/${name}/${file}`, 'latin1'),
      ) as [string, string, string];
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      all.set(Number(name), { pid: Number(name), parent, environ, cmdline });
    } catch {
      // It ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => {
    const found = all.get(pid);
    return found !== undefined && (found.cmdline.includes(mark) || isOurs(found.parent));
  };
  return [...all.values()].filter(({ pid }) => isOurs(pid));
}

test.afterAll(async () => {
  await browser?.close().catch(() => undefined);
  for (const { pid } of processes()) {
    try {
      process.kill(pid);
    } catch {
      // Gone by itself.
    }
  }
  await expect.poll(() => processes().length, { timeout: LONG }).toBe(0);
  removeHome(home);
});

test('the first process ends well, the app goes on without it', async () => {
  // The mark of a process that was handed its keys: without them it counts for nothing.
  const first = launch({ ANTHROPIC_API_KEY: canary, MY_OWN_API_KEY: other, GH_TOKEN: other, ESPALIER_KEYS_PIPE: '3' });
  expect(await exitOf(first)).toBe(0);
  const address = (): string | undefined => printed.match(/ws:\/\/[^\s]+/g)?.at(-1);
  await expect(async () => {
    browser = await chromium.connectOverCDP(address() ?? 'http://127.0.0.1:9', { timeout: 3000, noDefaults: true });
    page = browser.contexts()[0]?.pages()[0] as Page;
    await page.locator('[data-composer]').waitFor({ timeout: 10_000 });
  }).toPass({ timeout: LONG });
});

test('no process of the app shows a key', () => {
  const found = processes();
  // Main, zygotes, GPU, network, renderer.
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter(({ cmdline }) => cmdline.includes(mark)).length).toBeGreaterThan(0);
  for (const { environ, cmdline } of found) expect(`${environ}${cmdline}`).not.toMatch(/canary/);
});

test('the app has the key', async () => {
  await expect(async () => {
    const text = await page.evaluate(() => window.espalier?.request('models.list', {}));
    expect(text).toContain('"environmentName":"ANTHROPIC_API_KEY"');
    expect(text).not.toContain('canary');
  }).toPass({ timeout: LONG });
  expect(filesHolding(home, canary)).toEqual([]);
  expect(printed).not.toContain('canary');
});

test('started again it leaves the place to the one that runs', async () => {
  const before = processes().length;
  expect(await exitOf(launch({ ANTHROPIC_API_KEY: canary }))).toBe(0);
  await expect
    .poll(() => processes().every(({ environ }) => !environ.includes('canary')), { timeout: LONG })
    .toBe(true);
  await expect.poll(() => processes().length, { timeout: LONG }).toBeLessThanOrEqual(before + 1);
  await expect(page.locator('[data-composer]')).toBeVisible();
});
