import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { randomBytes } from 'node:crypto';
import { StorageError, unlessMissing } from '../../own-files/storage-error';
import { copyBytes } from '../file/append-file';
import { errorCode, type FileFacts, isEmptyFile, type JournalFs, moveEmptyFile } from '../file/fs';
import { PlaceTakenError } from '../file/session-error';
import type { SessionFiles } from '../file/session-files';

/**
 * A session to the trash and back, with what lies beside its journal and what was set aside of it (JN26). A link or a mount may have put
 * the other folder on another disk (JN48).
 */

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

/** In a folder of the trash: the names of the session's files, also of those that a move which was cut off left at the other place. */
const NAMES = '.names.json';
/** The same of an earlier version: a session “files” could have a file of that name. */
const OLD_NAMES = 'files.json';

/**
 * Moves a session into a folder of its own, the journal first: a session whose files are only half moved is complete at one of the two places.
 * What fails behind the journal is left to `attempt`.
 */
export async function moveAway(
  fs: JournalFs,
  id: string,
  from: SessionFiles,
  to: SessionFiles,
  attempt: (work: Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const journal = basename(from.journal(id));
  const beside = (await from.namesOf(fs, id)).filter((name) => name !== journal && name !== OLD_NAMES);
  await fs.makeDir(to.dir);
  await fs.writeText(join(to.dir, NAMES), JSON.stringify(beside));
  const move = (name: string): Promise<unknown> =>
    moveFile(fs, join(from.dir, name), join(to.dir, name), 'rename').catch(unlessMissing);
  await move(journal);
  for (const name of beside) await attempt(move(name));
}

/**
 * Moves a session back out of its folder, the journal last. Sidecars in its place that are not its own are another session's, and are set
 * aside. Rejects with `PlaceTakenError` if that one's journal is there or comes meanwhile; an empty file is none. After any failure what was
 * moved is moved back.
 */
export async function moveBack(
  fs: JournalFs,
  id: string,
  from: SessionFiles,
  to: SessionFiles,
  /** Unix milliseconds. */
  now: number,
): Promise<void> {
  const journal = basename(from.journal(id));
  const own = (await from.namesOf(fs, id)).filter((name) => name !== journal && name !== OLD_NAMES);
  const begun = await namesIn(fs, from.dir);
  const here = await to.namesOf(fs, id);
  const isHeld = here.includes(journal);
  if (isHeld && !(await isEmptyFile(fs, to.journal(id)))) throw new PlaceTakenError(from.journal(id));
  // Of before the names were kept.
  if (!begun) await fs.writeText(join(from.dir, NAMES), JSON.stringify(own));
  const sidecars = to.sidecars(id);
  const empty = `${to.journal(id)}.bad-${now}`;
  const moved: (readonly [string, string])[] = [];
  const move = async (source: string, target: string): Promise<void> => {
    const isDone = await moveFile(fs, source, target, 'place').then(() => true, unlessMissing);
    if (isDone) moved.push([source, target]);
  };
  try {
    for (const name of here) {
      const isOwn = begun?.includes(name) === true && !own.includes(name);
      if (own.includes(name) || (sidecars.includes(name) && !isOwn))
        await move(join(to.dir, name), join(to.dir, `${name}.bad-${now}`));
    }
    for (const name of own) await move(join(from.dir, name), join(to.dir, name));
    if (isHeld) {
      if (!(await moveEmptyFile(fs, to.journal(id), empty))) throw new PlaceTakenError(from.journal(id));
      moved.push([to.journal(id), empty]);
    }
    await move(from.journal(id), to.journal(id));
  } catch (error) {
    for (const [source, target] of moved.reverse()) await moveFile(fs, target, source, 'place').catch(() => undefined);
    throw errorCode(error) === 'EEXIST' ? new PlaceTakenError(from.journal(id), { cause: error }) : error;
  }
  // Who had it open may have written into it: then it stays.
  if (isHeld && (await isEmptyFile(fs, empty).catch(() => false))) await fs.remove(empty).catch(() => undefined);
}

/** True if a file of a session that lies in this folder was left at the other place by a move that was cut off. */
export async function isLeftBehind(fs: JournalFs, name: string, dir: string): Promise<boolean> {
  return (await namesIn(fs, dir))?.includes(name) === true && !(await fs.stat(join(dir, name)));
}

/** Null where none are kept. */
async function namesIn(fs: JournalFs, dir: string): Promise<string[] | null> {
  try {
    const text = (await fs.readText(join(dir, NAMES))) ?? (await fs.readText(join(dir, OLD_NAMES))) ?? '';
    return z.array(z.string()).parse(JSON.parse(text));
  } catch {
    return null;
  }
}
