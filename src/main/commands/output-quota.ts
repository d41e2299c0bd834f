import { randomBytes } from 'node:crypto';
import { lstat, readdir, rename, statfs, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIN_FREE_DISK_BYTES } from '@shared/limits';

const STUB = (bytes: number): string =>
  `[This output of ${bytes} bytes made room for newer ones: the outputs of one session are kept up to a limit. What the model saw of it stands in the session.]\n`;
/** A stub is shorter than this; nothing is won by replacing what is as short. */
const SHORT_BYTES = 1_024;

/**
 * Keeps the kept outputs of one session below `maxBytes`: the oldest give way to a line that says so. `isInUse` names those
 * that are being written; the newest one is always kept. Never throws: a disk in trouble is told elsewhere.
 */
export async function keepWithinQuota(
  folder: string,
  maxBytes: number,
  isInUse: (name: string) => boolean,
): Promise<void> {
  // A link in its place leads to files that are none of ours.
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return;
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.txt'));
  const found = await Promise.all(
    names.map(async (name) => ({ name, stats: await lstat(join(folder, name)).catch(() => undefined) })),
  );
  const files = found.flatMap(({ name, stats }) =>
    stats?.isFile() ? [{ name, bytes: stats.size, time: stats.mtimeMs }] : [],
  );
  files.sort((a, b) => a.time - b.time);
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes, time } of files.slice(0, -1)) {
    if (total <= maxBytes) return;
    if (bytes < SHORT_BYTES || isInUse(name)) continue;
    if (await replace(join(folder, name), STUB(bytes), time)) total -= bytes;
  }
}

/** More than what commands write before they have asked: a chunk or two each. */
const MARGIN_BYTES = 2 * 1024 * 1024;

/**
 * What all outputs together may still take of the disk (docs/specs/safety.md D4): what one was granted and has not written yet is no room for
 * the others, or each of them would go below the floor by its own step.
 */
export class DiskRoom {
  private promised = 0;
  private written = 0;

  constructor(private readonly floorBytes = MIN_FREE_DISK_BYTES) {}

  /** Whether that many bytes more may be written; if so they count as taken until they are `settle`d. */
  async take(bytes: number, free: () => Promise<number>): Promise<boolean> {
    const before = this.written;
    const now = await free();
    // What was written while the system was asked may not be in its answer.
    const left = now - (this.written - before) - this.promised;
    if (left - bytes < this.floorBytes + MARGIN_BYTES) return false;
    this.promised += bytes;
    return true;
  }

  /** Taken bytes are on the disk, or never will be. */
  settle(bytes: number): void {
    this.promised -= bytes;
    this.written += bytes;
  }
}

/** Bytes that this user may still write where a folder lies. Where the system does not say, the disk itself is the bound. */
export async function freeBytesOf(folder: string): Promise<number> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
}

/** In one step, so that a reader sees the output or the line; it stays as old as it was. */
async function replace(path: string, text: string, timeMs: number): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await utimes(temporary, timeMs / 1_000, timeMs / 1_000);
    await rename(temporary, path);
    return true;
  } catch {
    await unlink(temporary).catch(() => undefined);
    return false;
  }
}
