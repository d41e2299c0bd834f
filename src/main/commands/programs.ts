import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isAtOrBelow } from '../places/protected-paths';

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The folders of a PATH that name one place: a relative or an empty entry means whatever folder a program runs in, which may be the
 * workspace (docs/specs/safety.md B2).
 */
function absoluteEntries(path: string | undefined): string[] {
  return (path ?? DEFAULT_PATH).split(delimiter).filter((entry) => isAbsolute(entry));
}

/** A PATH without its relative entries. */
export function absolutePath(path: string | undefined): string {
  return absoluteEntries(path).join(delimiter) || DEFAULT_PATH;
}

/** For our own helpers, which need the system's programs alone: those come first, whatever the person's PATH begins with. */
export function systemPath(): string {
  return ['/usr/bin', '/bin', ...absoluteEntries(process.env.PATH)].join(delimiter);
}

/** A program that main may start by itself, and the PATH that it gets. */
export interface Program {
  /** Absolute. */
  file: string;
  path: string;
}

/**
 * Finds a program by name for work in a folder whose files are not to be run: only absolute entries count, and neither they nor the program, by their
 * real paths, may lie in that folder. Without a folder any will do. Null if there is none.
 */
export async function findProgram(
  name: string,
  folder: string | null,
  path: string | undefined = process.env.PATH,
): Promise<Program | null> {
  const inside = folder === null ? [] : [folder, await realpath(folder)];
  const isOutside = (at: string): boolean => !inside.some((dir) => isAtOrBelow(at, dir));
  const reals = absoluteEntries(path).map(async (entry) => [entry, await realpath(entry).catch(() => null)] as const);
  const entries = (await Promise.all(reals)).flatMap(([entry, at]) =>
    at !== null && isOutside(entry) && isOutside(at) ? [entry] : [],
  );
  for (const entry of entries) {
    const file = join(entry, name);
    const target = await realpath(file).catch(() => null);
    if (target !== null && isOutside(target) && (await isProgram(target)))
      return { file, path: entries.join(delimiter) };
  }
  return null;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
