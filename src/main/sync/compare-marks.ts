import type { SyncMark } from '@shared/ipc/types';

export interface SyncPlan {
  /** What the database lacks, from which record on. 0: all of it, replacing what it has. */
  fetch: { sessionId: string; fromSeq: number }[];
  /** Sessions whose journal is gone, shorter or damaged: the database's lines are asked for. */
  upload: string[];
  /** Sessions that were deleted while the database did not look. */
  drop: string[];
}

export interface JournalView {
  marks: readonly SyncMark[];
  /** Sessions whose journal was found damaged at start. */
  damaged: ReadonlySet<string>;
  trashed: ReadonlySet<string>;
  crcAt(sessionId: string, seq: number): Promise<number | null>;
}

/**
 * Compares the two copies of every session by record number and running CRC (DESIGN.md, storage; quality.md B2, B3):
 * whichever is behind gets what it lacks, so that the union wins. Where both differ at the same place the journal wins,
 * unless it is the damaged one.
 */
export async function compareMarks(database: readonly SyncMark[], journal: JournalView): Promise<SyncPlan> {
  const plan: SyncPlan = { fetch: [], upload: [], drop: [] };
  const inDatabase = new Map(database.map((mark) => [mark.sessionId, mark]));
  const inJournal = new Set(journal.marks.map((mark) => mark.sessionId));

  for (const mark of journal.marks) {
    const other = inDatabase.get(mark.sessionId);
    if (!other || other.seq < 0) {
      plan.fetch.push({ sessionId: mark.sessionId, fromSeq: 0 });
      continue;
    }
    if (
      other.seq > mark.seq ||
      (journal.damaged.has(mark.sessionId) && other.seq === mark.seq && other.crc !== mark.crc)
    ) {
      plan.upload.push(mark.sessionId);
      continue;
    }
    if (other.seq === mark.seq && other.crc === mark.crc) continue;
    const same = (await journal.crcAt(mark.sessionId, other.seq)) === other.crc;
    if (same) plan.fetch.push({ sessionId: mark.sessionId, fromSeq: other.seq + 1 });
    else if (journal.damaged.has(mark.sessionId)) plan.upload.push(mark.sessionId);
    else plan.fetch.push({ sessionId: mark.sessionId, fromSeq: 0 });
  }
  for (const mark of database) {
    if (inJournal.has(mark.sessionId) || mark.seq < 0) continue;
    if (journal.trashed.has(mark.sessionId)) plan.drop.push(mark.sessionId);
    else plan.upload.push(mark.sessionId);
  }
  return plan;
}
