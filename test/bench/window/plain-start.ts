import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { chromiumFlags, cleanEnvironment, electronExecutable } from '../../support/electron-app';

/** What the app has done by then is what a start costs; nothing is looked at earlier. */
const SETTLE_MS = 6_000;

export interface PlainStart {
  /** From spawn until a person can type. */
  interactiveMs: number;
  /** From the start of the page's navigation. */
  lcpMs: number;
  privateMb: number;
  /** Private memory by process, in words. */
  processes: string;
}

/** Starts the built app with nothing attached, lets it settle, then asks the page what it noted and ends it. */
export async function startPlainly(home: string): Promise<PlainStart> {
  const args = [process.cwd(), ...chromiumFlags(), '--remote-debugging-port=0'];
  const spawnedAt = Date.now();
  const child = spawn(electronExecutable(), args, {
    env: { ...cleanEnvironment(), ESPALIER_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  try {
    const address = debuggingAddress(child);
    await sleep(SETTLE_MS);
    const memory = privateMemory(child.pid ?? 0);
    const noted = await readNotes(await address);
    return { interactiveMs: noted.readyAt - spawnedAt, lcpMs: noted.lcpMs, ...memory };
  } finally {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }
}

async function debuggingAddress(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stderr ?? []) {
    printed += String(chunk);
    const address = /ws:\/\/([\d.]+:\d+)\//.exec(printed)?.[1];
    if (address) {
      child.stderr?.resume();
      return `http://${address}`;
    }
  }
  throw new Error(`The app ended: ${printed}`);
}

async function readNotes(address: string): Promise<{ readyAt: number; lcpMs: number }> {
  const browser = await chromium.connectOverCDP(address);
  try {
    const page = browser
      .contexts()
      .flatMap((context) => context.pages())
      .find((found) => found.url().startsWith('app:'));
    if (!page) throw new Error('The app has no window.');
    return await page.evaluate(async () => {
      const lcp = new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? NaN));
        observer.observe({ type: 'largest-contentful-paint', buffered: true });
      });
      const ready = performance.getEntriesByName('composer-ready')[0]?.startTime ?? NaN;
      return { readyAt: performance.timeOrigin + ready, lcpMs: await lcp };
    });
  } finally {
    await browser.close();
  }
}

/** Memory that belongs to the process and its children alone (Linux: `smaps_rollup`). */
function privateMemory(pid: number): { privateMb: number; processes: string } {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = /^PPid:\s+(\d+)/m.exec(readIfThere(`/proc/${name}/status`))?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const belongs = (candidate: number): boolean =>
    candidate === pid || (parents.has(candidate) && candidate > 1 && belongs(parents.get(candidate) ?? 0));
  let privateMb = 0;
  const words: string[] = [];
  for (const found of [...parents.keys()].filter(belongs)) {
    const rollup = readIfThere(`/proc/${found}/smaps_rollup`);
    const kb = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].reduce(
      (sum, match) => sum + Number(match[1]),
      0,
    );
    const kind = /--type=([a-z-]+)/.exec(readIfThere(`/proc/${found}/cmdline`))?.[1] ?? 'main';
    privateMb += kb / 1024;
    words.push(`${kind} ${Math.round(kb / 1024)}`);
  }
  return { privateMb, processes: words.join(', ') };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
