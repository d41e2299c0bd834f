import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { readRegular } from '../own-files/read-regular';
import { writeOwnFile } from '../own-files/write-own';
import { sinceOf } from '../commands/proc';

/** What ends a quit from outside needs 15 seconds (quit-guard.ts). */
const LONGEST_WAIT_MS = 20_000;
const PAUSE_MS = 50;
const MAX_BYTES = 4096;

/** The process that has the data folder. */
interface Holder {
  pid: number;
  host: string;
  /** Tells it from a later process with its number; null where the system does not say. */
  since: string | null;
}

/**
 * Takes the data folder for this process, once the one that had it is gone (docs/specs/safety.md A11): Chromium's lock is let go of when a quit begins to
 * end the process, which may take seconds from there. Resolves to the number of a process that is still there after all; then nothing was taken.
 */
export async function takeDataFolder(file: string, waitMs = LONGEST_WAIT_MS): Promise<number | null> {
  const limit = Date.now() + waitMs;
  for (const holder = await readHolder(file); holder && (await lives(holder)); await setTimeout(PAUSE_MS)) {
    if (Date.now() < limit) continue;
    // Elsewhere than on Linux a number may be another process's by now: that must not lock the person out.
    if (holder.since !== null) return holder.pid;
    break;
  }
  const own: Holder = { pid: process.pid, host: hostname(), since: await sinceOf(process.pid) };
  // A folder that takes no file is told by what needs it (services.ts).
  await writeOwnFile(file, JSON.stringify(own), { givesWay: true, isFleeting: true }).catch(() => undefined);
  return null;
}

async function readHolder(file: string): Promise<Holder | null> {
  try {
    const { pid, host, since } = JSON.parse((await readRegular(file, MAX_BYTES)) ?? 'null') as Holder;
    const isHolder = Number.isSafeInteger(pid) && pid > 1 && (since === null || typeof since === 'string');
    return isHolder && host === hostname() ? { pid, host, since } : null;
  } catch {
    return null;
  }
}

async function lives({ pid, since }: Holder): Promise<boolean> {
  if (pid === process.pid) return false;
  if (since !== null) return (await sinceOf(pid)) === since;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
