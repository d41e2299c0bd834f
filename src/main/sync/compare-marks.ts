import type { SyncMark } from '@shared/types';

export interface SyncPlan {
  /** What the database lacks, from which record on. 0: all of it; it has none of the session. */
  fetch: { sessionId: string; fromSeq: number }[];
  /** Sessions whose copies can't be told by their marks: the database's lines are asked for and compared with the journal's. */
  upload: string[];
  /** Sessions that were deleted while the database did not look. */
  drop: string[];
}

export interface JournalView {
  marks: readonly SyncMark[];
  trashed: ReadonlySet<string>;
  crcAt(sessionId: string, seq: number): Promise<number | null>;
  trashedCrcAt(sessionId: string, seq: number): Promise<number | null>;
}

/**
 * Compares the two copies of every session by record number and running CRC (docs/specs/safety.md, E1). Nothing is decided by a
 * count: the journal's lines go to the database only behind a beginning that both have, and a session is forgotten only if what
 * is in the trash begins with all that the database has. Whatever these figures can't tell is compared line by line.
 */
export async function compareMarks(database: readonly SyncMark[], journal: JournalView): Promise<SyncPlan> {
  const plan: SyncPlan = { fetch: [], upload: [], drop: [] };
  const inDatabase = new Map(database.map((mark) => [mark.sessionId, mark]));
  const inJournal = new Set(journal.marks.map((mark) => mark.sessionId));

  for (const { sessionId, seq, crc } of journal.marks) {
    const other = inDatabase.get(sessionId);
    if (!other || other.seq < 0) plan.fetch.push({ sessionId, fromSeq: 0 });
    else if (other.seq === seq && other.crc === crc) continue;
    else if (other.seq < seq && (await journal.crcAt(sessionId, other.seq)) === other.crc)
      plan.fetch.push({ sessionId, fromSeq: other.seq + 1 });
    else plan.upload.push(sessionId);
  }
  for (const { sessionId, seq, crc } of database) {
    if (inJournal.has(sessionId) || seq < 0) continue;
    const isDeleted = journal.trashed.has(sessionId) && (await journal.trashedCrcAt(sessionId, seq)) === crc;
    (isDeleted ? plan.drop : plan.upload).push(sessionId);
  }
  return plan;
}
