import { constants } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- what opens the app's own files is made of it
import * as fsp from 'node:fs/promises';
import { readPatiently } from '../../own-files/read-regular';
import { errorCode, unlessMissing } from '../../own-files/storage-error';
import { writeOwnFile } from '../../own-files/write-own';

/**
 * The few file operations that the journal needs, as an interface: tests put a file system in its place that fails at
 * the k-th call, writes short or forgets what was not synced (QB6).
 */

export { errorCode };

/** Identity and size (bytes) of a file. */
export interface FileFacts {
  /** Device and inode: two paths with the same identity are the same file. */
  identity: string;
  size: number;
  modifiedMs: number;
  /** When it came to its name or was written last: no program can set it back, as one that copies times does with `modifiedMs`. */
  changedMs: number;
}

export interface JournalFile {
  /** Fills `buffer` from `position` on; returns the bytes read, fewer only at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Writes at the end of the file; returns how many bytes were written, possibly fewer than given. */
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves when the data are on disk. */
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  stat(): Promise<FileFacts>;
  close(): Promise<void>;
}

export interface JournalFs {
  /**
   * `append` needs a file that is there, `create` fails if one is: neither makes a file where a link leads. Rejects with `NoRegularFileError`
   * for anything else than a file.
   */
  open(path: string, mode: 'read' | 'append' | 'create'): Promise<JournalFile>;
  /** What a name itself stands for, links not followed; null if there is none. */
  kind(path: string): Promise<'file' | 'folder' | 'link' | 'other' | null>;
  /** Null if there is no such file. */
  stat(path: string): Promise<FileFacts | null>;
  /** Names in a folder; empty if the folder is missing. */
  list(dir: string): Promise<string[]>;
  makeDir(dir: string): Promise<void>;
  /** Makes `modifiedMs` of a file another one. */
  setTime(path: string, modifiedMs: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file another name, which must be free: rejects with `EEXIST` if anything has it, which stays as it is. */
  place(from: string, to: string): Promise<void>;
  /** Removes a file or a link; a missing one is no error, a folder is one. */
  remove(path: string): Promise<void>;
  /** Removes whatever is there, a folder with its contents; of a link the name alone. */
  removeTree(path: string): Promise<void>;
  /** A small regular file as text; null if it is missing. Rejects for anything else. */
  readText(path: string): Promise<string | null>;
  /** Replaces a small file of ours as a whole: readers see the old text or the new one, also after a power cut. What a link leads to stays. */
  writeText(path: string, text: string): Promise<void>;
  /** Makes names created or moved in the folder durable. */
  syncDir(dir: string): Promise<void>;
}

/** What is done with a file that a person picked. It may lie where nothing answers, so the app does it in a process (files/picked-files.ts). */
export type PickedSource = Pick<JournalFile, 'read' | 'stat' | 'close'>;
export type PickedTarget = Pick<JournalFile, 'append' | 'datasync' | 'close'>;

export interface PickedFs extends Pick<JournalFs, 'kind' | 'rename' | 'remove' | 'syncDir'> {
  open(path: string, mode: 'read'): Promise<PickedSource>;
  open(path: string, mode: 'create'): Promise<PickedTarget>;
}

/** A file that a person picked could not be read or written, for a reason that has no code of the system. The message is for the person. */
export class PickedFileError extends Error {
  override readonly name = 'PickedFileError';
  /** `what` completes a sentence that begins with the name of the file. */
  constructor(
    name: string,
    private readonly what: string,
    options?: { cause?: unknown },
  ) {
    super(`${name} ${what}`, options);
  }

  /** The same of the file that the person knows, where it befell another one that stands for it. */
  of(name: string): PickedFileError {
    return new PickedFileError(name, this.what, { cause: this });
  }
}

/** Not opened: what is there is no regular file. `what` completes “In its place is ”. */
export class NoRegularFileError extends Error {
  override readonly name = 'NoRegularFileError';
  constructor(readonly what: string) {
    super(`It is ${what}.`);
  }
}

const facts = (stat: { dev: number; ino: number; size: number; mtimeMs: number; ctimeMs: number }): FileFacts => ({
  identity: `${stat.dev}:${stat.ino}`,
  size: stat.size,
  modifiedMs: stat.mtimeMs,
  changedMs: stat.ctimeMs,
});

class NodeFile implements JournalFile {
  constructor(
    private readonly handle: fsp.FileHandle,
    private readonly path: string,
  ) {}

