/** A file of ours to another folder, which a link or a mount may have put on another disk (JN48). */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { StorageError } from '../own-files/storage-error';
import { copyBytes } from './append-file';
import { errorCode } from './fs';
import type { FileFacts, JournalFs } from './fs';

const KINDS = { link: 'a link', folder: 'a folder', other: 'a pipe or a device' };

/**
 * Moves a file. Where the system can't, because the two folders are on two disks, it is copied beside its new name, synced, given that
 * name if it is free, and then the old one is removed. `how` is what is tried first: `rename` for a folder that only we write to, `place`
 * for a name that another program may have taken. After a rejection the file is where it was, and nothing is at the new name but what was
 * there before; a crash leaves it at one of the two places, whole, or at both.
 */
export async function moveFile(fs: JournalFs, from: string, to: string, how: 'rename' | 'place'): Promise<void> {
  try {
    await fs[how](from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    await moveByCopy(fs, from, to);
  }
}

async function moveByCopy(fs: JournalFs, from: string, to: string): Promise<void> {
  const kind = await fs.kind(from);
  // A missing one is told by the opening.
  if (kind !== null && kind !== 'file') throw notMovable(from, KINDS[kind]);
  // Short, so that no name is too long with it; by its end the start finds one that was left.
  const part = join(dirname(to), `.${randomBytes(6).toString('hex')}.part`);
  const { before, copy } = await copyTo(fs, from, part);
  try {
    await refuseChanged(fs, from, before);
    await fs.place(part, to);
  } catch (error) {
    await fs.remove(part).catch(() => undefined);
    throw error;
  }
  try {
    await fs.syncDir(dirname(to));
    await refuseChanged(fs, from, before);
    await fs.remove(from);
  } catch (error) {
    // With the old name gone, whoever took it, the copy is the file.
    if ((await fs.kind(from)) === null) return;
    if ((await fs.stat(to))?.identity === copy.identity) await fs.remove(to);
    throw error;
  }
}

/** Copies a file to a name beside its new one, durable. After a failure nothing is there. */
async function copyTo(fs: JournalFs, from: string, part: string): Promise<{ before: FileFacts; copy: FileFacts }> {
  const source = await fs.open(from, 'read');
  try {
    const before = await source.stat();
    const target = await fs.open(part, 'create');
    try {
      await copyBytes(source, target, before.size);
      await target.datasync();
      return { before, copy: await target.stat() };
    } finally {
      await target.close();
    }
  } catch (error) {
    await fs.remove(part).catch(() => undefined);
    throw error;
  } finally {
    await source.close().catch(() => undefined);
  }
}

/** What another program wrote meanwhile is not in the copy. */
async function refuseChanged(fs: JournalFs, path: string, before: FileFacts): Promise<void> {
  const now = await fs.stat(path);
  const isSame =
    now?.identity === before.identity &&
    now.size === before.size &&
    now.modifiedMs === before.modifiedMs &&
    now.changedMs === before.changedMs;
  if (!isSame)
    throw new StorageError(
      'changed',
      `another program changed ${basename(path)} while it was being moved to another disk. It was left where it is; try again.`,
    );
}

function notMovable(path: string, what: string): StorageError {
  return new StorageError(
    'failed',
    `${basename(path)} is ${what}, and only files can be moved to another disk. It was left as it is; move or remove it in your file manager.`,
  );
}
