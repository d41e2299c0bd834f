import { constants, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { unlessMissing } from './storage-error';

/** A file of the app's own is small: settings, keys, rules, what waits to be sent. Bytes. */
export const MAX_OWN_BYTES = 8 * 1024 * 1024;

/** Why something that is there is not read; the message completes “… could not be read: ”. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile';
  /** @param kind whether it could be a file of ours that was damaged: one that is not text alone */
  constructor(
    message: string,
    readonly kind: 'no text' | 'too large' | 'not regular',
  ) {
    super(message);
  }
}

/** Not blocking (POSIX only): a named pipe that nobody writes to would hold up its opener for ever. */
const HOW = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a regular file. A link is followed, but what it leads to must be a regular file as well: a pipe or a device never ends.
 * @param maxBytes a longer file is not read at all
 * @returns null if there is no such file
 * @throws UnfitFile, or the error of the file system
 */
export async function readRegular(path: string, maxBytes = MAX_OWN_BYTES): Promise<string | null> {
  const bytes = await readRegularBytes(path, maxBytes);
  return bytes && textOf(bytes);
}

/** The same, byte for byte. */
export async function readRegularBytes(path: string, maxBytes = MAX_OWN_BYTES): Promise<Uint8Array | null> {
  const handle = await open(path, HOW).catch(async (error: unknown) => {
    // Where a folder can't be opened the system may say that the right to is missing.
    if (await stat(path).then(isFolder, () => false)) throw aFolder();
    return unlessMissing(error);
  });
  if (!handle) return null;
  try {
    const facts = await handle.stat();
    refuseUnfit(facts, maxBytes);
    const bytes = Buffer.allocUnsafe(facts.size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** What passes by itself: too many open files, a disk or a file that is busy. */
const PASSING = new Set(['EMFILE', 'ENFILE', 'EBUSY', 'EAGAIN', 'EIO', 'ENOMEM', 'ETXTBSY']);
/** Milliseconds between tries. */
const PAUSES = [20, 80, 300, 600];

/** `readRegular` of a file that may be busy: it is tried again, for a second in all. */
export async function readPatiently(path: string, maxBytes?: number): Promise<string | null> {
  for (const pause of PAUSES) {
    try {
      return await readRegular(path, maxBytes);
    } catch (error) {
      if (!PASSING.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await setTimeout(pause);
    }
  }
  return readRegular(path, maxBytes);
}

/** `readRegular` for the little that is needed before anything can wait. */
export function readRegularSync(path: string, maxBytes = MAX_OWN_BYTES): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, HOW);
  } catch (error) {
    if (isFolderSync(path)) throw aFolder();
    return unlessMissing(error);
  }
  try {
    const stat = fstatSync(descriptor);
    refuseUnfit(stat, maxBytes);
    const bytes = Buffer.allocUnsafe(stat.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return textOf(bytes.subarray(0, length));
  } finally {
    closeSync(descriptor);
  }
}

const isFolder = (facts: { isDirectory(): boolean }): boolean => facts.isDirectory();

function isFolderSync(path: string): boolean {
  try {
    return isFolder(statSync(path));
  } catch {
    return false;
  }
}

function aFolder(): Error {
  return Object.assign(new Error('It is a folder.'), { code: 'EISDIR' });
}

function refuseUnfit(stat: { isFile(): boolean; isDirectory(): boolean; size: number }, maxBytes: number): void {
  if (isFolder(stat)) throw aFolder();
  if (!stat.isFile()) throw new UnfitFile('it is not a regular file', 'not regular');
  if (stat.size > maxBytes)
    throw new UnfitFile(`it is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`, 'too large');
}

/** Drops a byte order mark. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnfitFile('it is not text', 'no text');
  }
}
