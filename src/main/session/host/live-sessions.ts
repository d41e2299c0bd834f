import type { SessionLog } from '../../ports';
import type { AgentSession } from './agent-session';

/** Open sessions that rest are let go of beyond this number: their trees are the memory of the app. */
const MAX_RESTING = 8;

interface Residence {
  open: (sessionId: string) => Promise<AgentSession>;
  /** It may be let go of. */
  mayRest: (session: AgentSession) => boolean;
  /** A session is let go of; its file is still open. */
  onClose: (sessionId: string) => Promise<void>;
  /** It has stopped; its file is closed next. */
  onClosed: (sessionId: string) => Promise<void>;
}

/** A session that nobody may open. */
interface Away {
  /** It is stopped and its file is closed. */
  closed: Promise<void>;
  /** How many are at work on its files. */
  works: number;
  over: Promise<void>;
  end: () => void;
}

/** The sessions that are loaded: opened when asked for, let go of when others were used since. */
export class LiveSessions {
  private readonly live = new Map<string, Promise<AgentSession>>();
  /** Sessions that are being let go of, or whose files are brought in order. */
  private readonly away = new Map<string, Away>();

  constructor(private readonly residence: Residence) {}

  isAway(sessionId: string): boolean {
    return this.away.has(sessionId);
  }

  get(sessionId: string): Promise<AgentSession> {
    const known = this.live.get(sessionId) ?? this.openAgain(sessionId);
    // Moved to the end: the first in the map are those used longest ago.
    this.live.delete(sessionId);
    this.live.set(sessionId, known);
    known.catch(() => {
      if (this.live.get(sessionId) === known) this.live.delete(sessionId);
    });
    void this.unloadResting();
    return known;
  }

  /** The session if it is loaded, else null. */
  async loaded(sessionId: string): Promise<AgentSession | null> {
    return (await this.live.get(sessionId)?.catch(() => null)) ?? null;
  }

  async all(): Promise<AgentSession[]> {
    const sessions = await Promise.all([...this.live.values()].map((session) => session.catch(() => null)));
    return sessions.filter((session) => session !== null);
  }

  /** @param before what it waits for; who asks for the session meanwhile waits with it, instead of opening another */
  async adopt(sessionId: string, load: () => Promise<AgentSession>, before = Promise.resolve()): Promise<void> {
    this.live.set(sessionId, before.then(load));
    await this.get(sessionId);
  }

  /** Loads a session on its new file. */
  async takeAnew(sessionId: string, load: () => Promise<AgentSession>, log: SessionLog): Promise<void> {
    const loading = this.live.get(sessionId);
    const known = await this.loaded(sessionId);
    // Asked for meanwhile, it was opened on the new file already, and may be in use.
    if (known?.log === log) return;
    if (this.live.get(sessionId) !== loading) await this.get(sessionId);
    else
      await this.adopt(
        sessionId,
        load,
        known?.dispose().catch(() => undefined),
      );
  }

  /** Unloads a session and does `work`; who asks for it waits until all such work is done. Such work may do more of it. */
  async whileAway<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const away = this.away.get(sessionId) ?? this.beginAway(sessionId);
    away.works += 1;
    try {
      await away.closed;
      return await work();
    } finally {
      away.works -= 1;
      if (away.works === 0) {
        this.away.delete(sessionId);
        away.end();
      }
    }
  }

  /** Lets go of all. */
  async close(): Promise<void> {
    await Promise.all([...this.live.keys()].map((id) => this.unload(id)));
  }

  private async openAgain(sessionId: string): Promise<AgentSession> {
    // Once: who lets go of it next waits for this session, to close it.
    await this.away.get(sessionId)?.over;
    return this.residence.open(sessionId);
  }

  /** Resolves when the session is stopped and its file closed; who asks for it meanwhile gets a fresh one afterwards. */
  private async unload(sessionId: string): Promise<void> {
    if (this.live.has(sessionId) || this.away.has(sessionId)) await this.whileAway(sessionId, () => Promise.resolve());
  }

  private beginAway(sessionId: string): Away {
    const loading = this.live.get(sessionId);
    this.live.delete(sessionId);
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const away = { closed: loading ? this.letGo(sessionId, loading) : Promise.resolve(), works: 0, over, end };
    this.away.set(sessionId, away);
    return away;
  }

  private async letGo(sessionId: string, loading: Promise<AgentSession>): Promise<void> {
    const session = await loading.catch(() => null);
    const closing = this.residence.onClose(sessionId).catch(() => undefined);
    await session?.dispose();
    await closing;
    await this.residence.onClosed(sessionId).catch(() => undefined);
    await session?.log.close();
  }

  private async unloadResting(): Promise<void> {
    const oldest = [...this.live].slice(0, Math.max(0, this.live.size - MAX_RESTING));
    for (const [sessionId, loading] of oldest) {
      const session = await loading.catch(() => null);
      if (!session || !this.residence.mayRest(session) || this.live.get(sessionId) !== loading) continue;
      await this.unload(sessionId).catch(() => undefined);
    }
  }
}
