import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errorCode, toStorageError, unlessMissing } from './storage-error';

/** What stands in the place of a file is none of ours, and was left as it is. The message is for the person. */
export class NoOwnFile extends RangeError {}

interface WriteOptions {
  /**
   * A link, a pipe or a device in its place gives way, and what a link leads to stays as it is: for what the app keeps for itself. Without:
   * it is refused, for the person may have put it there.
   */
  givesWay?: boolean;
  /** Not forced to the disk: losing it in a power cut is right. */
  isFleeting?: boolean;
}

/** Never through a link, never over a file that is there (POSIX; Windows knows no such flag and needs a right to make links). */
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Writes to one name follow each other: they share the name beside it. */
const turns = new Map<string, Promise<void>>();

/**
 * The one writer of the app's own small files (docs/specs/safety.md A10): as a whole, beside the place and then over it, for this user only. It
 * replaces a name and never what that leads to: no link is followed, other names of the same file keep what they had, and a pipe is
 * never opened. A folder is never replaced.
 * @throws NoOwnFile, or the error of the file system; then all is as before
 */
export async function writeOwnFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const done = (turns.get(path) ?? Promise.resolve()).then(() => write(path, content, options));
  const turn = done.catch(() => undefined);
  turns.set(path, turn);
  try {
    await done;
  } finally {
    if (turns.get(path) === turn) turns.delete(path);
  }
}

/** The same for what the person set. @throws NoOwnFile, or StorageError with a sentence for them */
export async function saveOwnFile(path: string, content: string): Promise<void> {
  await writeOwnFile(path, content).catch((error: unknown) => {
    throw error instanceof NoOwnFile ? error : toStorageError(error);
  });
}

async function write(path: string, content: string | Uint8Array, options: WriteOptions): Promise<void> {
  const { givesWay = false, isFleeting = false } = options;
  const there = await lstat(path).catch(unlessMissing);
  if (there && !there.isFile() && (there.isDirectory() || !givesWay)) throw await refusal(path, there);
  const temporary = `${path}.tmp`;
  // What a crash left behind, or whatever has the name: it is neither opened nor followed.
  await unlink(temporary).catch(unlessMissing);
  await fill(temporary, content, { isFleeting, there });
  try {
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  if (!isFleeting) await syncFolder(dirname(path));
}

/** Writes a file that must not exist yet, whole and durable, or not at all. @throws the error of the file system */
export async function createOwnFile(path: string, content: string | Uint8Array): Promise<void> {
  await fill(path, content, { isFleeting: false, there: null });
  await syncFolder(dirname(path));
}

async function fill(
  path: string,
  content: string | Uint8Array,
  { isFleeting, there }: { isFleeting: boolean; there: Stats | null },
): Promise<void> {
  const handle = await open(path, NEW, 0o600);
  try {
    await handle.writeFile(content);
    await keepOwner(handle, there);
    if (!isFleeting) await handle.sync();
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

/** As root it stays with the user whose data folder it is: they could not read it any more. */
async function keepOwner(handle: FileHandle, there: Stats | null): Promise<void> {
  if (process.geteuid?.() !== 0 || !there?.isFile() || there.uid === 0) return;
  await handle.chown(there.uid, there.gid).catch(() => undefined);
}

/** Not every platform can sync a folder; the rename itself is atomic everywhere. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null);
  if (!handle) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}

async function refusal(path: string, there: Stats): Promise<NoOwnFile> {
  const name = basename(path);
  const stays = 'It was left unchanged, and nothing was saved.';
  if (there.isDirectory()) return new NoOwnFile(`${name} is a folder. ${stays} Move it away and try again: ${path}`);
  if (!there.isSymbolicLink())
    return new NoOwnFile(`${name} is a pipe or a device. ${stays} Move it away and try again: ${path}`);
  const target = await readlink(path).catch((error: unknown) => errorCode(error));
  return new NoOwnFile(
    `${name} is a link to ${target}, and Espalier doesn’t write through links. ${stays} Replace the link with the file itself and try again: ${path}`,
  );
}

/** A folder of the app's own can't be had. The message is for the person: what is wrong and what to do. */
class OwnFolderError extends Error {
  override readonly name = 'OwnFolderError';
}

/** Makes a folder of the app's own, if it is missing, for this user only. @throws OwnFolderError */
export async function makeOwnFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await stat(folder)).isDirectory()) return;
  } catch (error) {
    throw new OwnFolderError(await whyNot(folder, (error as NodeJS.ErrnoException).code ?? String(error)));
  }
}

async function whyNot(folder: string, code: string): Promise<string> {
  const inTheWay = await fileOnTheWay(folder);
  if (inTheWay !== null) {
    return `Espalier keeps its files in ${folder}, but ${inTheWay} is not a folder. Move it away and try again. Nothing was changed.`;
  }
  if (code === 'EEXIST' || code === 'ELOOP' || code === 'ENOENT') {
    return `Espalier keeps its files in ${folder}, but that is a link to a folder that doesn’t exist. Connect the disk or remove the link, then try again.`;
  }
  const isDenied = code === 'EACCES' || code === 'EPERM';
  if (isDenied)
    return `Espalier doesn’t have permission to write to ${folder}. Check the folder’s permissions and try again.`;
  if (code === 'EROFS')
    return `Espalier can’t write to ${folder}: the disk is read-only. Make it writable and try again.`;
  if (code === 'ENOSPC') return `Espalier can’t create ${folder}: the disk is full. Free some space and try again.`;
  return `The folder ${folder} could not be created (${code}). Fix this and try again.`;
}

/** What of a path is there and no folder, nearest to the root. */
async function fileOnTheWay(folder: string): Promise<string | null> {
  const above = dirname(folder) === folder ? null : await fileOnTheWay(dirname(folder));
  if (above !== null) return above;
  const found = await stat(folder).catch(() => null);
  return found && !found.isDirectory() ? folder : null;
}
