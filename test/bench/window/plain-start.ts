import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { chromiumFlags, cleanEnvironment, electronExecutable } from '../../support/electron-app';

/** A window in which nobody can type by then is not the one that is measured. */
const START_LIMIT_MS = 180_000;

export interface PlainStart {
  /** From spawn until a person can type. */
  interactiveMs: number;
  /** From the start of the page's navigation. */
  lcpMs: number;
  privateMb: number;
  /** Private memory by process, in words. */
  processes: string;
}

/**
 * Starts the built app, or the one in `folder`, with nothing attached, lets it settle, then takes what its window noted and
 * ends it.
 */
export async function startPlainly(home: string, folder = process.cwd()): Promise<PlainStart> {
  const probe = join(process.cwd(), 'test/bench/window/start-probe.js');
  const spawnedAt = Date.now();
  const child = spawn(electronExecutable(), ['-r', probe, folder, ...chromiumFlags()], {
    env: { ...cleanEnvironment(), ESPALIER_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  try {
    const { readyAt, lcpMs } = await readNotes(child.stdout);
    return { interactiveMs: readyAt - spawnedAt, lcpMs, ...privateMemory(child.pid ?? 0) };
  } finally {
    clearTimeout(limit);
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }
}

async function readNotes(output: Readable): Promise<{ readyAt: number; lcpMs: number }> {
  let printed = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const noted = /^NOTED (.+)$/m.exec(printed)?.[1];
    if (noted) return JSON.parse(noted) as { readyAt: number; lcpMs: number };
  }
  throw new Error(`The app ended: ${printed}`);
}

/** Memory that belongs to the process and its children alone (Linux: `smaps_rollup`). */
export function privateMemory(pid: number): { privateMb: number; processes: string } {
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
