import { rmSync } from 'node:fs';
import type { Database as SqliteDatabase, Statement } from 'node-sqlite3-wasm';
import sqlite from 'node-sqlite3-wasm';

// CommonJS, whose names not every loader finds: the default is all of them.
const { Database } = sqlite;
export const { SQLite3Error } = sqlite;

/** Another number, and what an older Espalier left is made anew. */
const VERSION = 6;
/** Rows of a session are numbered from its own number on: which session a row belongs to is said by its number. */
export const ROWS_A_SESSION = 2 ** 21;
/** Pages merged by one step, some milliseconds. */
const MERGE_PAGES = 16;

/** How far a journal was read: what of it is in the index. */
export interface ReadSession {
  no: number;
  sessionId: string;
  /** Device and inode of the file, its size and when it was written, as they were when it was read. */
  identity: string;
  size: number;
  modifiedMs: number;
  /** Bytes read, up to the end of a line, and the last of them, by which the file is known again. */
  offset: number;
  tail: Uint8Array;
  /** By line: a place of `PLACES`. Lines behind its end are the first of them. */
  places: Uint8Array;
  /** Where branches leave the path (`forkAt`). */
  forks: Uint32Array;
}

/** What a row must have besides words. */
export interface RowFilter {
  /** Numbers of sessions; null: any. */
  sessions: readonly number[] | null;
  /** A number of `WRITERS`; null: any. */
  writer: number | null;
  /** Unix milliseconds; 0: any. */
  since: number;
}

/** An entry's line in the journal, and its words. */
export interface IndexedLine {
  seq: number;
  entryId: string;
  offset: number;
  length: number;
  /** A number of `WRITERS`; -1: none of them. */
  writer: number;
  /** Unix milliseconds; 0: it has none. */
  time: number;
  parts: string;
  names: string;
}

interface FoundLine {
  entryId: string;
  offset: number;
  length: number;
  /** When it was said, Unix milliseconds. */
  time: number;
}

/**
 * The full-text index: a cache in one SQLite file (docs/decisions/0027-search-index.md). Every method takes the time of its
 * work: it belongs in a thread of its own. @throws SQLite3Error, also where the file is damaged; then `rebuild` it.
 */
export class SearchDb {
  private db!: SqliteDatabase;
  private statements = new Map<string, Statement>();
  private isMarked = false;
  private mergesWhileAdding: boolean | null = null;

  constructor(private readonly file: string) {
    try {
      this.open();
    } catch {
      // Of another version, damaged, or no database at all.
      this.rebuild();
    }
  }

  /** Begins with nothing. */
  rebuild(): void {
    try {
      this.shut();
    } catch {
      // What is damaged may not close either.
    }
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(this.file + end, { force: true });
    this.open();
  }

  private open(): void {
    // Held by a process that was killed: only one runs on a data folder.
    rmSync(`${this.file}.lock`, { recursive: true, force: true });
    this.db = new Database(this.file);
    this.db.exec(
      'PRAGMA page_size=8192; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16000; PRAGMA secure_delete=ON;',
    );
    // Nothing waits for the disk: what a power cut breaks is found by its mark and made anew.
    this.db.exec('PRAGMA synchronous=OFF; PRAGMA journal_mode=TRUNCATE;');
    const version = Number(this.one('PRAGMA user_version', []).user_version);
    if (version === 0) this.make();
    else if (version !== VERSION) throw new Error('It is of another version.');
    else if (this.one('SELECT clean FROM mark', []).clean !== 1) this.check();
    // What can't be listed can't be kept up to date.
    this.sessions();
  }

  private make(): void {
    this.db.exec(`BEGIN;
      CREATE TABLE mark (clean INTEGER);
      INSERT INTO mark VALUES (1);
      CREATE TABLE session (no INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, identity TEXT, size INTEGER,
        modified REAL, offset INTEGER, tail BLOB, places BLOB, forks BLOB);
      CREATE TABLE line (row INTEGER PRIMARY KEY, entry TEXT, offset INTEGER, length INTEGER, writer INTEGER,
        time REAL);
      CREATE VIRTUAL TABLE word USING fts5(parts, names, content='', contentless_delete=1, tokenize='ascii', prefix='2 3');
      INSERT INTO word(word, rank) VALUES('crisismerge', 64);
      PRAGMA user_version=${VERSION};
      COMMIT;`);
  }

