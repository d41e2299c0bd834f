import type { JournalFs } from '../journal/file/fs';
import type { SessionFiles } from '../journal/file/session-files';
import { pause } from '../journal/file/line-reader';
import { Finder } from './finder';
import { SearchDb, SQLite3Error } from './search-db';
import { SessionReader } from './session-reader';
/** An index that is damaged so often is not mended by another one. */
const MOST_REBUILDS = 3;

interface EngineOptions {
  /** The index; a cache. */
  file: string;
  files: SessionFiles;
  fs: JournalFs;
}

/** The search of all sessions, in a thread of its own: keeps the index with the journals, and answers from it (RC3). */
export class SearchEngine {
  private readonly db: SearchDb;
  private readonly reader: SessionReader;
  private readonly finder: Finder;
  /** Sessions to be looked at. `isLive`: something goes on in them. Another object: it is to be looked at again. */
  private readonly waiting = new Map<string, { isLive: boolean }>();
  /** Deleted: not found from then on, whatever the index still has. */
  private readonly gone = new Set<string>();
  private work: Promise<void> | null = null;
  private rebuilds = 0;
  /** Why nothing can be found. */
  private problem: Error | null = null;
  private isClosed = false;

  constructor({ file, files, fs }: EngineOptions) {
    this.db = new SearchDb(file);
    this.reader = new SessionReader(this.db, files, fs);
    this.finder = new Finder(this.db, this.reader.known, files, {
      unread: () => this.waiting.size,
      isUnread: (id) => this.waiting.has(id),
      isGone: (id) => this.gone.has(id),
      touch: (id) => this.touch(id),
    });
  }

  /** Looks for all that changed while nobody listened. */
  async start(): Promise<void> {
    for (const id of await this.reader.outdated()) if (!this.waiting.has(id)) this.waiting.set(id, { isLive: false });
    this.wake();
  }

  /** Something was appended to a session, or its file is another one, or gone. */
  touch(sessionId: string): void {
    this.gone.delete(sessionId);
    this.waiting.set(sessionId, { isLive: true });
    this.wake();
  }

  /** It was deleted. */
  drop(sessionId: string): void {
    this.touch(sessionId);
    this.gone.add(sessionId);
  }

  /** Resolves when all that is known to have changed is read. */
  async settled(): Promise<void> {
    while (this.work) await this.work;
  }

  /** Answers; a damaged index is made anew, and the answer is what that has so far. @throws Error with why nothing can be found */
  ask<T>(question: (finder: Finder) => T): T {
    try {
      if (this.problem) throw this.problem;
      return question(this.finder);
    } catch (error) {
      if (!(error instanceof SQLite3Error)) throw error;
      this.recover(error);
      if (this.problem) throw this.problem;
      return question(this.finder);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.waiting.clear();
    await this.settled();
    this.db.close();
  }

  private wake(): void {
    if (this.isClosed || this.problem) return;
    this.work ??= this.readAll()
      // Said to whoever asks: `problem`.
      .catch(() => undefined)
      .then(() => {
        this.work = null;
        if (this.waiting.size > 0) this.wake();
        else void this.tidy();
      });
  }

  private async readAll(): Promise<void> {
    for (let next = this.next(); next && !this.isClosed; next = this.next()) {
      const [id, turn] = next;
      try {
        await this.reader.catchUp(id, turn.isLive);
      } catch (error) {
        if (error instanceof SQLite3Error) {
          this.recover(error);
          continue;
        }
        // It can't be read now; the next append or start tries again.
      }
      if (this.waiting.get(id) === turn) this.waiting.delete(id);
    }
  }

  /** While nothing else is to be done, the parts that appends left are put together. */
  private async tidy(): Promise<void> {
    try {
      const isFree = (): boolean => this.work === null && !this.isClosed && !this.problem;
      await pause();
      while (isFree() && this.db.atOnce(() => this.db.merge(false))) await pause();
    } catch (error) {
      if (error instanceof SQLite3Error) this.recover(error);
    }
  }

  private next(): [string, { isLive: boolean }] | undefined {
    // What somebody works in comes first.
    for (const entry of this.waiting) if (entry[1].isLive) return entry;
    return this.waiting.entries().next().value;
  }

  /** Begins anew. Where that does not help, `problem` says why. */
  private recover(cause: Error): void {
    try {
      if (++this.rebuilds > MOST_REBUILDS) throw cause;
      this.db.rebuild();
      this.reader.forgetAll();
    } catch (error) {
      this.waiting.clear();
      this.problem = new Error(`The search index can’t be written: ${error instanceof Error ? error.message : ''}`);
      return;
    }
    // What can't be listed now is read at the next append or start.
    this.start().catch(() => undefined);
  }
}
