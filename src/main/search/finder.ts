import { closeSync, constants, openSync, readSync } from 'node:fs';
import { MAX_LINE_BYTES } from '@shared/record-limits';
import {
  type Asked,
  type ForkHits,
  noCounts,
  type PathHit,
  type Place,
  type PlaceCounts,
  type SearchAnswer,
  type SearchHit,
  type SessionAnswer,
  type SessionHits,
  type TreeAnswer,
  type TreeExcerpt,
  type TreeHit,
  type Writer,
  WRITERS,
} from '@shared/search/types';
import { findIn, matchExpression, readQuery, type Query } from '@shared/search/words';
import type { SessionFiles } from '../journal/file/session-files';
import { authorOf, textOfEntry } from './searched-entry';
import { firstPlaces, lacks, snippetOf } from './snippet';
import { ROWS_A_SESSION, type ReadSession, type RowFilter, type SearchDb } from './search-db';
import { forkAt, placeAt, type ReadLines } from './standing';
/** Hits that are counted. */
const MOST_HITS = 20_000;
/** Hits of the shown path that can be walked. */
const MOST_PATH_HITS = 10_000;
/** Messages that are read to see how their letters are written, and how long that may take. */
const MOST_CHECKED = 4_000;
const CHECK_MS = 400;
/** Entries of one session that are listed, as a phrase and in all. */
const MOST_IN_TREE = 10_000;
/** Bytes of lines that are read for the excerpts of one screen, the last one whole. */
const MOST_SCREEN_BYTES = 16 * 1024 * 1024;
/** Sessions of an answer, and hits of each. */
const MOST_SESSIONS = 30;
/** Bytes of lines that are read for the excerpts of an answer, the last one whole: beyond them no more is listed. */
const MOST_EXCERPT_BYTES = 64 * 1024 * 1024;

interface Progress {
  unread(): number;
  isUnread(sessionId: string): boolean;
  isGone(sessionId: string): boolean;
  /** Its file is not what was read. */
  touch(sessionId: string): void;
}

export interface Wanted extends Asked {
  /** Hits of this place alone are listed; all are counted. */
  place: Place | null;
  /** Of this session alone. */
  sessionId?: string;
  /** Of these sessions alone. */
  sessionIds?: readonly string[];
  /** What these wrote alone. */
  writer?: Writer;
  /** What is not older alone, Unix milliseconds. */
  since?: number;
  /** Hits of each session that are skipped, and listed. */
  skip: number;
  most: number;
}

interface Rows {
  query: Query;
  /** Highest number first. */
  rows: number[];
  isPartial: boolean;
}

/** Answers from the index; what is shown of a hit is read from its journal. Takes milliseconds, and bounded ones. */
export class Finder {
  constructor(
    private readonly db: SearchDb,
    private readonly known: ReadonlyMap<string, ReadSession>,
    private readonly files: SessionFiles,
    private readonly progress: Progress,
  ) {}

  /** Hits in all sessions, or in one. */
  all(wanted: Wanted): SearchAnswer {
    const { sessionId, place, skip, most } = wanted;
    const found = this.rowsOf(wanted, sessionId, this.filterOf(wanted));
    const counts = noCounts();
    const ofSessions: { read: ReadSession; counts: PlaceCounts; rows: number[] }[] = [];
    for (const [read, rows] of this.bySession(found.rows)) {
      const own = noCounts();
      for (const row of rows) own[placeOf(read, row)]++;
      for (const at of Object.keys(own) as Place[]) counts[at] += own[at];
      const listed = place === null ? rows : rows.filter((row) => placeOf(read, row) === place);
      if (listed.length > 0) ofSessions.push({ read, counts: own, rows: listed });
    }
    ofSessions.sort((a, b) => b.read.modifiedMs - a.read.modifiedMs);
    const room = { bytes: MOST_EXCERPT_BYTES };
    const sessions: SessionHits[] = [];
    for (const { read, counts: own, rows } of ofSessions.slice(0, MOST_SESSIONS)) {
      // How many are listed is said.
      if (room.bytes <= 0) break;
      const hits = this.hitsOf(read, rows.slice(skip, skip + most), found.query, room);
      sessions.push({ sessionId: read.sessionId, counts: own, hits });
    }
    const sessionCount = ofSessions.length;
    return { sessions, counts, sessionCount, isPartial: found.isPartial, unread: this.progress.unread() };
  }

