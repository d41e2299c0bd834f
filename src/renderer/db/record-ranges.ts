import Dexie, { type Collection, type Table } from 'dexie';
import type { StoredLine } from '@shared/types';
import type { ChunkRow, EspalierDatabase } from './database';

/** Rows of a session whose record number is at least `from` and below `to`, in order. */
export function keysBetween<Row>(
  table: Table<Row, [string, number]>,
  sessionId: string,
  from: number,
  to: unknown,
): Collection<Row, [string, number]> {
  return table.where('[sessionId+seq]').between([sessionId, from], [sessionId, to], true, false);
}

/** The record with that number, if the chunk has it. */
export function findLine(chunk: ChunkRow | undefined, seq: number): StoredLine | undefined {
  return chunk?.lines[seq - chunk.seq];
}

/** Removes every record of a session; to be called in a transaction over both tables. */
export async function removeRecords(db: EspalierDatabase, sessionId: string): Promise<void> {
  await keysBetween(db.records, sessionId, 0, Dexie.maxKey).delete();
  await keysBetween(db.chunks, sessionId, 0, Dexie.maxKey).delete();
}
