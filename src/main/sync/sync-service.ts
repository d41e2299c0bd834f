import type { Emit, Log, Reconciled, SessionLog, SessionStore } from '../ports';
import {
  conflictNotice,
  emptiedNotice,
  foundNotice,
  mergedNotice,
  restoredNotice,
  strayedNotice,
  takenInNotice,
  writtenBackNotice,
} from './sync-notices';
import { Undecided } from './undecided';
import type { LineChunk } from '@shared/ipc/contract';
import type { Notice, StoredLine, SyncMark, UploadAnswer } from '@shared/types';

interface SyncPlan {
  /** What the database lacks, from which record on. 0: all of it; it has none of the session. */
  fetch: { sessionId: string; fromSeq: number }[];
  /** Sessions whose copies can't be told by their marks: the database's lines are asked for and compared with the journal's. */
  upload: string[];
  /** Sessions that were deleted while the database did not look. */
  drop: string[];
}

export interface JournalView {
  marks: readonly SyncMark[];
  trashed: ReadonlySet<string>;
  crcAt(sessionId: string, seq: number): Promise<number | null>;
  trashedCrcAt(sessionId: string, seq: number): Promise<number | null>;
}

/**
 * Compares the two copies of every session by record number and running CRC (docs/specs/safety.md, E1). Nothing is decided by a
 * count: the journal's lines go to the database only behind a beginning that both have, and a session is forgotten only if what
 * is in the trash begins with all that the database has. Whatever these figures can't tell is compared line by line.
 */
export async function compareMarks(database: readonly SyncMark[], journal: JournalView): Promise<SyncPlan> {
  const plan: SyncPlan = { fetch: [], upload: [], drop: [] };
  const inDatabase = new Map(database.map((mark) => [mark.sessionId, mark]));
  const inJournal = new Set(journal.marks.map((mark) => mark.sessionId));

  for (const { sessionId, seq, crc } of journal.marks) {
    const other = inDatabase.get(sessionId);
    if (!other || other.seq < 0) plan.fetch.push({ sessionId, fromSeq: 0 });
    else if (other.seq === seq && other.crc === crc) continue;
    else if (other.seq < seq && (await journal.crcAt(sessionId, other.seq)) === other.crc)
      plan.fetch.push({ sessionId, fromSeq: other.seq + 1 });
    else plan.upload.push(sessionId);
  }
  for (const { sessionId, seq, crc } of database) {
    if (inJournal.has(sessionId) || seq < 0) continue;
    const isDeleted = journal.trashed.has(sessionId) && (await journal.trashedCrcAt(sessionId, seq)) === crc;
    (isDeleted ? plan.drop : plan.upload).push(sessionId);
  }
  return plan;
}

/** Told after a session was brought back from the database, or was set apart from another one (`from`), with its new log. */
type OnRecovered = (log: SessionLog, from?: string) => Promise<unknown>;

/**
 * Main's side of keeping the two copies alike: answers what the window's database lacks, takes back what a journal
 * lost, and remembers how far the database has confirmed (SY8).
 */
export class SyncService {
  readonly #acknowledged = new Map<string, SyncMark>();
  readonly #uploads = new Map<string, LineQueue>();
  readonly #undecided = new Undecided();
  #hasCompared = false;
  readonly #made = new Set<string>();

  /** Conflicts and merged sessions that were told since the start. */
  readonly #told = new Set<string>();

  constructor(
    private readonly store: SessionStore,
    private readonly onRecovered: OnRecovered,
    private readonly log: Log,
    private readonly notify: (notice: Notice) => void,
    private readonly emit: Emit = () => undefined,
  ) {}

  /** Main wrote this session in this run, before the window knew of it: that its database lacks it means nothing. */
  noteMade(sessionId: string): void {
    this.#made.add(sessionId);
  }

  /** `reset`: the database found itself emptied by the browser (`dataLoss`), or is new. */
  async hello(marks: readonly SyncMark[], reset: boolean): Promise<SyncPlan> {
    this.#undecided.compareAll();
    try {
      return await this.#compareAll(marks, reset);
    } catch (error) {
      this.#undecided.giveUp();
      throw error;
    }
  }

