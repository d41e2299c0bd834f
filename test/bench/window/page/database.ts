import Dexie from 'dexie';
import { applyPages, archiveOlder, cutIntoChunks, type Page } from '../../../../src/renderer/db/session-records';
import { EspalierDatabase, type ChunkRow } from '../../../../src/renderer/db/database';
import { PageWriter } from '../../../../src/renderer/db/page-writer';

const SESSION = 'measured';
const NAME = 'bench';
/** What one entry of a session takes on average (QA6). */
const LINE_CHARS = 2_000;
/** Records of a page as main sends it. */
const PAGE = 100;

export interface DatabaseTimes {
  /** Milliseconds of each batch. */
  batches: number[];
  importMs: number;
  archiveMs: number;
  /** The same rows put into a bare IndexedDB in one strict transaction. */
  bareMs: number;
  /** Moving as many single rows, which the app never does at once. */
  moveMs: number;
  /** Records that are there after the moving; all of them, or the times mean nothing. */
  kept: number;
}

function linesFrom(first: number, count: number): Page['lines'] {
  return Array.from({ length: count }, (_, index) => {
    const seq = first + index;
    const text = `${seq} lorem ipsum dolor sit amet `.repeat(100).slice(0, LINE_CHARS);
    return { seq, id: String(seq).padStart(8, '0'), line: JSON.stringify({ id: seq, text }) };
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function withDatabase<T>(work: (db: EspalierDatabase) => Promise<T>): Promise<T> {
  await Dexie.delete(NAME);
  const db = new EspalierDatabase(NAME);
  await db.open();
  try {
    return await work(db);
  } finally {
    db.close();
    await Dexie.delete(NAME);
  }
}

/** Records of a batch that are kept as single rows. */
const FEW = 10;

/** Appends `count` records as a run does, batch by batch. */
async function writeBatches(db: EspalierDatabase, count: number, size: number): Promise<number[]> {
  const times: number[] = [];
  for (let seq = 0; seq < count; seq += size) {
    const page = { lines: linesFrom(seq, size), crc: seq };
    times.push(await timed(() => applyPages(db, SESSION, [page])));
  }
  return times;
}

/** Pages of an import, waiting for room as the persister does. */
async function importPages(db: EspalierDatabase, pages: readonly Page[]): Promise<void> {
  const writer = new PageWriter(db, SESSION, true, () => undefined);
  for (const page of pages) await writer.push(page);
  await writer.settle();
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });

/** The least that an archive can be: its rows are made, nothing is checked, no library stands in between. */
async function putBare(rows: readonly ChunkRow[]): Promise<number> {
  const name = `${NAME}-bare`;
  await settled(indexedDB.deleteDatabase(name));
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore('chunks', { keyPath: ['sessionId', 'seq'] });
  const db = await settled(opening);
  try {
    return await timed(
      () =>
        new Promise<void>((resolve, reject) => {
          const transaction = db.transaction('chunks', 'readwrite', { durability: 'strict' });
          transaction.oncomplete = () => resolve();
          transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB gave up'));
          const store = transaction.objectStore('chunks');
          for (const row of rows) store.put(row);
        }),
    );
  } finally {
    db.close();
    await settled(indexedDB.deleteDatabase(name));
  }
}

/** The database's own code on `count` records in a database of its own (QP12). */
export async function measureDatabase(count: number): Promise<DatabaseTimes> {
  const pages: Page[] = [];
  for (let seq = 0; seq < count; seq += PAGE) pages.push({ lines: linesFrom(seq, PAGE), crc: seq });
  const batches = await withDatabase((db) => writeBatches(db, 4_000, 20));
  const importMs = await withDatabase((db) => timed(() => importPages(db, pages)));
  const archiveMs = await withDatabase((db) => timed(() => applyPages(db, SESSION, pages)));
  const lines = pages.flatMap((page) => page.lines);
  const bareMs = await putBare(cutIntoChunks(SESSION, lines).map(({ chunk }) => chunk));
  return withDatabase(async (db) => {
    await writeBatches(db, count, FEW);
    const moveMs = await timed(() => archiveOlder(db, SESSION, count - 1));
    const chunks = await db.chunks.toArray();
    const kept = chunks.reduce((sum, chunk) => sum + chunk.lines.length, 0) + (await db.records.count());
    return { batches, importMs, archiveMs, bareMs, moveMs, kept };
  });
}
