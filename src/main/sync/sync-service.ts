import type { Notice, StoredLine, SyncMark } from '@shared/ipc/types';
import type { Log } from '../app/logging';
import type { SessionLog, SessionStore } from '../ports';
import { compareMarks, type SyncPlan } from './compare-marks';
import { emptiedNotice, restoredNotice } from './sync-notices';

/** Told after a session was brought back from the database, with its new log. */
export type OnRecovered = (log: SessionLog) => Promise<unknown>;

/**
 * Main's side of keeping the two copies alike: answers what the window's database lacks, takes back what a journal
 * lost, and remembers how far the database has confirmed (DESIGN.md, storage).
 */
export class SyncService {
  readonly #acknowledged = new Map<string, SyncMark>();
  readonly #uploads = new Map<string, LineQueue>();
  /** Sessions that are to be brought back although their journal is there: it is damaged. */
  readonly #damaged = new Set<string>();

  constructor(
    private readonly store: SessionStore,
    private readonly onRecovered: OnRecovered,
    private readonly log: Log,
    private readonly notify: (notice: Notice) => void,
  ) {}

  /** `reset`: the database found itself emptied by the browser (`dataLoss`), or is new. */
  async hello(marks: readonly SyncMark[], reset: boolean): Promise<SyncPlan> {
    for (const mark of marks) this.#acknowledged.set(mark.sessionId, mark);
    const [own, trashed, list] = await Promise.all([this.store.marks(), this.store.trashed(), this.store.list()]);
    const plan = await compareMarks(marks, {
      marks: own,
      trashed: new Set(trashed),
      damaged: new Set(list.filter(({ damage }) => damage.length > 0).map(({ sessionId }) => sessionId)),
      crcAt: (sessionId, seq) => this.store.crcAt(sessionId, seq),
    });
    const listed = new Set(list.map(({ sessionId }) => sessionId));
    for (const sessionId of plan.upload) if (listed.has(sessionId)) this.#damaged.add(sessionId);
    if (reset && own.length > 0) {
      this.log.warn(
        `The database was empty or had been reset; ${plan.fetch.length} sessions are copied back from their journals.`,
      );
      this.notify(emptiedNotice(plan.fetch.length));
    }
    return plan;
  }

  acknowledge(marks: readonly SyncMark[]): void {
    for (const mark of marks) this.#acknowledged.set(mark.sessionId, mark);
  }

  /** How far the database has a session; -1 for not at all. */
  acknowledgedSeq(sessionId: string): number {
    return this.#acknowledged.get(sessionId)?.seq ?? -1;
  }

  /**
   * Takes the database's lines of a session whose journal is gone or damaged, in chunks, and writes the journal anew
   * when the last has come. Resolves for each chunk when it is taken, for the last when the journal is on disk.
   */
  async upload(sessionId: string, lines: StoredLine[], first: boolean, last: boolean): Promise<void> {
    if (first) await this.#begin(sessionId);
    const queue = this.#uploads.get(sessionId);
    if (!queue) throw new Error(`An upload of session ${sessionId} goes on that was never begun.`);
    queue.push(lines);
    if (!last) return;
    queue.end();
    this.#uploads.delete(sessionId);
    await queue.done;
  }

  /** A window that was loaded anew begins again: what the earlier one handed in is no whole session and is dropped. */
  async #begin(sessionId: string): Promise<void> {
    const earlier = this.#uploads.get(sessionId);
    const queue = new LineQueue();
    this.#uploads.set(sessionId, queue);
    earlier?.abandon();
    await earlier?.done.catch(() => undefined);
    queue.done = this.store
      .rebuild(sessionId, queue)
      .then((log) => this.onRecovered(log))
      .then(() => this.#tellRestored(sessionId));
    // Awaited with the last chunk; until then a failure must not count as unhandled.
    queue.done.catch(() => undefined);
  }

  #tellRestored(sessionId: string): void {
    this.log.warn(`The journal of session ${sessionId} was written anew from the database.`);
    const title = this.store.meta(sessionId)?.title ?? '';
    this.notify(restoredNotice(sessionId, title, this.#damaged.delete(sessionId)));
  }

  /** Lines for the database from `fromSeq` on. */
  lines(sessionId: string, fromSeq: number): AsyncGenerator<{ lines: StoredLine[]; crc: number }> {
    return this.store.lines(sessionId, fromSeq);
  }
}

/** Chunks pushed from one side, iterated from the other. */
class LineQueue implements AsyncIterable<StoredLine[]> {
  readonly #chunks: StoredLine[][] = [];
  #ended = false;
  #abandoned = false;
  #wake: (() => void) | undefined;
  done: Promise<void> = Promise.resolve();

  push(lines: StoredLine[]): void {
    this.#chunks.push(lines);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The rest will never come: whoever iterates gets an error, not an end. */
  abandon(): void {
    this.#abandoned = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StoredLine[]> {
    for (;;) {
      if (this.#abandoned) throw new Error('The window began anew before it had handed in the whole session.');
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