  /** Hits on the path of a session, HEAD's or the one that is read, to be walked, and how many others there are. */
  inSession(sessionId: string, asked: Asked, lines?: ReadLines): SessionAnswer {
    const { rows, isPartial } = this.rowsOf(asked, sessionId);
    const read = this.known.get(sessionId);
    const onPath: { row: number; place: Place }[] = [];
    const atForks = new Map<number | null, number>();
    for (const row of read ? rows.reverse() : []) {
      const { forks } = lines ?? (read as ReadSession);
      const place = placeOf(read as ReadSession, row);
      const isOff = lines ? lines.onPath[row % ROWS_A_SESSION] !== 1 : place === 'branch';
      if (isOff) {
        const fork = forkAt(forks, row % ROWS_A_SESSION);
        atForks.set(fork, (atForks.get(fork) ?? 0) + 1);
      } else onPath.push({ row, place });
    }
    // The walk begins at the newest.
    const path = onPath.slice(-MOST_PATH_HITS).flatMap(({ row, place }): PathHit[] => {
      const line = this.db.line(row);
      return line ? [{ entryId: line.entryId, place }] : [];
    });
    const isCut = onPath.length > MOST_PATH_HITS;
    const forks = [...atForks].map(([seq, count]): ForkHits => {
      const line = seq === null || !read ? null : this.db.line(read.no * ROWS_A_SESSION + seq);
      return { entryId: line ? line.entryId : null, count };
    });
    const branch = forks.reduce((sum, { count }) => sum + count, 0);
    return { path, branch, forks, isPartial: isPartial || isCut, isUnread: this.progress.isUnread(sessionId) };
  }

  /** Entries of all branches of a session, phrases first (GR19). */
  inTree(sessionId: string, query: string): TreeAnswer {
    const read = this.known.get(sessionId);
    // Its size is known once it was read to its end.
    if (!read || read.size === 0 || this.progress.isGone(sessionId))
      return { exact: [], loose: [], isPartial: false, state: 'unread' };
    const [exact, all] = [true, false].map((isExact) => {
      const words = readQuery(query, { exact: isExact, matchCase: false });
      return words ? this.db.findEntries(matchExpression(words), MOST_IN_TREE, read.no) : [];
    }) as [string[], string[]];
    const listed = new Set(exact);
    return {
      exact,
      loose: all.filter((entryId) => !listed.has(entryId)),
      isPartial: Math.max(exact.length, all.length) === MOST_IN_TREE,
      state: this.progress.isUnread(sessionId) ? 'behind' : 'read',
    };
  }

  /** Excerpts of entries that `inTree` found. What is not there any more, or too large together, is left out. */
  excerpts(sessionId: string, query: string, hits: readonly TreeHit[]): TreeExcerpt[] {
    const read = this.known.get(sessionId);
    if (!read || this.progress.isGone(sessionId)) return [];
    const queries = [true, false].map((exact) => readQuery(query, { exact, matchCase: false }));
    let room = MOST_SCREEN_BYTES;
    return this.reading(read, (entryAt) =>
      hits.flatMap(({ entryId, seq, exact }): TreeExcerpt[] => {
        const words = queries[exact ? 0 : 1];
        const entry = room > 0 && words && seq < ROWS_A_SESSION ? entryAt(read.no * ROWS_A_SESSION + seq) : null;
        if (!entry || !words || entry.entryId !== entryId) return [];
        room -= entry.bytes;
        const text = textOfEntry(entry.value);
        const { time } = entry;
        return [{ entryId, author: authorOf(entry.value), time, ...snippetOf(text, firstPlaces(text, words)) }];
      }),
    );
  }

  /** Null: nothing is left out. */
  private filterOf({ sessionIds, writer, since }: Wanted): RowFilter | null {
    if (sessionIds === undefined && writer === undefined && since === undefined) return null;
    const sessions = sessionIds ? sessionIds.flatMap((id) => this.known.get(id)?.no ?? []) : null;
    return { sessions, writer: writer === undefined ? null : WRITERS.indexOf(writer), since: since ?? 0 };
  }

