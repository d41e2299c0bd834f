import type { Collection, Table } from 'dexie';
import Dexie from 'dexie';
import { type ChunkRow, type EspalierDatabase, inTurn, type RecordRow, withTimeLimit } from './database';
import type { StoredLine, SyncMark } from '@shared/types';

/** Records of a chunk. */
export const CHUNK = 100;
/**
 * Bytes after which a chunk ends earlier. Chromium puts a row of more than 64 KB into a file of its own, which costs more than
 * ten rows below that, to write and to read.
 */
export const MAX_CHUNK_BYTES = 48_000;

interface Run {
  chunk: ChunkRow;
  /** How much of what a chunk may hold, in records or bytes; from 1 on it is full. */
  fill: number;
}

/** Runs of neighbouring records, each as long as a chunk may be: all but the last of a stretch without gaps are full. O(bytes). */
export function cutIntoChunks(sessionId: string, lines: readonly StoredLine[]): Run[] {
  const runs: Run[] = [];
  let bytes = 0;
  for (const { seq, id, line } of lines) {
    let run = runs.at(-1);
    const goesOn = run && run.fill < 1 && seq === run.chunk.seq + run.chunk.lines.length;
    if (!run || !goesOn) {
      bytes = 0;
      run = { chunk: { sessionId, seq, lines: [] }, fill: 0 };
      runs.push(run);
    }
    run.chunk.lines.push({ seq, id, line });
    bytes += bytesOf(line);
    run.fill = Math.max(run.chunk.lines.length / CHUNK, bytes / MAX_CHUNK_BYTES);
  }
  return runs;
}

/** As the browser stores it: one byte a character, or two each if one of them needs two. */
function bytesOf(line: string): number {
  // Asked this way round it costs nothing for a text that is kept in one byte a character.
  return /[^\x00-\xff]/.test(line) ? 2 * line.length : line.length;
}

/** Rows of a session whose record number is at least `from` and below `to`, in order. */
function keysBetween<Row>(
  table: Table<Row, [string, number]>,
  sessionId: string,
  from: number,
  to: unknown,
): Collection<Row, [string, number]> {
  return table.where('[sessionId+seq]').between([sessionId, from], [sessionId, to], true, false);
}

/** The record with that number, if the chunk has it. */
function findLine(chunk: ChunkRow | undefined, seq: number): StoredLine | undefined {
  return chunk?.lines[seq - chunk.seq];
}

/** Removes every record of a session; to be called in a transaction over both tables. */
async function removeRecords(db: EspalierDatabase, sessionId: string): Promise<void> {
  await keysBetween(db.records, sessionId, 0, Dexie.maxKey).delete();
  await keysBetween(db.chunks, sessionId, 0, Dexie.maxKey).delete();
}

/** Records that stay single rows at the end of a session; older ones are moved into chunks. */
const TAIL = 2 * CHUNK;
/** Single rows moved in one transaction. */
const ARCHIVE_ROWS = 10 * CHUNK;

/** Characters handed to the database in one task. */
const CHARACTERS_A_TASK = 1_000_000;

/** A whole session is moved in one transaction: milliseconds a megabyte, and longer than one write may take. */
const MOVE_LIMIT_MS = 120_000;

/** Lines in order with the running CRC after them. */
export interface Page {
  lines: readonly StoredLine[];
  crc: number;
}

/** What is to be written does not follow what the database has: something else wrote, so everything must be compared again. */
class RecordsOutOfOrder extends Error {
  override name = 'RecordsOutOfOrder';
}

/**
 * Writes pages that follow what is there and moves the mark, in one strict transaction: after it resolves all of it is
 * on disk, or nothing. Long runs become chunks, short ones single rows. `replace` first removes what the database has of
 * the session. Rejects with `RecordsOutOfOrder`, a database error or `DatabaseTimeout`. Returns the new mark.
 */
