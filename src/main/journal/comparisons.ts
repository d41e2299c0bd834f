import type { StoredLine } from '@shared/types';
import { toStorageError } from '../own-files/storage-error';
import type { Reconciled } from '../ports';
import { errorCode } from './fs';
import { reconcile, type ReconcileSurroundings } from './reconcile';
import { LogClosedError } from './session-error';
import { setNamedCopiesAside, takeStrays } from './strays';

/** What the comparisons need of the store. */
export interface ComparedStore extends Omit<ReconcileSurroundings, 'inTurn' | 'isClosed'> {
  /** Closes the log of a session, whoever has it and whatever is under way in it. */
  shut(sessionId: string): Promise<void>;
  log: { warn(message: string, detail?: unknown): void };
}

/** Brings journals and their other copies together, one comparison of a session after the other, until the store is closed. */
export class Comparisons {
  private readonly around: ReconcileSurroundings;
  /** The last comparison of each session. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly store: ComparedStore,
    private readonly closed: AbortSignal,
  ) {
    this.around = {
      ...store,
      isClosed: () => closed.aborted,
      inTurn: (id, work) => this.inTurn(id, work),
    };
  }

  /** At the start: copies that a sync program laid beside their journals, under names of sessions. */
  setNamedCopiesAside(): Promise<void> {
    return setNamedCopiesAside(this.around, this.store.log);
  }

  /** With the lines that the database has. See `SessionStore.reconcile`. */
  reconcile(sessionId: string, lines: AsyncIterable<StoredLine[]>): Promise<Reconciled> {
    return this.untilDone(async () => {
      const copy = untilAborted(lines, this.closed);
      return reconcile(this.around, sessionId, copy, 'here', true);
    }).catch((error: unknown) => {
      throw errorCode(error) === '' ? error : toStorageError(error);
    });
  }

  /** With the copies that lie beside the journals. See `SessionStore.takeStrays`. */
  takeStrays(closing?: string): Promise<Reconciled[]> {
    return this.untilDone(async () => {
      if (closing !== undefined) await this.store.shut(closing);
      return takeStrays(this.around, this.store.log);
    });
  }

  /** Resolves when those that are under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  /** Work that `settled` waits for; refused once the store is being closed. */
  private async untilDone<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed.aborted) throw new LogClosedError();
    const done = work();
    this.underWay.add(done);
    try {
      return await done;
    } finally {
      this.underWay.delete(done);
    }
  }

  private async inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.turns.get(sessionId);
    const done = earlier ? earlier.then(work, work) : work();
    this.turns.set(sessionId, done);
    try {
      return await done;
    } finally {
      if (this.turns.get(sessionId) === done) this.turns.delete(sessionId);
    }
  }
}

/** The chunks of another copy; ends with an error once `signal` is aborted, whether or not the next one ever comes. */
async function* untilAborted<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  let end = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => (end = () => reject(new LogClosedError())));
  aborted.catch(() => undefined);
  signal.addEventListener('abort', end);
  try {
    signal.throwIfAborted();
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
}
