/** What an import leaves that was cut off by the end of the process. */
import { basename, join } from 'node:path';
import { isEmptyFile, moveEmptyFile } from './fs';
import type { JournalFs } from './fs';
import { isSafeSessionId } from './session-files';
import type { SessionFiles } from './session-files';
import type { Trash } from './trash';
import { isPartName } from './write-whole';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the parts of files that never came to their names, and frees the ids of imports that have no journal yet (JN28). What is younger
 * than a day another computer may be at, in a folder that both have (E1). `now`: Unix milliseconds.
 */
export async function removeHalves(fs: JournalFs, files: SessionFiles, trash: Trash, now: number): Promise<void> {
  const isOld = async (name: string): Promise<boolean> => {
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
    // With anything else beside it it is a session whose journal is gone, which the database has.
    if (own.some((other) => ![facts, original, journal].map((path) => basename(path)).includes(other))) continue;
    const isTaken = own.includes(basename(journal));
    if (isTaken && !(await isEmptyFile(fs, journal))) continue;
    // A part that is still there is the journal that is being written.
    const all = await Promise.all(names.filter((other) => other.startsWith(`${id}.`)).map(isOld));
    if (all.includes(false)) continue;
    if (isTaken) {
      const empty = `${journal}.bad-${now}`;
      if (!(await moveEmptyFile(fs, journal, empty))) continue;
      await fs.remove(empty);
    }
    if (own.includes(basename(original))) await trash.take(original, id, now);
    await fs.remove(facts);
  }
}
