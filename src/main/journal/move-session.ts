/** A session to the trash and back, with what lies beside its journal and what was set aside of it (JN26). */
import { basename, join } from 'node:path';
import { z } from 'zod';
import { errorCode, isEmptyFile, moveEmptyFile } from './fs';
import type { JournalFs } from './fs';
import { moveFile } from './move-file';
import { unlessMissing } from '../own-files/error-code';
import { PlaceTakenError } from './session-error';
import type { SessionFiles } from './session-files';

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
