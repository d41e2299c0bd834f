import { toStorageError } from '../../own-files/storage-error';
import type { SessionMeta } from '../../ports';
import { isEmptyFile, type JournalFs } from '../file/fs';
import { readRowAtEnd } from '../file/index-file';
import { PlaceTakenError, SessionError } from '../file/session-error';
import { checkedSessionId, isSafeSessionId, type SessionFiles } from '../file/session-files';
import type { JournalLog } from '../file/session-log';
import type { MetaStore } from '../meta/meta-store';
import { readMeta } from '../meta/session-meta';
import type { Trash } from './trash';
import { runningCrcAt } from './trash-notes';
import type { DeletedSession, SyncMark } from '@shared/types';

interface DeletionSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  trash: Trash;
  /** Unix milliseconds. */
  clock: () => number;
}

/** Deleted sessions without a file that can be taken back: more than toasts that offer it. */
const MAX_UNWRITTEN = 50;

/** Deletes sessions and brings them back. */
export class DeletedSessions {
  /** What is done with a session waits for what is being done with it. */
  private readonly turns = new Map<string, Promise<unknown>>();
  /** Those that were deleted since the start. */
  private readonly ids = new Set<string>();
  /** Those of them that were deleted for good. */
  private readonly forGood = new Set<string>();
  /** Sessions without a file whose log was closed (JN49), those closed last at the end. */
  private readonly unwritten = new Map<string, { log: JournalLog; meta?: SessionMeta }>();

  /** @param moving does `work` while the log of a session is closed; it is told where that wrote if not in its place */
  constructor(
    private readonly around: DeletionSurroundings,
    private readonly metas: MetaStore,
    private readonly moving: <T>(sessionId: string, work: (aside: string | null) => Promise<T>) => Promise<T>,
  ) {}

  /** Whether it was deleted since the start. */
  has(sessionId: string): boolean {
    return this.ids.has(sessionId);
  }

  /** Keeps a copy of a deleted session with it. False, and nothing done, if it was deleted for good meanwhile: nothing of it is kept then. */
  keepCopy(sessionId: string, part: string): Promise<boolean> {
    return this.inTurn(sessionId, async () => {
      if (this.forGood.has(sessionId) && this.ids.has(sessionId)) return false;
      await this.around.trash.keep(part, sessionId);
      return true;
    });
  }

  /** Whether it was deleted since the start, or is in the trash. */
  async had(sessionId: string): Promise<boolean> {
    return this.ids.has(sessionId) || (await this.around.trash.ids()).includes(sessionId);
  }

  /** Keeps what a session without a file has in memory when its log is closed: it is nowhere else. One with a file is not kept. */
  keep(log: JournalLog | undefined): void {
    if (!log || log.isOnDisk) return;
    this.unwritten.delete(log.sessionId);
    this.unwritten.set(log.sessionId, { log });
    const [oldest] = this.unwritten.keys();
    if (this.unwritten.size > MAX_UNWRITTEN && oldest !== undefined) this.unwritten.delete(oldest);
  }

  /** A session without a file whose log was closed, open again; null where there is none, or a file came to its name. */
  async resume(sessionId: string): Promise<JournalLog | null> {
    const kept = this.unwritten.get(sessionId);
    const { fs, files } = this.around;
    if (!kept || this.ids.has(sessionId) || (await fs.kind(files.journal(sessionId))) !== null) return null;
    this.unwritten.delete(sessionId);
    return kept.log.resumed();
  }