export async function applyPages(
  db: EspalierDatabase,
  sessionId: string,
  pages: readonly Page[],
  { replace = false }: { replace?: boolean } = {},
): Promise<SyncMark> {
  const lastPage = pages.at(-1);
  const last = lastPage?.lines.at(-1);
  const first = pages[0]?.lines[0];
  if (!lastPage || !last || !first) throw new Error('There is nothing to write.');
  const mark: SyncMark = { sessionId, seq: last.seq, crc: lastPage.crc };
  const chunks: ChunkRow[] = [];
  const rows: RecordRow[] = [];
  const lines = pages.flatMap((page) => page.lines);
  for (const { chunk, fill } of cutIntoChunks(sessionId, lines)) {
    if (fill >= 0.5) chunks.push(chunk);
    else rows.push(...chunk.lines.map((line) => ({ sessionId, ...line })));
  }
  await inTurn(db, () =>
    db.transaction('rw', db.records, db.chunks, db.marks, async () => {
      if (replace) await removeRecords(db, sessionId);
      else await expectNext(db, sessionId, first.seq);
      for (const some of inTasks(chunks, ({ lines: held }) => charactersOf(held))) await db.chunks.bulkPut(some);
      for (const some of inTasks(rows, ({ line }) => line.length)) await db.records.bulkPut(some);
      await db.marks.put(mark);
    }),
  );
  return mark;
}

/** Parts of what is written, each small enough for one task: the browser copies all that it is handed at once. */
function* inTasks<T>(items: readonly T[], characters: (item: T) => number): Generator<T[]> {
  let some: T[] = [];
  let held = 0;
  for (const item of items) {
    some.push(item);
    held += characters(item);
    if (held < CHARACTERS_A_TASK) continue;
    yield some;
    some = [];
    held = 0;
  }
  if (some.length > 0) yield some;
}

function charactersOf(lines: readonly StoredLine[]): number {
  return lines.reduce((sum, { line }) => sum + line.length, 0);
}

async function expectNext(db: EspalierDatabase, sessionId: string, seq: number): Promise<void> {
  const there = (await db.marks.get(sessionId))?.seq ?? -1;
  if (there !== seq - 1) throw new RecordsOutOfOrder(`Record ${seq} does not follow record ${there}.`);
}

/** Moves single rows that lie behind the tail into chunks. Returns how many chunks were made. Safe to repeat. */
export async function archiveOlder(db: EspalierDatabase, sessionId: string, lastSeq: number): Promise<number> {
  let made = 0;
  for (;;) {
    const { chunks, isMore } = await archiveSome(db, sessionId, lastSeq + 1 - TAIL);
    made += chunks;
    if (!isMore) return made;
  }
}

const NONE = { chunks: 0, isMore: false };

function archiveSome(db: EspalierDatabase, sessionId: string, below: number): Promise<typeof NONE> {
  if (below < CHUNK) return Promise.resolve(NONE);
  return inTurn(db, () =>
    db.transaction('rw', db.records, db.chunks, async () => {
      const old = await keysBetween(db.records, sessionId, 0, below).limit(ARCHIVE_ROWS).toArray();
      const runs = cutIntoChunks(sessionId, old);
      // The last run may still grow; it waits until it is full.
      if ((runs.at(-1)?.fill ?? 0) < 1) runs.pop();
      const last = runs.at(-1)?.chunk;
      if (!last) return NONE;
      await db.chunks.bulkPut(runs.map(({ chunk }) => chunk));
      await keysBetween(db.records, sessionId, 0, last.seq + last.lines.length).delete();
      return { chunks: runs.length, isMore: old.length === ARCHIVE_ROWS };
    }),
  );
}

