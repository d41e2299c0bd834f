import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileIdentity } from './protected-paths';

/**
 * Opening what was resolved, and nothing else. Between resolving and opening, a folder of the path can be swapped for a
 * link. So the parent is opened first, checked to be the folder that was resolved, and everything else happens relative to
 * that open folder (through /proc/self/fd where there is one: the openat that Node lacks) and is checked again after opening.
 */

const SWAPPED = 'changed while it was being opened. Nothing was done; try again.';
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
/** A pipe put in place of a file must not block the open for ever. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;
const HAS_PROC = process.platform === 'linux';
const READ_BYTES = 256 * 1024;

interface OpenFolder {
  /** Prefix for names in this folder that cannot be led elsewhere. */
  base: string;
  handle: FileHandle;
  path: string;
}

/** Where an open handle really is, or undefined where the system does not say. */
async function handlePath(handle: FileHandle): Promise<string | undefined> {
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}

async function assertIs(handle: FileHandle, path: string): Promise<void> {
  const actual = await handlePath(handle);
  if (actual !== undefined) {
    if (actual !== path) throw new Error(`${path} ${SWAPPED}`);
    return;
  }
  const [opened, named, real] = await Promise.all([handle.stat(), stat(path), realpath(path)]);
  if (fileIdentity(opened) !== fileIdentity(named) || real !== path) throw new Error(`${path} ${SWAPPED}`);
}

async function openFolder(path: string): Promise<OpenFolder> {
  const handle = await open(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await assertIs(handle, path);
    const base = (await handlePath(handle)) === undefined ? path : `/proc/self/fd/${handle.fd}`;
    return { base, handle, path };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Refuses, by throwing, what was opened at a path. */
export type Guard = (stats: Stats, path: string) => Promise<void>;

/** Runs `work` with the real folder `path` held open. Throws if it is not the folder at that path, and what `guard` throws. */
async function withFolder<T>(path: string, work: (folder: OpenFolder) => Promise<T>, guard?: Guard): Promise<T> {
  const folder = await openFolder(path);
  try {
    await guard?.(await folder.handle.stat(), path);
    return await work(folder);
  } finally {
    await folder.handle.close();
  }
}

/**
 * Opens a resolved regular file for reading and runs `work` on it. Throws for anything that is not a regular file, and what
 * `guard` throws when it sees what was opened.
 */
export async function withFile<T>(
  path: string,
  work: (handle: FileHandle, stats: Stats) => Promise<T>,
  guard?: Guard,
): Promise<T> {
  return withFolder(dirname(path), async (folder) => {
    const handle = await openFile(folder, path);
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw new Error(`${path} is a folder. Use ls to list it.`);
      if (!stats.isFile()) throw new Error(`${path} is a device, pipe or socket, not a file.`);
      await assertIs(handle, path);
      await guard?.(stats, path);
      return await work(handle, stats);
    } finally {
      await handle.close();
    }
  });
}

async function openFile(folder: OpenFolder, path: string): Promise<FileHandle> {
  try {
    return await open(join(folder.base, basename(path)), constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP') throw new Error(`${path} ${SWAPPED}`);
    if (code === 'ENXIO') throw new Error(`${path} is a device, pipe or socket, not a file.`);
    throw error;
  }
}

/** The bytes of an open file; undefined if they are more than `maxBytes`, whatever its size is said to be. */
export async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  for (let total = 0; ;) {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, total);
    if (bytesRead === 0) return Buffer.concat(parts, total);
    total += bytesRead;
    if (total > maxBytes) return undefined;
    parts.push(buffer.subarray(0, bytesRead));
  }
}

/** The same where nothing can be waited for. */
export type GuardSync = (stats: Stats, path: string) => void;