  private async inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(checkedSessionId(sessionId));
    const turn = (before ?? Promise.resolve()).then(work, work);
    this.turns.set(sessionId, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(sessionId) === turn) this.turns.delete(sessionId);
    }
  }

  /** Moves the files of a session to the trash. See `SessionStore.trash`. */
  put(sessionId: string): Promise<SyncMark | null> {
    return this.inTurn(sessionId, () => this.putNow(sessionId));
  }

  private putNow(sessionId: string): Promise<SyncMark | null> {
    const { fs, files, trash, clock } = this.around;
    return this.moving(sessionId, async (aside) => {
      // By the file: what the log knows of it may not be there any more.
      const row = await readRowAtEnd(fs, files.journal(sessionId), files.index(sessionId));
      if (aside !== null) await trash.take(aside, sessionId, clock());
      const unwritten = this.unwritten.get(sessionId);
      if (unwritten) unwritten.meta = this.metas.get(sessionId);
      // Nothing of it is anywhere: a folder of the trash would be empty.
      if (!unwritten || (await files.namesOf(fs, sessionId)).length > 0) await trash.put(files, sessionId, clock());
      this.metas.forget(sessionId);
      this.ids.add(sessionId);
      this.forGood.delete(sessionId);
      return row && { sessionId, seq: row.seq, crc: row.crc };
    });
  }

  /** Moves them back. See `SessionStore.restore`. */
  bringBack(sessionId: string): Promise<void> {
    return this.inTurn(sessionId, () => this.bringBackNow(sessionId));
  }

  private async bringBackNow(sessionId: string): Promise<void> {
    const { fs, files, trash, clock } = this.around;
    const path = files.journal(sessionId);
    if (await this.bringBackUnwritten(sessionId)) return;
    const isThere = async (): Promise<boolean> => {
      const there = await writing(fs.stat(path));
      if (!there) return false;
      const deleted = await trash.journalOf(sessionId);
      // One file under both names is what a move left that could not take the old name away.
      if (deleted === null || (await writing(fs.stat(deleted)))?.identity === there.identity) return true;
      if (!(await writing(isEmptyFile(fs, path)))) throw new PlaceTakenError(deleted);
      return false;
    };
    const bringBack = async (): Promise<boolean> =>
      (await isThere()) || (await trash.restore(files, sessionId, clock()));
    // One that is there may be in use: its log stays open.
    const isBack = (await isThere()) || (await this.moving(sessionId, bringBack));
    if (!isBack)
      throw new SessionError(
        'This session is no longer in the trash. Deleted sessions are kept for 30 days, unless they are deleted for good.',
      );
    this.ids.delete(sessionId);
    const meta = await readMeta(fs, files.meta(sessionId));
    if (meta) this.metas.put(sessionId, meta);
  }

  /** False where it had a file, or one is there now: then that is what comes back. */
  private async bringBackUnwritten(sessionId: string): Promise<boolean> {
    const { fs, files, trash } = this.around;
    const meta = this.unwritten.get(sessionId)?.meta;
    if (!meta || !this.ids.has(sessionId)) return false;
    if ((await writing(fs.kind(files.journal(sessionId)))) !== null) return false;
    if ((await trash.journalOf(sessionId)) !== null) return false;
    this.ids.delete(sessionId);
    this.metas.put(sessionId, meta);
    return true;
  }

  /** What can be brought back, deleted last first. */
  async list(): Promise<DeletedSession[]> {
    const { fs, trash } = this.around;
    const sessions = await trash.sessions();
    const listed = await Promise.all(
      sessions.map(async ({ id, deletedAt, files }) => {
        const [meta, journal] = await Promise.all([
          readMeta(fs, files.meta(id)).catch(() => null),
          fs.stat(files.journal(id)).catch(() => null),
        ]);
        if (!isSafeSessionId(id) || !journal) return [];
        return { id, title: meta?.title ?? '', preview: meta?.preview ?? '', deletedAt, bytes: journal.size };
      }),
    );
    return listed.flat();
  }

  /** See `SessionStore.deleteForGood`. */
  removeForGood(sessionId: string): Promise<void> {
    const { files, trash } = this.around;
    return this.inTurn(sessionId, async () => {
      await writing(trash.removeForGood(files, sessionId));
      this.forGood.add(sessionId);
    });
  }

  /** It is there again, from a file: what that has counts from now on. */
  async cameBack(sessionId: string): Promise<void> {
    this.ids.delete(sessionId);
    this.forGood.delete(sessionId);
    await this.around.trash.forgetGone(sessionId);
  }

  /** See `SessionStore.trashedCrcAt`. */
  async crcAt(sessionId: string, seq: number): Promise<number | null> {
    const { fs, trash } = this.around;
    const path = await trash.journalOf(sessionId);
    return (path === null ? trash.gone.crcAt(sessionId, seq) : runningCrcAt(fs, path, seq)).catch(() => null);
  }
}

async function writing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toStorageError(error);
  }
}
