import { toStorageError } from '../../own-files/storage-error';
import type { SessionMeta } from '../../ports';
import type { JournalFs } from '../file/fs';
import type { OpenLogs } from '../file/open-logs';
import type { SessionFiles } from '../file/session-files';
import { readMetaParts } from './session-meta';
import type { Unsaid } from './unsaid';

/** What the person chose for each session, in memory and in a sidecar beside the journal (SF24, JN25). */
export class MetaStore {
  private readonly metas = new Map<string, SessionMeta>();
  /** The same without what is being written. */
  private readonly sure = new Map<string, SessionMeta>();
  /** What can be used of sidecars that were found damaged. */
  private readonly damaged = new Map<string, Partial<SessionMeta>>();
  /** Files of a session that are kept before its sidecar takes their place: as it was found, it is nowhere else. */
  private readonly unkept = new Map<string, () => Promise<void>>();
  private readonly making = new Map<string, Promise<SessionMeta>>();
  /** Sessions whose sidecar is being written, with the promise of the write that will hold the newest state. */
  private readonly writing = new Map<string, { current: Promise<void>; next: Promise<void> | null }>();

  /** @param describe what the journal of a session tells, for a sidecar that was lost */
  constructor(
    private readonly fs: JournalFs,
    private readonly files: SessionFiles,
    private readonly describe: (sessionId: string) => Promise<SessionMeta>,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /** Reads what the sessions have, at the start. Never rejects. */
  async readAll(sessionIds: readonly string[], clock: () => number): Promise<void> {
    for (const id of sessionIds) {
      const { meta, rest, isDamaged, keep } = await readMetaParts(this.fs, this.files.meta(id), clock());
      if (meta) this.put(id, meta);
      if (isDamaged) this.damaged.set(id, rest);
      if (keep) this.unkept.set(id, keep);
    }
  }

  /** What was wrong with the sidecars at the start, for the person. */
  get problems(): readonly string[] {
    const count = this.damaged.size;
    if (count === 0) return [];
    const whose = count === 1 ? 'one session' : `${count} sessions`;
    const what = 'Title, folder, pin and archiving';
    const unkept = this.unkept.size;
    const kept =
      unkept === 0
        ? 'The old files are kept beside the session files, ending in .bad and a number.'
        : 'The old files stay until they can be kept beside the session files, which the disk refuses now. Until then nothing that you choose for these sessions is saved: free some space or check the disk.';
    return [
      `${what} of ${whose} could not be read in full. A lost title was made from the session itself; a lost folder, pin or archiving has to be set again. ${kept}`,
    ];
  }

  get(id: string): SessionMeta | undefined {
    return this.metas.get(id);
  }

  ids(): string[] {
    return [...this.metas.keys()];
  }

  /** Sets the state in memory only. */
  put(id: string, meta: SessionMeta): void {
    this.metas.set(id, meta);
    this.sure.set(id, meta);
  }

  forget(id: string): void {
    this.metas.delete(id);
    this.sure.delete(id);
  }

  /** Sets the state and writes it. Where that fails it is as it was, but for what was set meanwhile. @throws StorageError */
  change(id: string, meta: SessionMeta): Promise<void> {
    this.metas.set(id, meta);
    return this.save(id);
  }

  /** What the disk refused is not in force. */
  private takeBack(id: string, refused: SessionMeta): void {
    const [now, sure] = [this.metas.get(id), this.sure.get(id)];
    if (!now || !sure) return;
    const since = Object.entries(now).filter(([key, value]) => value !== refused[key as keyof SessionMeta]);
    this.metas.set(id, { ...sure, ...(Object.fromEntries(since) as Partial<SessionMeta>) });
  }

  /** The sidecar that was lost, made once for all who ask meanwhile: they go on in their order, each with what the one before chose. */
  made(sessionId: string): Promise<SessionMeta> {
    const making = this.making.get(sessionId);
    if (making) return making;
    const made = this.describe(sessionId)
      .then((described) => {
        const meta = this.metas.get(sessionId) ?? { ...described, ...this.damaged.get(sessionId) };
        this.put(sessionId, meta);
        return meta;
      })
      .finally(() => this.making.delete(sessionId));
    this.making.set(sessionId, made);
    return made;
  }

  /** One that was made from the journal is made again at the next start: a disk that refuses it is no reason not to have the session. */
  async saveMade(sessionId: string): Promise<void> {
    await this.save(sessionId).catch((error: unknown) => {
      this.log.warn(`The sidecar of session ${sessionId} could not be written`, error);
    });
  }

  /** Writes the newest state; many calls at once share one write. Rejects with `StorageError`. */
  save(id: string): Promise<void> {
    const busy = this.writing.get(id);
    if (busy) {
      busy.next ??= busy.current.catch(() => undefined).then(() => this.startWrite(id));
      return busy.next;
    }
    return this.startWrite(id);
  }

  /** Resolves when no sidecar is being written. */
  async settled(): Promise<void> {
    while (this.writing.size > 0) {
      await Promise.allSettled([...this.writing.values()].map(({ current, next }) => next ?? current));
    }
  }

  private startWrite(id: string): Promise<void> {
    const current = this.write(id).finally(() => {
      if (this.writing.get(id)?.current === current) this.writing.delete(id);
    });
    this.writing.set(id, { current, next: null });
    return current;
  }

  private async write(id: string): Promise<void> {
    const meta = this.metas.get(id);
    if (!meta) return;
    try {
      await this.unkept.get(id)?.();
      this.unkept.delete(id);
      await this.fs.makeDir(this.files.dir);
      await this.fs.writeText(this.files.meta(id), `${JSON.stringify(meta, null, 2)}\n`);
      if (this.metas.has(id)) this.sure.set(id, meta);
    } catch (error) {
      this.takeBack(id, meta);
      throw toStorageError(error);
    }
  }
}

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