  private check(): void {
    if (this.one('PRAGMA quick_check(1)', []).quick_check !== 'ok') throw new Error('It is damaged.');
    this.db.exec("INSERT INTO word(word) VALUES('integrity-check')");
  }

  sessions(): ReadSession[] {
    const rows = this.all('SELECT no, id, identity, size, modified, offset, tail, places, forks FROM session', []);
    return rows.map((row) => ({
      no: Number(row.no),
      sessionId: String(row.id),
      identity: String(row.identity),
      size: Number(row.size),
      modifiedMs: Number(row.modified),
      offset: Number(row.offset),
      tail: bytesOf(row.tail),
      places: bytesOf(row.places),
      forks: new Uint32Array(bytesOf(row.forks).slice().buffer),
    }));
  }

  /** The number of a new session. */
  addSession(sessionId: string): number {
    this.run('INSERT INTO session (id, identity, size, modified, offset) VALUES (?, ?, 0, 0, 0)', [sessionId, '']);
    return Number(this.one('SELECT no FROM session WHERE id = ?', [sessionId]).no);
  }

  /** Writes how far a session was read. `withPlaces` false: they are as they were. */
  keepSession(read: ReadSession, withPlaces: boolean): void {
    const { no, identity, size, modifiedMs, offset, tail, places, forks } = read;
    this.run('UPDATE session SET identity = ?, size = ?, modified = ?, offset = ?, tail = ? WHERE no = ?', [
      ...[identity, size, modifiedMs, offset, tail, no],
    ]);
    const bytes = new Uint8Array(forks.buffer, forks.byteOffset, forks.byteLength);
    if (withPlaces) this.run('UPDATE session SET places = ?, forks = ? WHERE no = ?', [places, bytes, no]);
  }

  add(no: number, { seq, entryId, offset, length, writer, time, parts, names }: IndexedLine): void {
    const row = no * ROWS_A_SESSION + seq;
    this.run('INSERT OR REPLACE INTO line VALUES (?, ?, ?, ?, ?, ?)', [row, entryId, offset, length, writer, time]);
    this.run('INSERT INTO word(rowid, parts, names) VALUES (?, ?, ?)', [row, parts, names]);
  }

  /** Removes some of the rows of a session, and at last the session. @returns whether that was all */
  removeSome(no: number, most: number): boolean {
    const rows = this.all('SELECT row FROM line WHERE row >= ? AND row < ? LIMIT ?', [...rangeOf(no), most]);
    for (const { row } of rows) {
      this.run('DELETE FROM word WHERE rowid = ?', [row as number]);
      this.run('DELETE FROM line WHERE row = ?', [row as number]);
    }
    if (rows.length === most) return false;
    this.run('DELETE FROM session WHERE no = ?', [no]);
    return true;
  }

  /** Rows with these words (`matchExpression`), the highest number first. `no`: of one session alone. */
  find(expression: string, most: number, no?: number): number[] {
    const within = no === undefined ? [0, Number.MAX_SAFE_INTEGER] : rangeOf(no);
    const rows = this.all(
      'SELECT rowid FROM word WHERE word MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
      [expression, ...within, most],
    );
    return rows.map(({ rowid }) => Number(rowid));
  }

  /** The same of those that a filter lets through. Each row with the words is looked up: microseconds a row. */
  findAmong(expression: string, most: number, { sessions, writer, since }: RowFilter, no?: number): number[] {
    const within = no === undefined ? [0, Number.MAX_SAFE_INTEGER] : rangeOf(no);
    const rows = this.all(
      `SELECT word.rowid AS found FROM word CROSS JOIN line ON line.row = word.rowid
        WHERE word MATCH ? AND word.rowid >= ? AND word.rowid < ? AND line.time >= ? AND line.writer BETWEEN ? AND ?
          AND (? = 0 OR word.rowid / ${ROWS_A_SESSION} IN (SELECT value FROM json_each(?)))
        ORDER BY word.rowid DESC LIMIT ?`,
      [
        ...[expression, ...within, since, writer ?? -1, writer ?? Number.MAX_SAFE_INTEGER],
        ...[sessions ? 1 : 0, JSON.stringify(sessions ?? []), most],
      ],
    );
    return rows.map(({ found }) => Number(found));
  }

