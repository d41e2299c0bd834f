import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * For a file that is only appended to: what has its name and is not a file of ours alone (a link, a pipe, a folder, a file with another name as well) is
 * moved beside it. `stays`: it could not be moved, and nothing may be written there. Never throws.
 */
export function clearPlaceSync(path: string): 'fine' | 'moved' | 'stays' {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || isOursAlone(stats)) return 'fine';
    renameSync(path, freeNameBeside(path));
    return 'moved';
  } catch {
    return 'stays';
  }
}

/** A regular file with one name: whatever is written to it is written to nothing else. */
function isOursAlone(stats: { isFile(): boolean; nlink: number }): boolean {
  return stats.isFile() && stats.nlink <= 1;
}

/** What was set aside before stays, however quickly they follow each other. */
function freeNameBeside(path: string): string {
  for (let number = Date.now(); ; number += 1) {
    const name = `${path}.bad-${number}`;
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}

export interface OwnAppend {
  /** For appending; who asked closes it. */
  descriptor: number;
  size: number;
  /** What had the name was none of ours and was moved beside it. */
  wasMoved: boolean;
}

/** Never through a link, never waiting for a pipe's reader (POSIX; Windows knows neither). */
const HOW =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);
/** Who puts something there again and again gets no line, and does not hold us up either. */
const MAX_TRIES = 3;

/**
 * Opens a file of the app's own to be appended to (docs/specs/safety.md A10), however it was swapped since the last time: what is written goes into
 * a regular file with this one name, or nowhere. Null where that can't be had. Never throws.
 */
export function openToAppendSync(path: string): OwnAppend | null {
  let wasMoved = false;
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const place = clearPlaceSync(path);
    if (place === 'stays') return null;
    wasMoved ||= place === 'moved';
    const opened = open(path);
    if (opened) return { ...opened, wasMoved };
  }
  return null;
}

function open(path: string): { descriptor: number; size: number } | null {
  let descriptor: number | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    descriptor = openSync(path, HOW, 0o600);
    const stats = fstatSync(descriptor);
    if (isOursAlone(stats)) return { descriptor, size: stats.size };
  } catch {
    // Something took the place since it was looked at, or the disk takes nothing.
  }
  if (descriptor !== undefined) closeSync(descriptor);
  return null;
}
