import type { AppEvent } from '@shared/ipc/contract';
import type { StoredLine, SyncMark, UploadAnswer } from '@shared/types';
import { AppError, type BulkHandle, type Client } from '../bridge';
import { type EspalierDatabase, withTimeLimit } from './database';
import { writeDraft } from './local-store';
import { PageWriter } from './page-writer';
import { allLines, applyPages, archiveOlder, CHUNK, dropSession, moveSession, readMarks } from './session-records';
import { describeStorageProblem, type StorageProblem } from './open-database';

/** Records between two moves of older rows into chunks: rare enough to cost nothing while a run streams. */
const ARCHIVE_EVERY = 2 * CHUNK;
const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 5 * 60_000;

export interface PersisterOptions {
  db: EspalierDatabase;
  client: Client;
  /** Told when the database stops or starts to take what it is given; null = all is well again. */
  onProblem: (problem: StorageProblem | null) => void;
  /** Milliseconds until the first new attempt after a failure; each further one waits twice as long. */
  retryMs?: number;
}

/**
 * Writes every durable entry into the database, in order, and tells main how far it got. It never guesses: whatever
 * does not follow the last written record is fetched from main again, so a missed event, a crash or a failed write all
 * heal the same way. Main holds the truth; a database that fails costs the second copy, not the session.
 */
export class Persister {
  readonly #marks = new Map<string, SyncMark>();
  readonly #pending = new Map<string, { line: StoredLine; crc: number; crcBefore: number }[]>();
  readonly #sinceArchive = new Map<string, number>();
  #work: Promise<void> = Promise.resolve();
  #scheduled = false;
  #comparing = false;
  /** From a failure to the next comparison nothing is written: the comparison brings what came meanwhile. */
  #failed = false;
  #failures = 0;
  /** Those of them that were the database's, and not main's refusals. */
  #databaseFailures = 0;
  #stopped = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: PersisterOptions) {}

  /** Compares the two copies with main and brings each up to date. `reset`: the database is new or was emptied. */
  start(reset: boolean): Promise<void> {
    return this.#run(() => this.#compare(reset));
  }

