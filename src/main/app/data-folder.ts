import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { sinceOf } from '../commands/proc';
import { readRegular } from '../own-files/read-regular';
import { errorCode } from '../own-files/storage-error';
import { writeOwnFile } from '../own-files/write-own';

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

/**
 * Makes folders of the app's own for this user only, before anything is put there, whatever the umask; those that are there and
 * open to others are closed. What a link leads to keeps its rights: it may be a folder that others need, as `/tmp` is. Never throws: who
 * needs the folder says what is wrong with it. Some microseconds each.
 */
export function keepPrivate(folders: readonly string[]): void {
  if (process.platform === 'win32') return;
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = lstatSync(folder);
      if (!stats.isSymbolicLink() && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    } catch {
      // Told by the part that needs it.
    }
  }
}

/** Why nothing can be kept in a folder, for the person; null if it can, which is so while another instance has it. */
export function whyUnusable(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder. Move it away and start Espalier again.`;
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${folder} can’t be used (the system reported ${errorCode(error)}). Check its rights and its disk, then start Espalier again.`;
  }
}
