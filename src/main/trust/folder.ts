import { opendir, lstat, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, parse } from 'node:path';
import { isAtOrBelow } from '../tools/protected-paths';

/** A folder as trust remembers it: the path without links, the file system's number for what is there, and when that was made. */
export interface FolderIdentity {
  path: string;
  /** Decimal. */
  ino: string;
  /** Nanoseconds since 1970, decimal; absent where the file system keeps no such time, or none that can be told from a change. */
  born?: string;
}

/** What is at a path now; null if that is no folder, or none that can be reached. */
export async function identify(folder: string): Promise<FolderIdentity | null> {
  try {
    const path = await realpath(folder);
    const stats = await stat(path, { bigint: true });
    if (!stats.isDirectory()) return null;
    // Where there is no time of birth, Node may give that of the last change, which says nothing.
    const isKnown = stats.birthtimeNs > 0n && stats.birthtimeNs !== stats.ctimeNs;
    return { path, ino: String(stats.ino), ...(isKnown ? { born: String(stats.birthtimeNs) } : {}) };
  } catch {
    return null;
  }
}

/**
 * Whether what is there `now` is what was there `before`. Numbers are given again to a folder made at the place of a deleted one,
 * so the time of birth counts where it was known.
 */
export function isSameFolder(before: FolderIdentity, now: FolderIdentity): boolean {
  if (before.path !== now.path || before.ino !== now.ino) return false;
  return before.born === undefined || before.born === now.born;
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
