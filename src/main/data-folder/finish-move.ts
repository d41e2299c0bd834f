import { join } from 'node:path';
import { readRegular } from '../own-files/read-regular';
import { errorCode, StorageError } from '../own-files/storage-error';
import { type DataLocation, switched, writeLocation } from './location';
import { CopyError, DISK, mirrorFolder, type MirrorFs } from './mirror';

/** In a folder that is being made a copy: whose it is. It stays there. */
export const MARKER = 'espalier-copy.json';

/** What is made again, or belongs to the process that has the folder. */
export const LEFT_BEHIND: ReadonlySet<string> = new Set([
  ...['logs', 'running', 'search', 'profile', 'instance.json', 'instance.json.tmp', MARKER],
]);

/**
 * The end of a move, at a start, while nothing else has the folder (SY13): what changed since the copy comes along, everything is compared,
 * and then the location is replaced. Until that moment the old folder counts, whatever fails or dies; afterwards the new one, which is
 * whole. A move that can't be ended is given up.
 * @returns the location that counts from now on, and what the person is told if that is the old one
 */
export async function finishMove(
  file: string,
  location: DataLocation,
  from: string,
  fs: MirrorFs = DISK,
): Promise<{ location: DataLocation; problem: string | null }> {
  const { next } = location;
  if (!next) return { location, problem: null };
  try {
    if ((await markOf(next.to)) !== next.mark) throw new CopyError(`${next.to} is not there, or is no longer the copy`);
    await mirrorFolder(from, next.to, { except: LEFT_BEHIND, isLive: false }, fs);
    const moved = switched(location, from);
    await writeLocation(file, moved);
    return { location: moved, problem: null };
  } catch (error) {
    const stays = { ...location, next: null };
    const problem = `Your files were not moved: ${whyNot(error)}. They are where they were, in ${from}. Move them again in Settings, Storage.`;
    await writeLocation(file, stays).catch(() => undefined);
    return { location: stays, problem };
  }
}

/** By what the copy in a folder is known; null if there is none. */
export async function markOf(folder: string): Promise<string | null> {
  try {
    const { mark } = JSON.parse((await readRegular(join(folder, MARKER), 1024)) ?? '{}') as { mark?: unknown };
    return typeof mark === 'string' ? mark : null;
  } catch {
    return null;
  }
}

/** In words, to complete "Your files were not moved: ". */
export function whyNot(error: unknown): string {
  if (error instanceof CopyError || error instanceof RangeError) return error.message;
  const code = errorCode(error instanceof StorageError ? error.cause : error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'there is not enough space in the new folder';
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return 'the new folder can’t be written to';
  const path = error instanceof Error && 'path' in error ? ` at ${String(error.path)}` : '';
  return `the system reported ${code || (error instanceof Error ? error.message : String(error))}${path}`;
}
