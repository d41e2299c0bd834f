import type { Emit, ForeignFile, SessionMeta, SessionStore } from '../../ports';
import type { OpenQuestion } from '@shared/session-state/attention';
import type { SessionState, SessionSummary, TurnEnd, Waiting } from '@shared/types';

/** How often the list hears of a session that streams, and how often its sidecar is written. Milliseconds. */
const TELL_EVERY_MS = 400;
const SAVE_EVERY_MS = 2000;

/** Counts over all entries of a session, what could not be read, and how its newest turn ended. */
interface Figures {
  entryCount: number;
  compactions: number;
  damage: string[];
  turn: TurnEnd;
  foreign?: ForeignFile;
  /** Of a loaded one: the session that its file says it was made from, and not handed off from. */
  parentSession?: string;
}

/** What a loaded session does, and what it asks the person meanwhile. */
interface Doing {
  state: SessionState;
  waiting?: Waiting;
}

/**
 * The sessions list as main knows it: meta from the sidecars, counts from the store, states of the live ones. Changes are
 * told to the window and written to the sidecar at a bounded rate; `flush` writes what is still due.
 */
export class SummaryBook {
  private readonly figures = new Map<string, Figures>();
  private readonly doing = new Map<string, Doing>();
  private readonly patches = new Map<string, Partial<SessionMeta>>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly store: Pick<SessionStore, 'meta' | 'setMeta' | 'list'>,
    private readonly emit: Emit,
    /** Where a session works for which no folder was chosen. */
    private readonly scratchDir: string,
    /** Unix milliseconds. */
    private readonly now: () => number,
    private readonly sinceMoved: (folder: string) => string = (folder) => folder,
  ) {}

  /** All sessions on disk, newest first. */
  async list(): Promise<SessionSummary[]> {
    for (const { sessionId, entryCount, compactions, damage, turn, foreign } of await this.store.list()) {
      if (!this.figures.has(sessionId)) this.figures.set(sessionId, { entryCount, compactions, damage, turn, foreign });
    }
    return [...this.figures.keys()].map((id) => this.summary(id)).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  summary(sessionId: string): SessionSummary {
    const meta = this.meta(sessionId);
    const { foreign, parentSession, ...figures } = this.figuresOf(sessionId);
    return {
      id: sessionId,
      title: meta?.title ?? (foreign ? `${sessionId}.jsonl` : ''),
      workspace: this.workspaceOf(sessionId),
      createdAt: meta?.createdAt ?? 0,
      updatedAt: meta?.updatedAt ?? foreign?.at ?? 0,
      pinned: meta?.pinned ?? false,
      archived: meta?.archived ?? false,
      preview: meta?.preview ?? '',
      demo: meta?.demo ?? false,
      ...(meta?.tour ? { tour: true } : {}),
      ...forkOf(meta, parentSession),
      // What an unloaded session would show if it were opened.
      ...(this.doing.get(sessionId) ?? { state: figures.turn === 'failed' ? 'error' : 'idle' }),
      ...figures,
      damage: [...figures.damage],
      ...(foreign ? { foreign: foreign.what } : {}),
    };
  }

  /** The folder that a session works in: what is shown is what its commands run in. */
  workspaceOf(sessionId: string): string {
    const chosen = this.meta(sessionId)?.workspace;
    return chosen ? this.sinceMoved(chosen) : this.scratchDir;
  }

  /** Meta as it stands, with what is not written yet. */
  meta(sessionId: string): SessionMeta | undefined {
    const saved = this.store.meta(sessionId);
    return saved && { ...saved, ...this.patches.get(sessionId) };
  }

  figuresOf(sessionId: string): Figures {
    return this.figures.get(sessionId) ?? { entryCount: 0, compactions: 0, damage: [], turn: 'none' };
  }

  setFigures(sessionId: string, figures: Figures): void {
    this.figures.set(sessionId, figures);
  }

  setDoing(sessionId: string, state: SessionState, question: OpenQuestion | null): void {
    // It waits since the first of what is open now was asked, as far as that is known.
    const since = question?.since ?? this.doing.get(sessionId)?.waiting?.since ?? this.now();
    this.doing.set(sessionId, question ? { state, waiting: { ...question, since } } : { state });
    this.tell(sessionId);
  }

  /** A change that may be written later: told and saved at a bounded rate. */
  note(sessionId: string, patch: Partial<SessionMeta>): void {
    this.patches.set(sessionId, { ...this.patches.get(sessionId), ...patch });
    this.after(`tell ${sessionId}`, TELL_EVERY_MS, () => this.tell(sessionId));
    this.after(`save ${sessionId}`, SAVE_EVERY_MS, () => void this.save(sessionId).catch(() => undefined));
  }

  /** A change by the person: durable when it resolves. */
  async set(sessionId: string, patch: Partial<SessionMeta>): Promise<void> {
    const due = this.patches.get(sessionId);
    // Taken before the write: what is noted while it runs is due afterwards.
    this.patches.delete(sessionId);
    try {
      await this.store.setMeta(sessionId, { ...due, ...patch });
    } catch (error) {
      if (due) this.patches.set(sessionId, { ...due, ...this.patches.get(sessionId) });
      throw error;
    }
    this.tell(sessionId);
  }

  tell(sessionId: string): void {
    this.cancel(`tell ${sessionId}`);
    this.emit({ type: 'sessions_changed', summary: this.summary(sessionId) });
  }

  forget(sessionId: string): void {
    this.cancel(`tell ${sessionId}`);
    this.cancel(`save ${sessionId}`);
    this.figures.delete(sessionId);
    this.doing.delete(sessionId);
    this.patches.delete(sessionId);
  }

  async save(sessionId: string): Promise<void> {
    this.cancel(`save ${sessionId}`);
    const patch = this.patches.get(sessionId);
    if (!patch) return;
    this.patches.delete(sessionId);
    try {
      await this.store.setMeta(sessionId, patch);
    } catch (error) {
      this.patches.set(sessionId, { ...patch, ...this.patches.get(sessionId) });
      throw error;
    }
  }

  /** Writes what is due and stops all timers. What can't be written is only a preview and a time. */
  async flush(): Promise<void> {
    await Promise.all([...this.patches.keys()].map((id) => this.save(id).catch(() => undefined)));
    for (const key of [...this.timers.keys()]) this.cancel(key);
  }

  private after(key: string, ms: number, act: () => void): void {
    if (this.timers.has(key)) return;
    const timer = setTimeout(() => {
      this.timers.delete(key);
      act();
    }, ms);
    timer.unref?.();
    this.timers.set(key, timer);
  }

  private cancel(key: string): void {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
  }
}

/** A fork that no sidecar tells of is known by its file. What was set apart of a session (docs/specs/safety.md E1) is none. */
function forkOf(meta: SessionMeta | undefined, parentSession: string | undefined): Pick<SessionSummary, 'fork'> {
  if (meta?.fork) return { fork: meta.fork };
  return parentSession === undefined || meta?.conflict ? {} : { fork: { of: parentSession, title: '' } };
}
