/** What an import leaves that was cut off by the end of the process: at the next start nobody writes it any more. */
import { basename, join } from 'node:path';
import type { JournalFs } from './fs';
import { isSafeSessionId } from './session-files';
import type { SessionFiles } from './session-files';
import type { Trash } from './trash';
import { isPartName } from './write-whole';

/**
 * Removes the parts of files that never came to their names, and frees the ids of imports that have no journal yet (JN28). Call once, before
 * anything is written.
 */
export async function removeHalves(fs: JournalFs, files: SessionFiles, trash: Trash, now: number): Promise<void> {
  const names = await fs.list(files.dir);
  for (const name of names.filter(isPartName)) await fs.remove(join(files.dir, name));
  const whole = names.filter((name) => !isPartName(name));
  for (const name of whole) {
    const id = /^(.+)\.import\.json$/.exec(name)?.[1];
    if (id === undefined || !isSafeSessionId(id) || (await trash.awaits(id, name))) continue;
    const [facts, original] = [files.importFacts(id), files.original(id)];
    const own = whole.filter((other) => other.startsWith(`${id}.`));
    // With anything else beside it it is a session whose journal is gone, which the database has.
    if (own.some((other) => other !== basename(facts) && other !== basename(original))) continue;
    if (own.includes(basename(original))) await trash.take(original, id, now);
    await fs.remove(facts);
  }
}
