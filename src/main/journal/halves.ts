/** What an import leaves that was cut off by the end of the process. */
import { basename, join } from 'node:path';
import { isEmptyFile, moveEmptyFile } from './fs';
import type { JournalFs } from './fs';
import type { ImportNote } from './import-note';
import { isSafeSessionId } from './session-files';
import type { SessionFiles } from './session-files';
import type { Trash } from './trash';
import { isPartName } from './write-whole';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What imports left that were cut off with an earlier run, by the note of that; the note goes with it. Never rejects. */
export async function clearCutImports(
  { fs, files, trash, clock, log }: HalvesSurroundings,
  note: ImportNote,
): Promise<void> {
  try {
    const ours = await note.left();
    await removeHalves(fs, files, trash, clock(), ours);
    if (ours.size > 0) await note.save();
  } catch (error) {
    log.warn('What an import left that was cut off could not be removed', error);
  }
}

interface HalvesSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  trash: Trash;
  /** Unix milliseconds. */
  clock: () => number;
  log: { warn(message: string, detail?: unknown): void };
}

/**
 * Removes the parts of files that never came to their names, and frees the ids of imports that have no journal yet (JN28). What is younger
 * than a day another computer may be at, in a folder that both have (E1), unless it is of a session in `ours`: that a run of this computer was
 * importing, which has ended. `now`: Unix milliseconds.
 */
export async function removeHalves(
  fs: JournalFs,
  files: SessionFiles,
  trash: Trash,
  now: number,
  ours: ReadonlySet<string> = new Set(),
): Promise<void> {
  const isOld = async (name: string): Promise<boolean> => {
    // An id has no dot.
    if (ours.has(name.slice(0, name.indexOf('.')))) return true;
    const facts = await fs.stat(join(files.dir, name));
    // A program that copies times brings an old one. What lies ahead says that one of two clocks is wrong.
    return facts === null || [facts.modifiedMs, facts.changedMs].every((time) => now - time >= DAY_MS);
  };
  const names = await fs.list(files.dir);
  for (const name of names.filter(isPartName)) if (await isOld(name)) await fs.remove(join(files.dir, name));
  const whole = names.filter((name) => !isPartName(name));
  for (const name of whole) {
    const id = /^(.+)\.import\.json$/.exec(name)?.[1];
    if (id === undefined || !isSafeSessionId(id) || (await trash.awaits(id, name))) continue;
    const [facts, original, journal] = [files.importFacts(id), files.original(id), files.journal(id)];
    const own = whole.filter((other) => other.startsWith(`${id}.`));
    // With anything else beside it it is a session whose journal is gone, which the database has. Not so with an empty file that took the
    // journal's name, or with one that a start had moved aside when it was cut off.
    const others = own.map((other) => join(files.dir, other)).filter((path) => path !== facts && path !== original);
    const isOurs = async (path: string): Promise<boolean> =>
      (path === journal || path.startsWith(`${journal}.bad-`)) && isEmptyFile(fs, path);
    if ((await Promise.all(others.map(isOurs))).includes(false)) continue;
    // A part that is still there is the journal that is being written.
    const all = await Promise.all(names.filter((other) => other.startsWith(`${id}.`)).map(isOld));
    if (all.includes(false)) continue;
    // The facts last: by them the next start finds what is left.
    if (!(await removeEmpty(fs, others, journal, `${journal}.bad-${now}`))) continue;
    if (own.includes(basename(original))) await trash.take(original, id, now);
    await fs.remove(facts);
  }
}

/** Removes the empty files of a journal that never came, its name moved aside first. False if one got bytes meanwhile: that one stays. */
async function removeEmpty(fs: JournalFs, paths: readonly string[], journal: string, aside: string): Promise<boolean> {
  if (paths.includes(journal) && !(await moveEmptyFile(fs, journal, aside))) return false;
  for (const path of new Set(paths.map((path) => (path === journal ? aside : path)))) {
    // Who had it open may have written into it.
    if (!(await isEmptyFile(fs, path))) return false;
    await fs.remove(path);
  }
  return true;
}
