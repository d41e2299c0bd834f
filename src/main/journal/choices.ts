import type { SessionMeta } from '../ports';
import type { MetaStore } from './meta-store';
import type { OpenLogs } from './open-logs';
import type { Unsaid } from './unsaid';

/**
 * What is chosen for sessions: title, folder, pin. It stands in the sidecar of one that has a file, and in the note of those without (JN49).
 * What can't be saved is not in force.
 */
export class Choices {
  /** Of sessions without a file one choice comes after the other: none is in force before it is noted. */
  private choosing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logs: OpenLogs,
    private readonly metas: MetaStore,
    private readonly unsaid: Unsaid,
  ) {}

  /** @throws SessionError, StorageError if it can't be saved: then it is as it was */
  async set(sessionId: string, patch: Partial<SessionMeta>): Promise<void> {
    const made = this.metas.get(sessionId) ?? (await this.metas.made(sessionId));
    if (this.isUnsaid(sessionId)) {
      const turn = this.choosing.then(() => this.note(sessionId, patch));
      this.choosing = turn.catch(() => undefined);
      if (await turn) return;
    }
    await this.metas.change(sessionId, { ...(this.metas.get(sessionId) ?? made), ...patch });
  }

  /** At the start: what is noted of a session that has a file and no sidecar is what was chosen for it. Never rejects. */
  async takeNoted(sessionId: string): Promise<void> {
    const noted = this.unsaid.get(sessionId);
    if (!noted || this.metas.get(sessionId)) return;
    this.metas.put(sessionId, noted);
    await this.unsaid.forget(sessionId, this.metas.save(sessionId));
  }

  /** Notes what one without a file has that is back. @throws SessionError, StorageError if it can't be noted: it is back all the same */
  async noteAgain(sessionId: string): Promise<void> {
    const meta = this.metas.get(sessionId);
    if (meta && this.isUnsaid(sessionId)) await this.unsaid.noteAgain(sessionId, meta);
  }

  /** False: it got its file meanwhile, and what stands in the note goes. */
  private async note(sessionId: string, patch: Partial<SessionMeta>): Promise<boolean> {
    const former = this.metas.get(sessionId);
    // It was deleted meanwhile.
    if (!former) return true;
    const meta = { ...former, ...patch };
    if (!this.isUnsaid(sessionId)) return false;
    await this.unsaid.choose(sessionId, meta);
    if (!this.isUnsaid(sessionId)) return !this.metas.get(sessionId);
    this.metas.put(sessionId, meta);
    return true;
  }

  private isUnsaid(sessionId: string): boolean {
    return this.logs.get(sessionId)?.isOnDisk === false;
  }
}