  /** Entries of a session with these words, the last one first. */
  findEntries(expression: string, most: number, no: number): string[] {
    const rows = this.all(
      `SELECT line.entry AS found FROM word CROSS JOIN line ON line.row = word.rowid
        WHERE word MATCH ? AND word.rowid >= ? AND word.rowid < ? ORDER BY word.rowid DESC LIMIT ?`,
      [expression, ...rangeOf(no), most],
    );
    return rows.map(({ found }) => String(found));
  }

  line(row: number): FoundLine | null {
    const [found] = this.all('SELECT entry, offset, length, time FROM line WHERE row = ?', [row]);
    if (!found) return null;
    const [offset = 0, length = 0, time = 0] = [found.offset, found.length, found.time].map(Number);
    return { entryId: String(found.entry), offset, length, time };
  }

  /** The row of an entry; null if the session has none of that id. */
  rowOf(no: number, entryId: string): number | null {
    const [found] = this.all('SELECT row FROM line WHERE row >= ? AND row < ? AND entry = ?', [
      ...rangeOf(no),
      entryId,
    ]);
    return found ? Number(found.row) : null;
  }

  /** All of it or nothing. */
  atOnce<T>(work: () => T): T {
    if (!this.isMarked) this.db.exec('UPDATE mark SET clean = 0');
    this.isMarked = true;
    this.db.exec('BEGIN');
    try {
      const result = work();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * Whether what is added puts parts of the index together at once: good where much comes. Else `merge` does it in between, and
   * an append is never long.
   */
  mergeWhileAdding(isOn: boolean): void {
    if (this.mergesWhileAdding === isOn) return;
    this.run('INSERT INTO word(word, rank) VALUES (?, ?)', ['automerge', isOn ? 12 : 0]);
    this.mergesWhileAdding = isOn;
  }

  /**
   * Puts parts of the index together, a few pages at a time; what was removed goes with that.
   * @param begins all of it is to become one part, from here on
   * @returns whether there is more to do
   */
  merge(begins: boolean): boolean {
    const before = Number(this.one('SELECT total_changes() AS n', []).n);
    this.run('INSERT INTO word(word, rank) VALUES (?, ?)', ['merge', begins ? -MERGE_PAGES : MERGE_PAGES]);
    return Number(this.one('SELECT total_changes() AS n', []).n) - before >= 2;
  }

  /** Never throws: what is not put down well is checked when it is opened. */
  close(): void {
    try {
      if (this.isMarked) this.db.exec('UPDATE mark SET clean = 1');
      this.shut();
    } catch {
      // The process ends it.
    }
  }

  private shut(): void {
    const { statements } = this;
    this.statements = new Map();
    this.isMarked = false;
    this.mergesWhileAdding = null;
    for (const statement of statements.values()) statement.finalize();
    if (this.db?.isOpen) this.db.close();
  }

  private prepared(sql: string): Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    const made = this.db.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }

  private run(sql: string, values: Values): void {
    this.prepared(sql).run(values);
  }

  private all(sql: string, values: Values): Record<string, unknown>[] {
    return this.prepared(sql).all(values);
  }

  private one(sql: string, values: Values): Record<string, unknown> {
    return this.all(sql, values)[0] ?? {};
  }
}

type Values = (string | number | Uint8Array)[];

const rangeOf = (no: number): [number, number] => [no * ROWS_A_SESSION, (no + 1) * ROWS_A_SESSION];

const bytesOf = (value: unknown): Uint8Array => (value instanceof Uint8Array ? value : new Uint8Array());