/** Lines of the given entries, from single rows or chunks; those it lacks are left out. */
export async function loadLines(
  db: EspalierDatabase,
  sessionId: string,
  wanted: readonly { id: string; seq: number }[],
): Promise<StoredLine[]> {
  const keys = wanted.map(({ seq }): [string, number] => [sessionId, seq]);
  const single = await withTimeLimit(db.records.bulkGet(keys));
  const found: StoredLine[] = [];
  const elsewhere: { id: string; seq: number }[] = [];
  wanted.forEach(({ id, seq }, index) => {
    const row = single[index];
    if (!row) elsewhere.push({ id, seq });
    else if (row.id === id) found.push({ seq, id, line: row.line });
  });
  let chunk: ChunkRow | undefined;
  for (const { id, seq } of elsewhere.sort((a, b) => a.seq - b.seq)) {
    if (!findLine(chunk, seq)) chunk = await withTimeLimit(keysBetween(db.chunks, sessionId, 0, seq + 1).last());
    const line = findLine(chunk, seq);
    if (line?.id === id) found.push(line);
  }
  return found;
}

/** All lines of a session in order, up to a hundred at a time. */
export async function* allLines(db: EspalierDatabase, sessionId: string): AsyncGenerator<StoredLine[]> {
  let next = 0;
  for (;;) {
    const chunk = await withTimeLimit(keysBetween(db.chunks, sessionId, next, Dexie.maxKey).first());
    for (;;) {
      const before = keysBetween(db.records, sessionId, next, chunk?.seq ?? Dexie.maxKey);
      const rows = await withTimeLimit(before.limit(CHUNK).toArray());
      const last = rows.at(-1);
      if (!last) break;
      yield rows.map(({ seq, id, line }) => ({ seq, id, line }));
      next = last.seq + 1;
    }
    if (!chunk) return;
    yield chunk.lines;
    next = chunk.seq + chunk.lines.length;
  }
}

/** How far the database has each session. */
export function readMarks(db: EspalierDatabase): Promise<SyncMark[]> {
  return withTimeLimit(db.marks.toArray());
}

/**
 * Gives all records of a session to another one, under its header, in one strict transaction; `mark`: how far it has them then.
 * A session that is there already keeps its own: then the records only go. The draft stays where it was typed. Rejects with
 * `RecordsOutOfOrder` if they are not as far as `mark` says.
 */
export async function moveSession(
  db: EspalierDatabase,
  from: string,
  mark: SyncMark,
  header: StoredLine,
): Promise<SyncMark> {
  const to = mark.sessionId;
  return inTurn(
    db,
    () =>
      db.transaction('rw', db.records, db.chunks, db.marks, async () => {
        const there = await db.marks.get(to);
        const moved = await db.marks.get(from);
        if (!there) {
          if (moved?.seq !== mark.seq) throw new RecordsOutOfOrder(`There is no record ${mark.seq} to be moved.`);
          const withHeader = (line: StoredLine): StoredLine => (line.seq === header.seq ? header : line);
          await eachOf(db.chunks, from, (chunk) =>
            db.chunks.put({ ...chunk, sessionId: to, lines: chunk.lines.map(withHeader) }),
          );
          await eachOf(db.records, from, ({ seq, id, line }) =>
            db.records.put({ sessionId: to, ...withHeader({ seq, id, line }) }),
          );
          await db.marks.put(mark);
        }
        await removeRecords(db, from);
        await db.marks.delete(from);
        return there ?? mark;
      }),
    MOVE_LIMIT_MS,
  );
}

/** Rows of a session one after the other, some hundred at a time: a long one is never in memory whole. */
async function eachOf<Row extends { seq: number }>(
  table: Table<Row, [string, number]>,
  sessionId: string,
  work: (row: Row) => PromiseLike<unknown>,
): Promise<void> {
  for (let next = 0; ;) {
    const rows = await keysBetween(table, sessionId, next, Dexie.maxKey).limit(CHUNK).toArray();
    const last = rows.at(-1);
    if (!last) return;
    await Promise.all(rows.map((row) => work(row)));
    next = last.seq + 1;
  }
}

/** Forgets a session: its records and its mark. Its draft is the window's to remove: an undo may have put it back by now. */
export async function dropSession(db: EspalierDatabase, sessionId: string): Promise<void> {
  await inTurn(db, () =>
    db.transaction('rw', db.records, db.chunks, db.marks, async () => {
      await removeRecords(db, sessionId);
      await db.marks.delete(sessionId);
    }),
  );
}
