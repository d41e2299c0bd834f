import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs a function in the window's page and returns its result. */
export type InPage = <T>(script: () => T | Promise<T>) => Promise<T>;

/** One copy of one session: how many records, and the SHA-256 of their lines. */
interface Copy {
  count: number;
  digest: string;
}
export type Copies = Record<string, Copy>;

/** How long the two copies may take to agree after a start. */
const AGREE_MS = 20_000;

export function journalPath(home: string, sessionId: string): string {
  return join(home, 'sessions', `${sessionId}.jsonl`);
}

/** The records of a journal as they lie on disk, a torn last one included. */
export function journalLines(home: string, sessionId: string): string[] {
  const lines = readFileSync(journalPath(home, sessionId), 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Ids of the sessions that have a journal. */
export function journalIds(home: string): string[] {
  const folder = join(home, 'sessions');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => /^([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1] ?? []);
}

export function journalCopies(home: string): Copies {
  return Object.fromEntries(
    journalIds(home).map((id) => {
      const lines = journalLines(home, id);
      return [id, { count: lines.length, digest: createHash('sha256').update(lines.join('\n')).digest('hex') }];
    }),
  );
}

/** What the window's database holds, read from the page with the plain API: all records of each session, in order. */
export function databaseCopies(inPage: InPage): Promise<Copies> {
  return inPage(async () => {
    interface Line {
      seq: number;
      line: string;
    }
    const settled = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error(request.error?.message ?? 'failed'));
      });
    const opening = indexedDB.open('espalier');
    // Not there yet: the app makes it, we must not.
    opening.onupgradeneeded = () => opening.transaction?.abort();
    const db = await settled(opening).catch(() => null);
    if (!db) return {};
    const transaction = db.transaction(['records', 'chunks']);
    const rows = (await settled(transaction.objectStore('records').getAll())) as (Line & { sessionId: string })[];
    const chunks = (await settled(transaction.objectStore('chunks').getAll())) as {
      sessionId: string;
      lines: Line[];
    }[];
    db.close();
    const sessions = new Map<string, Line[]>();
    for (const { sessionId, lines } of [...chunks, ...rows.map((row) => ({ sessionId: row.sessionId, lines: [row] }))])
      sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), ...lines]);
    const copies: Record<string, { count: number; digest: string }> = {};
    for (const [sessionId, lines] of sessions) {
      lines.sort((a, b) => a.seq - b.seq);
      const text = lines.map(({ line }) => line).join('\n');
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
      const digest = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      // A gap or a record held twice is no copy, whatever the lines say.
      const isWhole = lines.every(({ seq }, at) => seq === at);
      copies[sessionId] = { count: lines.length, digest: isWhole ? digest : 'gap or duplicate' };
    }
    return copies;
  });
}

/** Sessions whose two copies differ. */
export function differing(journals: Copies, database: Copies): string[] {
  const ids = new Set([...Object.keys(journals), ...Object.keys(database)]);
  return [...ids].filter((id) => journals[id]?.digest !== database[id]?.digest);
}

/** Waits until both copies of every session are alike. Returns the sessions that still differ after 20 s: none, if all is well. */
export async function waitUntilAlike(home: string, inPage: InPage): Promise<string[]> {
  const until = Date.now() + AGREE_MS;
  for (;;) {
    const different = differing(journalCopies(home), await databaseCopies(inPage));
    if (different.length === 0 || Date.now() > until) return different;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