function assertIsSync(fd: number, path: string): void {
  let actual: string | undefined;
  try {
    actual = readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // No such system: compared below.
  }
  const isSame =
    actual === undefined
      ? fileIdentity(fstatSync(fd)) === fileIdentity(statSync(path)) && realpathSync(path) === path
      : actual === path;
  if (!isSame) throw new Error(`${path} ${SWAPPED}`);
}

/**
 * What is in the real folder `path`, at most `max` entries, unsorted. Throws if it is not the folder at that path, and what `guard`
 * throws when it sees what was opened. Blocks: for the worker.
 */
export function listFolderSync(path: string, max: number, guard?: GuardSync): { entries: Dirent[]; isCut: boolean } {
  const fd = openSync(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  try {
    assertIsSync(fd, path);
    guard?.(fstatSync(fd), path);
    const folder = opendirSync(HAS_PROC ? `/proc/self/fd/${fd}` : path, { bufferSize: 256 });
    try {
      const entries: Dirent[] = [];
      for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
        if (entries.length === max) return { entries, isCut: true };
        entries.push(entry);
      }
      return { entries, isCut: false };
    } finally {
      folder.closeSync();
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * The bytes of a regular file at a path without links; undefined for anything else, what is larger, and what `guard` throws
 * on when it sees what was opened. Blocks: for the worker.
 */
export function readRegularSync(path: string, maxBytes: number, guard?: GuardSync): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    assertIsSync(fd, path);
    guard?.(stats, path);
    // One byte more than it has: a file that grows is not read on and on.
    const bytes = Buffer.allocUnsafe(stats.size + 1);
    let total = 0;
    for (let read = -1; read !== 0 && total < bytes.length; total += read)
      read = readSync(fd, bytes, total, bytes.length - total, total);
    return bytes.subarray(0, Math.min(total, stats.size));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Creates the missing folders of a resolved path one by one, each inside the checked one before it. */
async function createFolders(path: string, guard?: Guard): Promise<void> {
  let existing = path;
  while ((await lstat(existing).catch(() => undefined)) === undefined && existing !== dirname(existing))
    existing = dirname(existing);
  let at = existing;
  for (const name of relative(existing, path)
    .split(sep)
    .filter((part) => part !== '')) {
    const make = async ({ base }: OpenFolder): Promise<void> => {
      await mkdir(join(base, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    };
    await withFolder(at, make, guard);
    at = join(at, name);
  }
}

/** What the file must still be when it is replaced. */
export interface ExpectedFile {
  ino: number;
  size: number;
  mtimeMs: number;
}

/**
 * Replaces or creates the file at a resolved path in one step: temporary file beside it, fsync, rename. Keeps the mode.
 * `expected` null = must not exist. Throws, with the old file untouched, if what is there now is not what was expected.
 */
export async function replaceFile(
  path: string,
  content: Buffer,
  expected: ExpectedFile | null,
  mode?: number,
  guard?: Guard,
): Promise<void> {
  await createFolders(dirname(path), guard);
  const replace = async (folder: OpenFolder): Promise<void> => {
    const temporary = join(folder.base, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
    const target = join(folder.base, basename(path));
    const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW, 0o666);
    try {
      try {
        await handle.writeFile(content);
        if (mode !== undefined) await handle.chmod(mode & 0o7777);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await assertExpected(target, path, expected);
      await rename(temporary, target);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    await folder.handle.sync().catch(() => undefined);
  };
  await withFolder(dirname(path), replace, guard);
}

async function assertExpected(target: string, path: string, expected: ExpectedFile | null): Promise<void> {
  const now = await lstat(target).catch(() => undefined);
  const same = expected === null ? now === undefined : isSame(now, expected);
  if (!same)
    throw new Error(
      `${path} was changed by something else in the meantime. It was left as it is; read it again and repeat the change.`,
    );
}

function isSame(now: Stats | undefined, expected: ExpectedFile): boolean {
  return (
    now !== undefined &&
    now.isFile() &&
    now.ino === expected.ino &&
    now.size === expected.size &&
    now.mtimeMs === expected.mtimeMs
  );
}