  async #compareAll(marks: readonly SyncMark[], reset: boolean): Promise<SyncPlan> {
    for (const mark of marks) this.#acknowledged.set(mark.sessionId, mark);
    for (const taken of await this.store.takeStrays()) await this.#settle(taken);
    // The list as well: it knows the titles that are told.
    const [own, trashed] = await Promise.all([this.store.marks(), this.store.trashed(), this.store.list()]);
    const plan = await compareMarks(marks, {
      marks: own,
      trashed: new Set(trashed),
      crcAt: (sessionId, seq) => this.store.crcAt(sessionId, seq),
      trashedCrcAt: (sessionId, seq) => this.store.trashedCrcAt(sessionId, seq),
    });
    if (plan.drop.length > 0) {
      // What was brought back meanwhile has a draft again.
      const deleted = new Set(await this.store.trashed());
      plan.drop = plan.drop.filter((sessionId) => deleted.has(sessionId));
    }
    for (const { sessionId, fromSeq } of plan.fetch)
      if (fromSeq > 0) this.#tellMerged({ sessionId, messages: await this.store.strayedFrom(sessionId, fromSeq) });
    this.#hasCompared = true;
    this.#undecided.endAllBut(new Set(plan.upload));
    // What this start made itself can't have been in the database.
    const back = plan.fetch.filter(({ sessionId }) => !this.#made.has(sessionId)).length;
    if (reset && own.some(({ sessionId }) => !this.#made.has(sessionId))) {
      this.log.warn(`The database was empty or had been reset; ${back} sessions are copied back from their journals.`);
      this.notify(emptiedNotice(back));
    }
    return plan;
  }

  /**
   * A session whose file was replaced while it was open is at rest: what it wrote beside that file becomes a session of its own, in
   * which the window goes on, and the window's rows follow it.
   */
  async wentApart(sessionId: string): Promise<void> {
    const taken = await this.store.takeStrays(sessionId);
    for (const done of taken) await this.#settle(done);
    const own = taken.find((done) => done.kind === 'apart' && done.from === sessionId);
    const goesOnIn = own?.kind === 'apart' ? own.log.sessionId : undefined;
    this.emit({ type: 'session_reloaded', sessionId, ...(goesOnIn ? { goesOnIn } : {}) });
    this.emit({ type: 'copies_differ', sessionId });
  }

  /** The file of a session was opened and is not as it was left: the copies are compared before anybody is shown it. */
  foundOther(sessionId: string): void {
    this.#undecided.begin(sessionId);
    // The first comparison is on its way.
    if (this.#hasCompared) this.emit({ type: 'copies_differ', sessionId });
  }

  /** While it is open what becomes of a session's file: resolves when that is decided and told. Null: nothing is open. */
  whenTold(sessionId: string): Promise<void> | null {
    return this.#undecided.when(sessionId);
  }

  /** Another program wrote into the file of a session that is open here, elsewhere than at its leaf. */
  strayed(sessionId: string, entries: number): void {
    this.log.warn(
      `Another program wrote ${entries} entries into the file of session ${sessionId} that do not continue its conversation.`,
    );
    this.notify(strayedNotice(sessionId, this.store.meta(sessionId)?.title ?? '', entries));
  }

  /** What is to be told of sessions that went on in two places until the person has read it. */
  unreadConflicts(): Notice[] {
    return this.store.unreadConflicts().flatMap((sessionId) => conflictNotice(this.store, sessionId) ?? []);
  }

  acknowledge(marks: readonly SyncMark[]): void {
    for (const mark of marks) this.#acknowledged.set(mark.sessionId, mark);
  }

  /** How far the database has a session; -1 for not at all. */
  acknowledgedSeq(sessionId: string): number {
    return this.#acknowledged.get(sessionId)?.seq ?? -1;
  }

  /**
   * Takes the database's lines of a session, in chunks, and brings them together with its journal when the last has come.
   * Resolves for each chunk when it is taken, for the last when it is decided and on disk what becomes of them.
   */
  async upload(sessionId: string, lines: StoredLine[], first: boolean, last: boolean): Promise<UploadAnswer> {
    const queue = first ? this.#begin(sessionId) : this.#uploads.get(sessionId);
    if (!queue) throw new Error(`An upload of session ${sessionId} goes on that was never begun.`);
    queue.push(lines);
    if (last) this.#undecided.hold(sessionId);
    else this.#undecided.goesOn();
    if (!last) return { then: 'nothing' };
    queue.end();
    this.#uploads.delete(sessionId);
    return queue.done;
  }

  /** A window that was loaded again begins again: what the earlier one handed in is not a whole session and is dropped. */
  #begin(sessionId: string): LineQueue {
    const earlier = this.#uploads.get(sessionId);
    const queue = new LineQueue();
    this.#uploads.set(sessionId, queue);
    earlier?.abandon();
    queue.done = this.#bringTogether(sessionId, queue, earlier);
    // Awaited with the last chunk; until then a failure must not count as unhandled.
    queue.done.catch(() => undefined);
    return queue;
  }

  async #bringTogether(sessionId: string, queue: LineQueue, earlier: LineQueue | undefined): Promise<UploadAnswer> {
    await earlier?.done.catch(() => undefined);
    // Another one began while this one waited.
    if (queue.isAbandoned) throw beganAnew();
    try {
      const done = await this.store.reconcile(sessionId, queue);
      await this.#settle(done);
      return done.answer;
    } finally {
      this.#undecided.end(sessionId);
    }
  }