  private rowsOf(asked: Asked, sessionId?: string, filter: RowFilter | null = null): Rows & { query: Query } {
    const query = readQuery(asked.query, asked);
    const no = sessionId === undefined ? undefined : this.known.get(sessionId)?.no;
    if (!query || (sessionId !== undefined && no === undefined))
      return { query: query ?? { groups: [], matchCase: false }, rows: [], isPartial: false };
    const words = matchExpression(query);
    const rows = filter ? this.db.findAmong(words, MOST_HITS, filter, no) : this.db.find(words, MOST_HITS, no);
    const isPartial = rows.length === MOST_HITS;
    return query.matchCase ? this.withLetters(query, rows, isPartial) : { query, rows, isPartial };
  }

  /** The index knows no capitals: the messages themselves are looked at. */
  private withLetters(query: Query, rows: number[], isPartial: boolean): Rows {
    const found: number[] = [];
    const start = performance.now();
    let checked = 0;
    for (const [read, own] of this.bySession(rows)) {
      this.reading(read, (entryAt) => {
        for (const row of own) {
          if (checked === MOST_CHECKED || performance.now() - start > CHECK_MS) return;
          checked++;
          const entry = entryAt(row);
          if (entry && hasAll(textOfEntry(entry.value), query)) found.push(row);
        }
      });
    }
    return { query, rows: found, isPartial: isPartial || checked < rows.length };
  }

  /** Rows of sessions that are there, each with its session, in the order of `rows`. */
  private bySession(rows: readonly number[]): Map<ReadSession, number[]> {
    const sessions = new Map<number, ReadSession>();
    for (const read of this.known.values()) if (!this.progress.isGone(read.sessionId)) sessions.set(read.no, read);
    const found = new Map<ReadSession, number[]>();
    for (const row of rows) {
      const read = sessions.get(Math.floor(row / ROWS_A_SESSION));
      if (!read) continue;
      const own = found.get(read);
      if (own) own.push(row);
      else found.set(read, [row]);
    }
    return found;
  }

  /** Hits with their excerpts, as far as there is `room` for their lines. */
  private hitsOf(read: ReadSession, rows: readonly number[], query: Query, room: { bytes: number }): SearchHit[] {
    const hits: SearchHit[] = [];
    this.reading(read, (entryAt) => {
      for (const row of rows) {
        if (room.bytes <= 0) return;
        const entry = entryAt(row);
        if (!entry) continue;
        const { value, entryId, time, bytes } = entry;
        room.bytes -= bytes;
        const text = textOfEntry(value);
        const shown = snippetOf(text, firstPlaces(text, query));
        hits.push({ entryId, place: placeOf(read, row), author: authorOf(value), time, ...shown });
      }
    });
    return hits;
  }

  /** Reads entries of a journal. What is not what the index says is left out, and read anew. */
  private reading<T>({ sessionId }: ReadSession, work: (entryAt: (row: number) => Entry | null) => T): T {
    let file: number | null = null;
    const lost = (): null => {
      this.progress.touch(sessionId);
      return null;
    };
    const entryAt = (row: number): Entry | null => {
      const line = this.db.line(row);
      if (!line || line.length > MAX_LINE_BYTES) return null;
      try {
        file ??= openSync(this.files.journal(sessionId), HOW);
        const bytes = Buffer.allocUnsafe(line.length);
        if (readSync(file, bytes, 0, line.length, line.offset) < line.length) return lost();
        const value = JSON.parse(bytes.toString('utf8')) as { id?: unknown };
        if (value.id !== line.entryId) return lost();
        return { value, entryId: line.entryId, time: line.time, bytes: line.length };
      } catch {
        return lost();
      }
    };
    try {
      return work(entryAt);
    } finally {
      if (file !== null) closeSync(file);
    }
  }
}

const hasAll = (text: string, query: Query): boolean => !lacks(text, query) && findIn(text, query).length > 0;

interface Entry {
  value: unknown;
  entryId: string;
  time: number;
  /** Of its line. */
  bytes: number;
}

/** No link, and no pipe that would be waited for. */
const HOW = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const placeOf = ({ places }: ReadSession, row: number): Place => placeAt(places, row % ROWS_A_SESSION);