  /** Takes the events of a batch; only durable entries, and sessions that came or went, matter here. */
  accept(events: readonly AppEvent[]): void {
    for (const event of events) {
      if (event.type === 'entry_appended') {
        const pending = this.#pending.get(event.sessionId) ?? [];
        pending.push({ line: event.line, crc: event.crc, crcBefore: event.crcBefore });
        this.#pending.set(event.sessionId, pending);
      } else if (event.type === 'session_removed') {
        this.#pending.delete(event.sessionId);
        void this.#run(() => this.#forget(event.sessionId, event.mark));
      } else if (event.type === 'copies_differ') {
        void this.#run(() => this.#compare(false));
      } else if (event.type === 'sessions_changed' && event.summary.entryCount > 0) {
        this.#copyIfUnknown(event.summary.id);
      }
    }
    if (this.#pending.size === 0 || this.#scheduled) return;
    this.#scheduled = true;
    void this.#run(async () => {
      this.#scheduled = false;
      await this.#flush();
    });
  }

  /** Waits until everything accepted so far is written or failed. */
  settle(): Promise<void> {
    return this.#work;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
  }

  /** An imported or restored session comes without an event for each of its entries. */
  #copyIfUnknown(sessionId: string): void {
    // While the copies are compared, what is known may be about to go.
    if (this.#marks.has(sessionId) && !this.#comparing) return;
    void this.#run(async () => {
      if (!this.#marks.has(sessionId)) await this.#fetch(sessionId, 0);
    });
  }

  async #compare(reset: boolean): Promise<void> {
    this.#comparing = true;
    try {
      await this.#compareAll(reset);
    } finally {
      this.#comparing = false;
    }
  }

  async #compareAll(reset: boolean): Promise<void> {
    const { client, db } = this.options;
    this.#marks.clear();
    for (const mark of await readMarks(db)) this.#marks.set(mark.sessionId, mark);
    const plan = await client.request('sync.hello', { marks: [...this.#marks.values()], reset });
    // Main refusing one session must not keep the others from being copied.
    let refusal: AppError | null = null;
    const attempt = async (step: () => Promise<void>): Promise<void> => {
      try {
        await step();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refusal ??= error;
      }
    };
    // Deleted while no window was told of it. With no step in between: what an undo puts there from now on stays.
    await Promise.all(plan.drop.map((sessionId) => writeDraft(db, sessionId, null)));
    for (const sessionId of plan.drop) await attempt(() => this.#drop(sessionId));
    const replaced = new Set<string>();
    for (const sessionId of plan.upload) {
      await attempt(async () => {
        if (await this.#handIn(sessionId)) replaced.add(sessionId);
      });
    }
    // A journal rewritten may hold more than was handed in, and another session may have come.
    const after =
      plan.upload.length === 0
        ? plan
        : await client.request('sync.hello', { marks: [...this.#marks.values()], reset: false });
    const fetch = after.fetch.filter(({ sessionId }) => !replaced.has(sessionId));
    for (const sessionId of replaced) fetch.push({ sessionId, fromSeq: 0 });
    for (const { sessionId, fromSeq } of fetch) await attempt(() => this.#fetch(sessionId, fromSeq));
    if (refusal) throw refusal as AppError;
  }

  /** Hands the rows of a session to main and does what it says. True if the journal's lines are to take their place. */
  async #handIn(sessionId: string): Promise<boolean> {
    const { client, db } = this.options;
    const answer = await this.#upload(sessionId);
    if (answer.then === 'drop') await this.#drop(sessionId);
    if (answer.then === 'move') {
      const { seq } = this.#marks.get(sessionId) ?? { seq: -1 };
      const mark = await moveSession(db, sessionId, { sessionId: answer.to, seq, crc: answer.crc }, answer.header);
      this.#marks.delete(sessionId);
      this.#marks.set(mark.sessionId, mark);
      await client.request('sync.ack', { marks: [mark] });
    }
    return answer.then === 'replace';
  }

  async #flush(): Promise<void> {
    const all = [...this.#pending];
    this.#pending.clear();
    const acknowledged: SyncMark[] = [];
    for (const [sessionId, entries] of all) {
      const mark = this.#marks.get(sessionId);
      const next = (mark?.seq ?? -1) + 1;
      const fresh = entries.filter(({ line }) => line.seq >= next);
      const [first] = fresh;
      const last = entries.at(-1);
      if (!last) continue;
      if (!first) {
        // Either what was fetched has them already, or they stand in a shorter file that took the place of the one that the rows are of.
        if (last.line.seq !== mark?.seq || last.crc !== mark.crc) await this.#compare(false);
        continue;
      }
      const follows = fresh.every(({ line }, index) => line.seq === next + index);
      // The same number behind other lines: the file is another one than the rows were written from.
      if (follows && first.crcBefore !== (mark?.crc ?? 0)) {
        await this.#compare(false);
        continue;
      }
      if (!follows) {
        await this.#fetch(sessionId, next);
        continue;
      }
      const page = { lines: fresh.map(({ line }) => line), crc: last.crc };
      const reached = await applyPages(this.options.db, sessionId, [page]);
      this.#marks.set(sessionId, reached);
      acknowledged.push(reached);
      await this.#archiveNowAndThen(reached, fresh.length);
    }
    if (acknowledged.length > 0) await this.options.client.request('sync.ack', { marks: acknowledged });
  }

  async #archiveNowAndThen({ sessionId, seq }: SyncMark, added: number): Promise<void> {
    const since = (this.#sinceArchive.get(sessionId) ?? 0) + added;
    this.#sinceArchive.set(sessionId, since < ARCHIVE_EVERY ? since : 0);
    if (since >= ARCHIVE_EVERY) await archiveOlder(this.options.db, sessionId, seq);
  }

  /** Reads a session's lines from main and writes them as they come; from 0 on they replace what is there. */
  async #fetch(sessionId: string, fromSeq: number): Promise<void> {
    const { db, client } = this.options;
    const known = this.#marks.get(sessionId);
    const writer = new PageWriter(db, sessionId, fromSeq === 0, (mark) => this.#marks.set(sessionId, mark));
    let isOther = false;
    const bulk: BulkHandle = client.bulk('sync.lines', { sessionId, fromSeq }, (page) => {
      // What comes must follow what is there by its bytes, not by its number.
      isOther ||= page.lines.length === 0 && page.crc !== known?.crc;
      return isOther ? bulk.cancel() : writer.push(page);
    });
    writer.onFailure = () => bulk.cancel();
    try {
      await bulk.done;
    } finally {
      // Nothing else may write before the last of it is written or failed.
      await writer.settle();
    }
    if (isOther) return this.#compare(false);
    const mark = this.#marks.get(sessionId);
    if (!mark) return;
    await archiveOlder(db, sessionId, mark.seq);
    await client.request('sync.ack', { marks: [mark] });
  }

  /** Hands the database's lines of a session to main, which compares them with its journal. */
  async #upload(sessionId: string): Promise<UploadAnswer> {
    const { db, client } = this.options;
    let first = true;
    for await (const lines of allLines(db, sessionId)) {
      await client.request('sync.upload', { sessionId, lines, first, last: false });
      first = false;
    }
    // A mark without rows is nothing to hand in.
    if (first) return { then: 'replace' };
    return client.request('sync.upload', { sessionId, lines: [], first: false, last: true });
  }

  /** The session was deleted. Rows that are not as its file was go to the trash with it. */
  async #forget(sessionId: string, file: SyncMark | null): Promise<void> {
    const known = this.#marks.get(sessionId);
    const isAlike = known?.seq === file?.seq && known?.crc === file?.crc;
    if (!known || known.seq < 0 || isAlike) return this.#drop(sessionId);
    if (await this.#handIn(sessionId)) await this.#fetch(sessionId, 0);
  }

  async #drop(sessionId: string): Promise<void> {
    await dropSession(this.options.db, sessionId);
    this.#marks.delete(sessionId);
  }

  /** One job at a time. A failure is told, and everything is compared again a little later. */
  #run(job: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (this.#stopped) return;
      if (this.#failed) {
        this.#pending.clear();
        this.#scheduled = false;
        return;
      }
      try {
        await job();
      } catch (error) {
        this.#fail(error);
      }
    });
    return this.#work;
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#failed = true;
    this.options.onProblem(describeStorageProblem(error, this.#databaseFailures));
    if (!(error instanceof AppError)) this.#databaseFailures += 1;
    const wait = Math.min((this.options.retryMs ?? FIRST_RETRY_MS) * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#recover(!(error instanceof AppError)), wait);
  }

  #recover(reopen: boolean): void {
    this.#failed = false;
    void this.#run(async () => {
      const { db, onProblem } = this.options;
      if (reopen) {
        db.close();
        await withTimeLimit(db.open());
      }
      await this.#compare(false);
      this.#failures = 0;
      this.#databaseFailures = 0;
      onProblem(null);
    });
  }
}
