import { LogClosedError } from './session-error';
import type { JournalLog } from './session-log';

/**
 * The logs that are open, one a session, and who uses them (JN31). A log stays open while it is held
 * (given out to stay open) or leased (somebody reads it); the last to let go of it closes its file.
 */
export class OpenLogs {
  private readonly live = new Map<string, JournalLog>();
  private readonly opening = new Map<string, Promise<JournalLog>>();
  private readonly held = new Set<string>();
  /** How many are about to get or use each. */
  private readonly users = new Map<string, number>();

  /** Sessions whose files are being moved or replaced: resolves when that is over. */
  private readonly busy = new Map<string, Promise<void>>();
  private isClosed = false;

  /** @param openFromDisk opens a log; it rejects where there is none. */
  constructor(private readonly openFromDisk: (sessionId: string) => Promise<JournalLog>) {}

  get(sessionId: string): JournalLog | undefined {
    return this.live.get(sessionId);
  }

  ids(): Iterable<string> {
    return this.live.keys();
  }

  /** Takes a log that was just made; it stays open. */
  add(log: JournalLog): JournalLog {
    if (this.isClosed) throw new LogClosedError();
    this.held.add(log.sessionId);
    this.live.set(log.sessionId, log);
    return log;
  }

  /** Gives out the log of a session, opened if need be; it stays open until `letGo` or `release`. */
  hold(sessionId: string): Promise<JournalLog> {
    return this.using(sessionId, (log) => {
      this.held.add(sessionId);
      return Promise.resolve(log);
    });
  }

  /** Works with a log that is closed again by its last user, unless it is held. */
  async using<T>(sessionId: string, work: (log: JournalLog) => Promise<T>): Promise<T> {
    const giveBack = this.lease(sessionId);
    try {
      return await work(await this.logOf(sessionId));
    } finally {
      await giveBack();
    }
  }

  /** The log of a session, opened if need be, for as long as something is read from it; to be given back once. */
  async borrow(sessionId: string): Promise<{ log: JournalLog; giveBack: () => Promise<void> }> {
    const giveBack = this.lease(sessionId);
    try {
      return { log: await this.logOf(sessionId), giveBack };
    } catch (error) {
      await giveBack();
      throw error;
    }
  }

  /** Keeps the file of a session open until the returned function was called; further calls of it do nothing. */
  lease(sessionId: string): () => Promise<void> {
    this.users.set(sessionId, (this.users.get(sessionId) ?? 0) + 1);
    let isGiven = false;
    return async () => {
      if (isGiven) return;
      isGiven = true;
      const others = (this.users.get(sessionId) ?? 1) - 1;
      if (others > 0) this.users.set(sessionId, others);
      else this.users.delete(sessionId);
      await this.closeUnused(sessionId);
    };
  }

  /** Ends the hold on a log: closed now, or by the last who reads it. */
  async letGo(sessionId: string): Promise<void> {
    this.held.delete(sessionId);
    await this.live.get(sessionId)?.settled();
    await this.closeUnused(sessionId);
  }

  /** To be told when a log was closed, by whomever. Returns it. */
  closed(sessionId: string): JournalLog | undefined {
    const log = this.live.get(sessionId);
    this.live.delete(sessionId);
    this.held.delete(sessionId);
    return log;
  }

  /** Closes the log of a session, whoever has it: its file is about to be moved or replaced. Reads under way end first. */
  async release(sessionId: string): Promise<void> {
    await this.opening.get(sessionId)?.catch(() => undefined);
    await this.live.get(sessionId)?.shut();
  }

  /**
   * Closes the log of a session, whoever has it, and keeps it closed while `work` moves or replaces its file: who asks for the log
   * meanwhile gets the one of the file that is there afterwards. `work` must not ask for it; it is told where the log wrote if that was
   * not in its place. Rejects after `close`.
   */
  async exclusive<T>(sessionId: string, work: (apartPath: string | null) => Promise<T>): Promise<T> {
    while (this.busy.has(sessionId)) await this.busy.get(sessionId);
    if (this.isClosed) throw new LogClosedError();
    let end = (): void => undefined;
    this.busy.set(sessionId, new Promise((resolve) => (end = resolve)));
    try {
      await this.opening.get(sessionId)?.catch(() => undefined);
      const log = this.live.get(sessionId);
      await log?.shut();
      return await work(log?.apartPath ?? null);
    } finally {
      this.busy.delete(sessionId);
      end();
    }
  }

  /** Closes every log once what is being moved or replaced is in its place; none is opened afterwards. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.busy.values());
    await Promise.allSettled(this.opening.values());
    await Promise.all([...this.live.values()].map((log) => log.shut()));
  }

  private async closeUnused(sessionId: string): Promise<void> {
    if (this.users.has(sessionId) || this.held.has(sessionId)) return;
    await this.live.get(sessionId)?.shut();
  }

  /** The one log of a session, opened if need be; never one that is being closed. */
  private async logOf(sessionId: string): Promise<JournalLog> {
    for (;;) {
      const busy = this.busy.get(sessionId);
      if (busy) {
        await busy;
        continue;
      }
      if (this.isClosed) throw new LogClosedError();
      const live = this.live.get(sessionId);
      if (!live) return this.opening.get(sessionId) ?? this.open(sessionId);
      if (!live.closing) return live;
      await live.closing.catch(() => undefined);
    }
  }

  private open(sessionId: string): Promise<JournalLog> {
    const opening = this.openFromDisk(sessionId)
      .then((log) => {
        this.live.set(sessionId, log);
        return log;
      })
      .finally(() => this.opening.delete(sessionId));
    this.opening.set(sessionId, opening);
    return opening;
  }
}
