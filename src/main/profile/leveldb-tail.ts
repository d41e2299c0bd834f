import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../own-files/storage-error';
import { writeOwnFile } from '../own-files/write-own';

const BLOCK = 32_768;
const HEADER = 7;
const FULL = 1;
const FIRST = 2;
const LAST = 4;

/**
 * Where a LevelDB log must be cut so that it ends with a whole record, or its size if it already does.
 *
 * Why: Chromium reopens the log with `reuse_logs` and appends behind a torn tail; at the start after that the checksum
 * fails and it deletes the whole database (QB2; google/leveldb#1287). Cutting first costs nothing: a torn
 * record was never acknowledged. Only the end is judged; damage in the middle is left to LevelDB's own recovery.
 */
export function findWholeEnd(log: Uint8Array): number {
  let at = 0;
  let wholeEnd = 0;
  let inRecord = false;
  while (at < log.length) {
    const leftInBlock = BLOCK - (at % BLOCK);
    if (leftInBlock < HEADER) {
      at += leftInBlock;
      if (!inRecord && at <= log.length) wholeEnd = at;
      continue;
    }
    if (at + HEADER > log.length) return wholeEnd;
    const length = (log[at + 4] ?? 0) | ((log[at + 5] ?? 0) << 8);
    const type = log[at + 6] ?? 0;
    if (type < FULL || type > LAST || HEADER + length > leftInBlock)
      return restIsForeign(log, at) ? log.length : wholeEnd;
    const end = at + HEADER + length;
    if (end > log.length) return wholeEnd;
    at = end;
    inRecord = type === FIRST || (inRecord && type !== LAST);
    if (type === FULL || type === LAST) wholeEnd = at;
  }
  return wholeEnd;
}

/** A bad header with more than a block behind it is damage in the middle, not a torn tail: leave it to LevelDB. */
function restIsForeign(log: Uint8Array, at: number): boolean {
  return log.length - at > BLOCK;
}

export interface TailRepair {
  file: string;
  cutBytes: number;
}

/** Cuts the torn tails of every IndexedDB log and manifest under `profile`. Run only while no browser has them open. */
export async function repairIndexedDbTails(profile: string): Promise<TailRepair[]> {
  const repairs: TailRepair[] = [];
  const root = join(profile, 'IndexedDB');
  for (const folder of await list(root)) {
    if (!folder.endsWith('.indexeddb.leveldb')) continue;
    for (const name of await list(join(root, folder))) {
      if (!/^(\d+\.log|MANIFEST-\d+)$/.test(name)) continue;
      const repair = await repairTail(join(root, folder, name));
      if (repair) repairs.push(repair);
    }
  }
  return repairs;
}

async function repairTail(file: string): Promise<TailRepair | null> {
  const handle = await open(file, HOW).catch((error: unknown) => {
    if (NOT_OURS.has(errorCode(error))) return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return null;
    const bytes = await handle.readFile();
    const end = findWholeEnd(bytes);
    if (end === bytes.length) return null;
    // In place needs no room on a full disk. A file with another name elsewhere is somebody's copy, which keeps what it has.
    if (stat.nlink === 1) await handle.truncate(end);
    else await writeOwnFile(file, bytes.subarray(0, end));
    return { file, cutBytes: bytes.length - end };
  } finally {
    await handle.close();
  }
}

/** Not blocking: a pipe in place of the file would hold up the start. Not through a link: what it leads to is not a log of ours to cut. */
const HOW = constants.O_RDWR | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const NOT_OURS = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO']);

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