  async #settle(done: Reconciled): Promise<void> {
    if (done.kind === 'kept') return this.#tellMerged(done.merged);
    const { sessionId } = done.log;
    // One that was there may be in use: nothing of it changed.
    if (done.kind === 'rebuilt') await this.onRecovered(done.log);
    else if (!done.wasThere) await this.onRecovered(done.log, done.from);
    if (done.kind === 'rebuilt') return this.#tellRebuilt(done);
    if (this.#told.has(sessionId)) return;
    this.#told.add(sessionId);
    const fileOf = this.store.meta(sessionId)?.conflict?.fileOf;
    this.log.warn(
      fileOf === undefined
        ? `Session ${done.from} went on in two places; the other copy is session ${sessionId}.`
        : `The file of session ${done.from} was replaced by that of ${fileOf}; what it had is session ${sessionId}.`,
    );
    const notice = conflictNotice(this.store, sessionId);
    if (notice) this.notify(notice);
  }

  #tellMerged({ sessionId = '', messages = 0 }: { sessionId?: string; messages?: number } = {}): void {
    if (messages === 0 || this.#told.has(sessionId)) return;
    this.#told.add(sessionId);
    this.notify(mergedNotice(sessionId, this.store.meta(sessionId)?.title ?? '', messages));
  }

  #tellRebuilt({ log: { sessionId }, was, wrote, found }: Extract<Reconciled, { kind: 'rebuilt' }>): void {
    const source =
      wrote === undefined ? 'the database' : wrote === 'here' ? 'what was open here' : 'a copy that lay beside it';
    this.log.warn(`The journal of session ${sessionId} was written anew from ${source}.`);
    const title = this.store.meta(sessionId)?.title ?? '';
    if (found) return this.notify(foundNotice(sessionId, title, found));
    if (wrote === 'elsewhere') return this.notify(takenInNotice(sessionId, title));
    if (wrote === 'here') return this.notify(writtenBackNotice(sessionId, title, was));
    this.notify(restoredNotice(sessionId, title, was));
  }

  /** Lines for the database from `fromSeq` on, behind what they follow (contract `sync.lines`). */
  async *lines(sessionId: string, fromSeq: number): AsyncGenerator<LineChunk> {
    if (fromSeq > 0) yield { lines: [], crc: (await this.store.crcAt(sessionId, fromSeq - 1)) ?? 0 };
    yield* this.store.lines(sessionId, fromSeq);
  }
}

const beganAnew = (): Error => new Error('The window restarted before it had handed in the whole session.');

/** Chunks pushed from one side, iterated from the other. */
class LineQueue implements AsyncIterable<StoredLine[]> {
  readonly #chunks: StoredLine[][] = [];
  #ended = false;
  #abandoned = false;
  #wake: (() => void) | undefined;
  done: Promise<UploadAnswer> = Promise.resolve({ then: 'nothing' });

  push(lines: StoredLine[]): void {
    this.#chunks.push(lines);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  get isAbandoned(): boolean {
    return this.#abandoned;
  }

  /** The rest will never come: whoever iterates gets an error, not an end. */
  abandon(): void {
    this.#abandoned = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StoredLine[]> {
    for (;;) {
      if (this.#abandoned) throw beganAnew();
      const chunk = this.#chunks.shift();
      if (chunk) {
        yield chunk;
        continue;
      }
      if (this.#ended) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }
}
