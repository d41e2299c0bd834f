import type { EntityTable, Table } from 'dexie';
import Dexie from 'dexie';
import type { StoredLine, SyncMark } from '@shared/types';

/** The newest records of a session, one row each: an append is one small write. */
export interface RecordRow {
  sessionId: string;
  seq: number;
  id: string;
  line: string;
}
/** A run of up to a hundred older records in one row: about twenty times cheaper to write, five to read (QA6). */
export interface ChunkRow {
  sessionId: string;
  /** Number of the first record; the others follow it without a gap. */
  seq: number;
  lines: StoredLine[];
}
interface DraftRow {
  sessionId: string;
  draft: unknown;
}
/** A file of a draft: written once, under an id of its own. */
export interface DraftFileRow {
  sessionId: string;
  id: string;
  file: unknown;
}
interface UiRow {
  key: string;
  value: unknown;
}

export const DATABASE_NAME = 'espalier';
/** Do not change a table's name or key without a new version and an upgrade that is tested from this one. */
const SCHEMAS: Record<number, Record<string, string>> = {
  1: {
    records: '[sessionId+seq]',
    chunks: '[sessionId+seq]',
    marks: 'sessionId',
    drafts: 'sessionId',
    ui: 'key',
  },
  // A draft of version 1 has its files in its own row, and is read from there until it is written again.
  2: { draftFiles: '[sessionId+id]' },
};
const SCHEMA_VERSION = 2;

/**
 * The window's database: the second copy of every session beside its journal, drafts, and what the window remembers.
 * Strict durability: an acknowledged transaction has reached the disk. `schemaVersion` opens the past in tests.
 */
export class EspalierDatabase extends Dexie {
  declare records: Table<RecordRow, [string, number]>;
  declare chunks: Table<ChunkRow, [string, number]>;
  declare marks: EntityTable<SyncMark, 'sessionId'>;
  declare drafts: EntityTable<DraftRow, 'sessionId'>;
  declare draftFiles: Table<DraftFileRow, [string, string]>;
  declare ui: EntityTable<UiRow, 'key'>;

  /** `engine`: another IndexedDB than the browser's. */
  constructor(
    name = DATABASE_NAME,
    schemaVersion = SCHEMA_VERSION,
    engine?: { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange },
  ) {
    super(name, { chromeTransactionDurability: 'strict', autoOpen: false, ...engine });
    for (const [version, stores] of Object.entries(SCHEMAS)) {
      if (Number(version) <= schemaVersion) this.version(Number(version)).stores(stores);
    }
  }
}

/** A database call that did not settle: on a full disk Chromium leaves transactions pending for ever (QB2). */
export class DatabaseTimeout extends Error {
  override name = 'DatabaseTimeout';
}

/** Milliseconds after which a database call counts as hung. Long enough for a slow disk, short enough to tell. */
const DATABASE_LIMIT_MS = 10_000;

/** Settles as `work` does, or rejects with `DatabaseTimeout`. The work itself can't be taken back. */
export function withTimeLimit<T>(work: PromiseLike<T>, ms = DATABASE_LIMIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new DatabaseTimeout(`The database did not answer within ${ms / 1000} seconds.`)),
      ms,
    );
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

const last = new WeakMap<EspalierDatabase, Promise<unknown>>();

/**
 * Writes one after the other, whatever stores they are of: a kill while two of them are being written can leave a database that Chromium
 * can't read at the next start, and empties. One that hangs is waited for as long as its limit says.
 */
export function inTurn<T>(db: EspalierDatabase, write: () => PromiseLike<T>, limitMs?: number): Promise<T> {
  const begin = (): Promise<T> => withTimeLimit(write(), limitMs);
  const turn = last.get(db)?.then(begin, begin) ?? begin();
  last.set(db, turn);
  const forget = (): void => void (last.get(db) === turn && last.delete(db));
  turn.then(forget, forget);
  return turn;
}
