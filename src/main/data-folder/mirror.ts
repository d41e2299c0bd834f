import { constants, type Stats } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- what copies the app's own files is made of it
import * as fsp from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { unlessMissing } from '../own-files/storage-error';

/** The file operations of a copy: tests let the process die at each of them. */
export type MirrorFs = Pick<
  typeof fsp,
  'chmod' | 'lstat' | 'mkdir' | 'open' | 'readdir' | 'readlink' | 'rename' | 'rm' | 'symlink' | 'utimes'
>;
export const DISK: MirrorFs = fsp;

interface MirrorOptions {
  /** Names at the top that are not copied, and not removed at the other side. */
  except: ReadonlySet<string>;
  /** The source is in use: what changes meanwhile is left for the last copy, which it is not. */
  isLive: boolean;
  /** Rejects to end it early. */
  pace?: () => Promise<void>;
}

/** A copy is not what was copied. The message completes "… was not moved: ". */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** One name in each folder, since its files are copied one by one. */
const PART = '.espalier-part';
const CHUNK = 1024 * 1024;
/** Files up to this size are compared byte by byte with a copy that is there; larger ones, which are journals, by size and time. */
const COMPARED = 4 * 1024 * 1024;
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Makes a folder the same as another: files with their rights and times, folders, links as links. Each file is copied beside its name,
 * synced, read back and compared, then given its name; what the other side has besides is removed. What is the same is left alone, so that a
 * second copy is short, and one that was cut off goes on. Pipes and devices are left out.
 * @throws CopyError, or the error of the file system; the source is never changed
 */
export async function mirrorFolder(from: string, to: string, options: MirrorOptions, fs = DISK): Promise<void> {
  await mirror(from, to, options, fs, true);
}

async function mirror(from: string, to: string, options: MirrorOptions, fs: MirrorFs, isTop: boolean): Promise<void> {
  const before = await fs.lstat(to).catch(unlessMissing);
  if (before && !before.isDirectory()) await fs.rm(to);
  if (!before?.isDirectory()) await fs.mkdir(to, { mode: 0o700 });
  const wanted = new Set<string>([...(isTop ? options.except : [])]);
  for (const entry of await fs.readdir(from, { withFileTypes: true })) {
    const { name } = entry;
    if (name === PART || (isTop && options.except.has(name))) continue;
    await options.pace?.();
    const [source, target] = [join(from, name), join(to, name)];
    if (entry.isDirectory()) await mirrorInside(source, target, options, fs);
    else if (entry.isFile()) await mirrorFile(source, target, options, fs);
    else if (entry.isSymbolicLink()) await mirrorLink(source, target, isTop, fs);
    else continue;
    wanted.add(name);
  }
  for (const name of await fs.readdir(to)) if (!wanted.has(name)) await fs.rm(join(to, name), { recursive: true });
  await syncFolder(to, fs);
}

/** A folder that went meanwhile is left for the last copy. */
async function mirrorInside(from: string, to: string, options: MirrorOptions, fs: MirrorFs): Promise<void> {
  const stats = await fs.lstat(from).catch(unlessMissing);
  if (!stats && options.isLive) return;
  await mirror(from, to, options, fs, false);
  if (stats && process.platform !== 'win32') await fs.chmod(to, stats.mode & 0o777);
}

async function mirrorLink(from: string, to: string, isTop: boolean, fs: MirrorFs): Promise<void> {
  const written = await fs.readlink(from);
  // What a link at the top leads to does not come along: seen from elsewhere its relative way would be another.
  const leadsTo = isTop && !isAbsolute(written) ? resolve(dirname(from), written) : written;
  const there = await fs.lstat(to).catch(unlessMissing);
  if (there?.isSymbolicLink() && (await fs.readlink(to)) === leadsTo) return;
  if (there) await fs.rm(to, { recursive: true });
  await fs.symlink(leadsTo, to);
}

async function mirrorFile(from: string, to: string, { isLive }: MirrorOptions, fs: MirrorFs): Promise<void> {
  const source = await fs.open(from, READ).catch((error: unknown) => (isLive ? unlessMissing(error) : Promise.reject(error as Error))); // prettier-ignore
  if (!source) return;
  try {
    const facts = await source.stat();
    if (await isSame(source, facts, to, fs)) return;
    const part = join(dirname(to), PART);
    await fs.rm(part, { force: true, recursive: true });
    const target = await fs.open(part, 'wx', 0o600);
    try {
      await copy(source, target, facts.size);
      if (process.platform !== 'win32') await target.chmod(facts.mode & 0o777);
      await target.sync();
    } finally {
      await target.close();
    }
    await fs.utimes(part, facts.atime, facts.mtime);
    const isWhole = await hasBytes(source, facts.size, part, fs);
    const after = await source.stat();
    const isStill = after.size === facts.size && after.mtimeMs === facts.mtimeMs;
    if (!isWhole && (isStill || !isLive)) throw new CopyError(`the copy of ${from} is not the same as the file`);
    if (!isStill && !isLive) throw new CopyError(`${from} was changed by another program meanwhile`);
    const there = await fs.lstat(to).catch(unlessMissing);
    if (there && !there.isFile()) await fs.rm(to, { recursive: true });
    await fs.rename(part, to);
  } finally {
    await source.close();
  }
}

/** Whether a copy is there already. Times are kept in steps, which differ between disks. */
async function isSame(source: FileHandle, facts: Stats, to: string, fs: MirrorFs): Promise<boolean> {
  const there = await fs.lstat(to).catch(unlessMissing);
  if (!there?.isFile() || there.size !== facts.size) return false;
  if (facts.size > COMPARED) return Math.abs(there.mtimeMs - facts.mtimeMs) < 2;
  return hasBytes(source, facts.size, to, fs);
}

async function hasBytes(source: FileHandle, size: number, path: string, fs: MirrorFs): Promise<boolean> {
  const other = await fs.open(path, READ);
  try {
    if ((await other.stat()).size !== size) return false;
    const [mine, theirs] = [Buffer.alloc(Math.min(size, CHUNK)), Buffer.alloc(Math.min(size, CHUNK))];
    for (let at = 0; at < size;) {
      const [length, got] = [await fill(source, mine, at), await fill(other, theirs, at)];
      if (length === 0 || length !== got || mine.compare(theirs, 0, got, 0, length) !== 0) return false;
      at += length;
    }
    return true;
  } finally {
    await other.close();
  }
}

async function copy(source: FileHandle, target: FileHandle, size: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(size, CHUNK));
  for (let at = 0; at < size;) {
    const length = await fill(source, chunk, at, size - at);
    if (length === 0) return;
    await target.writeFile(chunk.subarray(0, length));
    at += length;
  }
}

/** As much as fits, unless the file ends before. */
async function fill(file: FileHandle, chunk: Buffer, at: number, most = chunk.length): Promise<number> {
  let length = 0;
  const wanted = Math.min(chunk.length, most);
  while (length < wanted) {
    const { bytesRead } = await file.read(chunk, length, wanted - length, at + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

async function syncFolder(folder: string, fs: MirrorFs): Promise<void> {
  const handle = await fs.open(folder, constants.O_RDONLY).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