  async read(buffer: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < buffer.length) {
      const { bytesRead } = await this.handle.read(buffer, done, buffer.length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  async append(bytes: Uint8Array): Promise<number> {
    return (await this.handle.write(bytes, 0, bytes.length, null)).bytesWritten;
  }

  async datasync(): Promise<void> {
    await this.handle.datasync();
  }

  async truncate(size: number): Promise<void> {
    try {
      await this.handle.truncate(size);
    } catch (error) {
      // Windows: a handle opened for appending may not truncate.
      if (errorCode(error) !== 'EPERM') throw error;
      await fsp.truncate(this.path, size);
    }
  }

  async stat(): Promise<FileFacts> {
    return facts(await this.handle.stat());
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

// Reading follows symbolic links like any program; only the exclusive create must not.
const MODES = {
  // Not blocking (POSIX only): a named pipe that nobody writes to would hold up its opener for ever.
  read: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
  append: constants.O_APPEND | constants.O_RDWR | (constants.O_NONBLOCK ?? 0),
  create: constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_RDWR,
} as const;

/** Regular files only, through links too: who reads a pipe or a device waits for ever or reads without end. */
async function openRegular(path: string, mode: keyof typeof MODES): Promise<NodeFile> {
  const handle = await fsp.open(path, MODES[mode], 0o600).catch(async (error: unknown) => {
    // What the system says of a folder differs: EISDIR, on Windows the EPERM of a file without rights.
    if (await isFolder(path, mode)) throw new NoRegularFileError('a folder');
    throw error;
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new NoRegularFileError(stat.isDirectory() ? 'a folder' : 'a pipe or a device');
    return new NodeFile(handle, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** An exclusive create finds anything in its way; it says so itself. */
async function isFolder(path: string, mode: keyof typeof MODES): Promise<boolean> {
  if (mode === 'create') return false;
  return fsp.stat(path).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
}

/** Moves what is there, whatever it is: a link is not followed. False if there is nothing. */
export async function moveIfThere(fs: JournalFs, from: string, to: string): Promise<boolean> {
  const isMoved = await fs.rename(from, to).then(() => true, unlessMissing);
  return isMoved ?? false;
}

/** True for a file without a byte, as a crash leaves one that took a name first (`placeWithoutLinks`). Of a link: false. */
export async function isEmptyFile(fs: JournalFs, path: string): Promise<boolean> {
  return (await fs.kind(path)) === 'file' && (await fs.stat(path))?.size === 0;
}

/** Moves an empty file out of the way. False if it got bytes meanwhile: it is back then, unless the name was taken again. */
export async function moveEmptyFile(fs: JournalFs, from: string, to: string): Promise<boolean> {
  if (!(await moveIfThere(fs, from, to)) || (await isEmptyFile(fs, to))) return true;
  await fs.place(to, from);
  return false;
}

/** A rename replaces what it finds, a second name does not. */
async function placeFile(from: string, to: string): Promise<void> {
  try {
    await fsp.link(from, to);
  } catch (error) {
    // To another disk a rename goes no better: no empty file is to have the name meanwhile.
    if (['EEXIST', 'ENOENT', 'EXDEV'].includes(errorCode(error))) throw error;
    // A file system without second names says so in many ways (exFAT under Windows: EISDIR). What else is wrong the create finds as well.
    // A folder has no second name, and is never moved over a file.
    if ((await fsp.lstat(from)).isDirectory()) return fsp.rename(from, to);
    return placeWithoutLinks(from, to);
  }
  // It has its name. An old one that can't be taken away harms nobody.
  await fsp.unlink(from).catch(() => undefined);
}

/** An exclusive create takes the name first. What came into that empty file before the rename is another program's, and stays. */
async function placeWithoutLinks(from: string, to: string): Promise<void> {
  const handle = await fsp.open(to, MODES.create, 0o600);
  let isOurs = false;
  try {
    const taken = await handle.stat();
    const now = await fsp.lstat(to);
    isOurs = now.ino === taken.ino && now.dev === taken.dev && now.size === 0;
  } finally {
    await handle.close();
  }
  if (!isOurs) throw Object.assign(new Error('Another file came to the name'), { code: 'EEXIST' });
  try {
    await fsp.rename(from, to);
  } catch (error) {
    if ((await fsp.lstat(to).catch(() => null))?.size === 0) await fsp.unlink(to).catch(() => undefined);
    throw error;
  }
}

/** The real file system. */
export const nodeFs: JournalFs = {
  open: openRegular,
  kind: async (path) => {
    const stat = await fsp.lstat(path).catch(unlessMissing);
    if (!stat) return null;
    if (stat.isSymbolicLink()) return 'link';
    return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
  },
  stat: (path) => fsp.stat(path).then((stat) => facts(stat), unlessMissing),
  list: (dir) => fsp.readdir(dir).catch((error: unknown) => unlessMissing(error) ?? []),
  makeDir: async (dir) => {
    await fsp.mkdir(dir, { recursive: true, mode: 0o700 });
  },
  setTime: (path, modifiedMs) => fsp.utimes(path, new Date(), modifiedMs / 1000),
  rename: (from, to) => fsp.rename(from, to),
  place: placeFile,
  remove: async (path) => {
    await fsp.unlink(path).catch(unlessMissing);
  },
  removeTree: (path) => fsp.rm(path, { recursive: true, force: true }),
  readText: (path) => readPatiently(path),
  writeText: (path, text) => writeOwnFile(path, text, { givesWay: true }),
  syncDir: async (dir) => {
    // Windows can neither open nor sync a folder; there a rename is durable on its own.
    if (process.platform === 'win32') return;
    const handle = await fsp.open(dir, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};
