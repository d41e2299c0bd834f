import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect, test, type ElectronApplication, type Page } from '@playwright/test';
import { launchApart } from './apart/apart-app';
import type { EndpointDraft } from '../../src/shared/types';
import { PATIENCE } from './patience';

/** The project's folder, where npm runs every script. Not `import.meta`: Playwright loads this file as CommonJS. */
const root = process.cwd();

export interface RunningApp {
  electron: ElectronApplication;
  page: Page;
  /** Everything the app keeps: sessions, settings, logs, browser profile. */
  home: string;
  /** Errors and warnings that the window printed, and uncaught ones. */
  problems: string[];
  /** What main wrote to stdout and stderr. */
  output(): string;
  /** Resolves when main's process is gone. */
  gone: Promise<void>;
  /** Quits as a person would and waits until the process is gone. */
  close(): Promise<void>;
  /** Ends main at once, as a crash or a power cut would (SIGKILL), and waits until it is gone. */
  kill(): Promise<void>;
}

export interface LaunchOptions {
  /** Default: a new folder; see `newHome`. */
  home?: string;
  env?: Record<string, string>;
  /** Window size in CSS pixels. */
  size?: { width: number; height: number };
  args?: readonly string[];
  /** Folder of the built app; default: the project. */
  appFolder?: string;
  /** Waits until the composer can be used. Default true. */
  waitReady?: boolean;
  /** Leaves the branches beside the transcript open, as the app does. Default false: closed, as by a person. */
  graph?: boolean;
}

/** The Electron that the set-up chose; the tests' wrappers (`npm run test:e2e`, ...) put it into the environment. */
export function electronExecutable(): string {
  const path = process.env.ELECTRON_EXEC_PATH;
  if (!path || !existsSync(path)) {
    throw new Error('No Electron runtime: run through `npm run test:e2e`, `npm run faults` or `npm run bench`.');
  }
  return path;
}

/** The app itself waits five seconds at most for what hangs; the rest is for a machine that stands still. */
export const QUIT_MS = 60_000 * PATIENCE;
const START_MS = 60_000 * PATIENCE;
/** For what Playwright does, as a click: until it can be done. */
const ACTION_MS = 30_000 * PATIENCE;

/** Whether the task ends in that many milliseconds; it throws what the task throws. */
async function endsWithin(ms: number, task: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  return Promise.race([task.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** The processes of a group (Linux), each with its state, its threads and what it waits for in the kernel. */
function processesOf(group: number): string {
  if (!existsSync('/proc/self/stat')) return '';
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');
        const [state, parent, pgrp] = read('stat')
          .replace(/^.*\) /s, '')
          .split(' ');
        if (Number(pgrp) !== group) return [];
        const waits = readdirSync(`/proc/${pid}/task`).map((task) => `${read(`task/${task}/comm`).trim()}: ${read(`task/${task}/wchan`)}`); // prettier-ignore
        const command = read('cmdline').replaceAll('\0', ' ').slice(0, 200);
        return [`${pid} (parent ${parent}, ${state}) ${command}\n    ${waits.join(', ')}`];
      } catch {
        return []; // Gone meanwhile.
      }
    });
  return lines.join('\n');
}

/** A new, empty home for an app; `removeHome` takes it away. */
export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'espalier-home-'));
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** Chromium's switches where it runs as root, without a GPU. */
export function chromiumFlags(): string[] {
  const flags = ['--disable-gpu', '--log-level=3'];
  return process.getuid?.() === 0 ? ['--no-sandbox', ...flags] : flags;
}

/** The Playwright project whose specs run on what ships, main and window apart (`docs/decisions/0025-apart.md`). */
const APART = 'apart';

/** Whether the spec that is running wants the two halves apart. Programs without Playwright never do. */
function isApart(): boolean {
  try {
    return test.info().project.name === APART;
  } catch {
    return false;
  }
}

/** Starts the built app (`out/`) in the real Electron, or its halves apart, and waits for its window. */
export async function launchApp(options: LaunchOptions = {}): Promise<RunningApp> {
  const home = options.home ?? newHome();
  const { width = 1280, height = 800 } = options.size ?? {};
  mkdirSync(home, { recursive: true });
  if (options.size) writeFileSync(join(home, 'window.json'), JSON.stringify({ x: 0, y: 0, width, height }));
  const env = { ...cleanEnvironment(), ESPALIER_HOME: home, ...options.env };
  const args = [...chromiumFlags(), ...(options.args ?? [])];
  const problems: string[] = [];
  const electron = isApart()
    ? (launchApart({ env, args, onPage: (page) => watch(page, problems) }) as ElectronApplication)
    : await _electron.launch({
        executablePath: electronExecutable(),
        args: [options.appFolder ?? root, ...args],
        cwd: root,
        env,
        timeout: START_MS,
      });
  const printed: string[] = [];
  const child = electron.process();
  child.stdout?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (!isApart()) electron.on('window', (page) => watch(page, problems));
  const page = await electron.firstWindow({ timeout: START_MS });
  watch(page, problems);
  if (options.waitReady ?? true) {
    await page.locator('[data-composer]').waitFor({ timeout: START_MS });
    if (!options.graph) await closeBranches(page);
  }
  return {
    electron,
    page,
    home,
    problems,
    output: () => printed.join(''),
    gone,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const quit = electron.close().then(() => gone);
      if (await endsWithin(QUIT_MS, quit)) return;
      // Playwright would wait for ever, and nobody would know for what.
      const state = processesOf(child.pid!);
      process.kill(-child.pid!, 'SIGKILL');
      // Whoever else holds them: with these open it would wait on.
      for (const stream of child.stdio) stream?.destroy();
      throw new Error(`The app did not quit within ${QUIT_MS / 1000} s and was ended.\n${state}\n${printed.join('')}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** What the graph shows stands in the transcript as well: most tests look for a text that is there once. */
export async function closeBranches(page: Page): Promise<void> {
  const hide = page.getByRole('button', { name: 'Hide branches' });
  const pane = page.locator('[data-pane="graph"]');
  if ((await hide.count()) === 0) return;
  // A database that is late brings the pane's place after the first screen (WN3): a press may then have opened it again.
  await expect(async () => {
    if ((await hide.count()) > 0) await hide.click({ timeout: 5_000 });
    await pane.waitFor({ state: 'detached', timeout: 5_000 });
  }).toPass({ timeout: START_MS });
  await page.locator('[data-composer]').focus();
}

const watched = new WeakSet<Page>();
function watch(page: Page, problems: string[]): void {
  if (watched.has(page)) return;
  watched.add(page);
  page.setDefaultTimeout(ACTION_MS);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
}

/** Provider keys of the developer's own shell must not reach a test. */
export function cleanEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'DISPLAY', 'XAUTHORITY', 'LANG', 'TMPDIR', 'XDG_RUNTIME_DIR', 'LD_LIBRARY_PATH'];
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  // Nothing listens there: no local server of the developer's is found.
  // An empty start, without the tour.
  return { ...Object.fromEntries(kept), OLLAMA_HOST: 'http://127.0.0.1:9', ESPALIER_NO_TOUR: '1' };
}

/** Registers an endpoint before the app starts, as if it had been saved in Settings. The loopback server needs no key. */
export function writeEndpoint(home: string, ...endpoints: EndpointDraft[]): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'endpoints.json'), JSON.stringify({ endpoints, learnedWindows: {} }));
}
