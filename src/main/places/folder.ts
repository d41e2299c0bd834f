import type { BigIntStats } from 'node:fs';
import { opendir, lstat, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { isAtOrBelow } from './protected-paths';

/** A folder as trust remembers it: the path without links, the file system's number for what is there, and when that was made. */
export interface FolderIdentity {
  path: string;
  /** Decimal. */
  ino: string;
  /** Nanoseconds since 1970, decimal; absent where the file system keeps no such time. */
  born?: string;
  /** The device, decimal. Its number is reassigned at each start of the system, so it is never stored. */
  dev?: string;
}

/** What is at a path now; null if that is not a folder, or none that can be reached. */
export async function identify(folder: string): Promise<FolderIdentity | null> {
  try {
    const path = await realpath(folder);
    const stats = await stat(path, { bigint: true });
    if (!stats.isDirectory()) return null;
    const isKept = stats.birthtimeNs > 0n && (await keepsBirths(path, stats));
    return {
      path,
      ino: String(stats.ino),
      dev: String(stats.dev),
      ...(isKept ? { born: String(stats.birthtimeNs) } : {}),
    };
  } catch {
    return null;
  }
}

/**
 * Where a file system keeps no time of birth, Node may give that of the last change in its place. In a folder that was made just
 * now the two are one anywhere; so a folder above it on the same file system, whose times differ, tells that they are kept there.
 */
async function keepsBirths(path: string, stats: BigIntStats): Promise<boolean> {
  if (stats.birthtimeNs !== stats.ctimeNs) return true;
  const above = dirname(path);
  if (above === path) return false;
  const aboveStats = await stat(above, { bigint: true });
  return aboveStats.dev === stats.dev && keepsBirths(above, aboveStats);
}

/**
 * Whether what is there `now` is what was there `before`. Numbers are given again to a folder made at the place of a deleted one,
 * so both need the same time of birth, or both none: what is known of one alone tells nothing. What was stored has no device.
 */
export function isSameFolder(before: FolderIdentity, now: FolderIdentity): boolean {
  const isOtherDevice = before.dev !== undefined && now.dev !== undefined && before.dev !== now.dev;
  return !isOtherDevice && before.path === now.path && before.ino === now.ino && before.born === now.born;
}

/** Folders that hold more than one project needs an extra yes; null for an ordinary one. */
export type Width = 'root' | 'home' | 'above-home' | 'above-data' | 'many-projects';

const MANY_PROJECTS = 3;
const MAX_LOOKED_AT = 2000;

/** Why a real path is more than a project's folder. Reads the names of at most 2,000 entries, and runs nothing. */
export async function widthOf(path: string, dataDir: string): Promise<Width | null> {
  if (path === parse(path).root) return 'root';
  const home = await realpath(homedir()).catch(() => homedir());
  if (path === home) return 'home';
  if (isAtOrBelow(home, path)) return 'above-home';
  const data = await realpath(dataDir).catch(() => dataDir);
  if (isAtOrBelow(data, path)) return 'above-data';
  return (await holdsProjects(path)) ? 'many-projects' : null;
}

async function holdsProjects(path: string): Promise<boolean> {
  let projects = 0;
  let looked = 0;
  try {
    for await (const entry of await opendir(path)) {
      looked += 1;
      if (looked > MAX_LOOKED_AT) break;
      if (!entry.isDirectory() || entry.name === '.git') continue;
      if (await lstat(join(path, entry.name, '.git')).catch(() => null)) projects += 1;
      if (projects >= MANY_PROJECTS) return true;
    }
  } catch {
    // What can't be listed holds nothing that an agent could reach either.
  }
  return false;
}
