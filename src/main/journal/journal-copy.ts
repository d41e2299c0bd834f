/** The journal's side of a comparison (docs/specs/safety.md, E1). */
import type { StoredLine } from '@shared/types';
import { NotASessionFileError } from '@shared/session/errors';
import { lineFacts, type LineFacts } from './compare-copies';
import type { JournalFs } from './fs';
import { LogClosedError, whatIsThere } from './session-error';
import type { SessionFiles } from './session-files';
import type { JournalLog } from './session-log';

/** What is in the place of a journal that is to be written anew. */
export interface OldJournal {
  /** Bytes; null if there is none. */
  size: number | null;
  /** Set if it is no file of ours: `a folder`. */
  what?: string;
}

/** What reading one needs of the store. */
interface Reading {
  fs: JournalFs;
  files: SessionFiles;
  using<T>(sessionId: string, work: (log: JournalLog) => Promise<T>): Promise<T>;
}

export interface JournalCopy extends OldJournal {
  facts: LineFacts[];
  /** Lines of it are others than its index knows. */
  hasChanged?: boolean;
}

/**
 * The journal's lines as the comparison looks at them, all of them; null if there is none. Rejects with `LogClosedError` if the end was
 * not reached: who took a part for the whole would replace the journal by less.
 */
export async function readJournal(around: Reading, sessionId: string): Promise<JournalCopy | null> {
  const stat = await around.fs.stat(around.files.journal(sessionId)).catch((error: unknown) => {
    const what = whatIsThere(error);
    if (what === null) throw error;
    return { size: null, what };
  });
  if (!stat) return null;
  const { size } = stat;
  if ('what' in stat) return { ...stat, facts: [] };
  return around
    .using(sessionId, async (log) => {
      const facts: LineFacts[] = [];
      let hasChanged = false;
      for (let before = -1; before < facts.length;) {
        before = facts.length;
        for await (const { lines } of log.lines(facts.length)) {
          for (const { seq, line } of lines) {
            hasChanged ||= log.isChanged(seq);
            facts.push(lineFacts(line, !log.isChanged(seq)));
          }
        }
        // An append whose bytes are in the size, and whose record is not yet in the table, is read as well.
        await log.settled();
      }
      if (facts.length < log.onDisk) throw new LogClosedError();
      return { facts, size: log.size, hasChanged };
    })
    .catch((error: unknown) => {
      // No session any more: its bytes go to the trash when it is written anew. A disk that does not read is another matter.
      if (error instanceof Error && error.cause instanceof NotASessionFileError) return { facts: [], size };
      const what = whatIsThere(error);
      if (what !== null) return { facts: [], size, what };
      throw error;
    });
}

/** The journal's own sound records from a line on: what the other copy lacks. */
export async function linesFrom(
  around: Reading,
  sessionId: string,
  facts: readonly LineFacts[],
  from: number,
): Promise<StoredLine[]> {
  return around.using(sessionId, async (log) => {
    const rest: StoredLine[] = [];
    let next = from;
    for await (const { lines } of log.lines(from)) {
      rest.push(...lines.filter(({ seq }) => facts[seq]?.isSound));
      next += lines.length;
    }
    if (next < facts.length) throw new LogClosedError();
    return rest;
  });
}
