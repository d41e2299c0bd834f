import { basename } from 'node:path';
import type { FoundInstead, SessionLog } from '../../ports';
import { errorCode, type JournalFs, moveIfThere } from '../file/fs';
import { dropIndex } from '../file/index-file';
import { UNREADABLE, whatIsThere } from '../file/session-error';
import type { MetaStore } from '../meta/meta-store';
import { describeSession, readMeta } from '../meta/session-meta';
import { copyPath } from './comparisons';
import type { ReconcileSurroundings } from './reconcile';
import { type OldJournal, writeRebuilt } from './session-copies';
import type { StoredLine } from '@shared/types';

type PlaceSurroundings = Pick<ReconcileSurroundings, 'fs' | 'files' | 'trash' | 'clock'>;

interface ReplaceSurroundings extends PlaceSurroundings {
  metas: MetaStore;
  open(sessionId: string): Promise<SessionLog>;
  /** Does `work` while nobody works in the session and its log is closed. */
  moving<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
}

/** Writes a journal anew from another copy's lines; the old one is kept. Null if it is not as it was read any more. */
export async function replaceJournal(
  around: ReplaceSurroundings,
  sessionId: string,
  lines: AsyncIterable<StoredLine[]>,
  rest: readonly StoredLine[],
  old: OldJournal,
): Promise<{ log: SessionLog; found?: FoundInstead } | null> {
  const { fs, files, metas, clock } = around;
  const temporary = `${files.journal(sessionId)}.new`;
  await writeRebuilt(fs, temporary, `${sessionId}.jsonl`, lines, rest);
  const done = await around
    .moving(sessionId, () => putInPlace(around, sessionId, temporary, old))
    .catch(async (error: unknown) => {
      await fs.remove(temporary).catch(() => undefined);
      throw error;
    });
  if (!done) return null;
  const log = await around.open(sessionId);
  if (!metas.get(sessionId)) {
    // Of a journal that was gone the sidecar may still be there, with the title and the folder that the person chose.
    const kept = await readMeta(fs, files.meta(sessionId));
    metas.put(sessionId, kept ?? (await describeSession(log, clock())));
    if (!kept) await metas.save(sessionId);
  }
  return { log, ...done };
}

/** Puts a new journal in the place of what was read there. Null, and nothing done, if it is not so any more. */
async function putInPlace(
  around: PlaceSurroundings,
  sessionId: string,
  temporary: string,
  { size, what }: OldJournal,
): Promise<{ found?: FoundInstead } | null> {
  const { fs, files, trash, clock } = around;
  const journal = files.journal(sessionId);
  const isAsRead = async (): Promise<boolean> => {
    const stat = await fs.stat(journal).catch((error: unknown) => {
      if (whatIsThere(error) === null) throw error;
      return null;
    });
    return (stat?.size ?? null) === size;
  };
  if (await isAsRead()) {
    const isJournal = size !== null && size > 0 && what === undefined;
    if (isJournal) await trash.keepDamaged(journal, sessionId, clock());
    await dropIndex(fs, files.index(sessionId));
    // Copying takes its time: another program may have written meanwhile.
    if (await isAsRead()) {
      const found = isJournal ? undefined : await setAside(around, sessionId, { size, what });
      // An empty file of that name is not set aside.
      const isThere = isJournal || (size === 0 && what === undefined);
      if (!(await replaceBy(fs, temporary, journal, isThere))) return null;
      await fs.syncDir(files.dir);
      return found ? { found } : {};
    }
  }
  await fs.remove(temporary);
  return null;
}

/** Where no journal was, one that comes meanwhile stays. False, and nothing done, then. */
async function replaceBy(fs: JournalFs, temporary: string, journal: string, wasThere: boolean): Promise<boolean> {
  if (wasThere) {
    await fs.rename(temporary, journal);
    return true;
  }
  const isThere = await fs.place(temporary, journal).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
      return false;
    },
  );
  if (!isThere) await fs.remove(temporary);
  return isThere;
}

/**
 * Moves what is in the place of a journal and is none to another name beside it. What may be one that can't be opened gets the name of a
 * copy: it is taken in as soon as it can be read.
 */
async function setAside(
  { fs, files, clock }: PlaceSurroundings,
  sessionId: string,
  { size, what }: OldJournal,
): Promise<FoundInstead | undefined> {
  if (size === 0 && what === undefined) return { what: 'an empty file', keptAs: null };
  const journal = files.journal(sessionId);
  const now = clock();
  const aside = what === UNREADABLE ? copyPath(journal, now) : `${journal}.bad-${now}`;
  const isThere = await moveIfThere(fs, journal, aside);
  return isThere ? { what: what ?? 'a link that leads nowhere', keptAs: basename(aside) } : undefined;
}
