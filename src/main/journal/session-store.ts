import { basename } from 'node:path';
import type { StoredLine, SyncMark } from '@shared/types';
import type { SessionHeader } from '@shared/session/entry';
import { NotASessionFileError } from '@shared/session/errors';
import { uuidFrom } from '@shared/session/ids';
import { serializeHeader } from '@shared/session/serialize-entry';
import { ExportParts } from './export-parts';
import { exportSession } from './export-session';
import { removeHalves } from './halves';
import { importSession } from './import-session';
import { writeNewFile } from './write-whole';
import type { FoundInstead, Reconciled, SessionLog, SessionMeta, SessionStore } from '../ports';
import { describeSession } from './describe-session';
import { errorCode, isEmptyFile, moveIfThere, nodeFs } from './fs';
import type { JournalFs, PickedFs } from './fs';
import { dropIndex, readRowAtEnd } from './index-file';
import type { IndexRow } from './index-format';
import { hasEntry } from './find-entry';
import { OpenLogs } from './open-logs';
import { newSession, openSession } from './open-session';
import { putInOrder } from './put-in-order';
import { writeRebuilt } from './rebuild-journal';
import { reconcile } from './reconcile';
import type { OldJournal, ReconcileSurroundings } from './reconcile';
import { LogClosedError, PlaceTakenError, SessionError, UNREADABLE, whatIsThere } from './session-error';
import { isSafeSessionId, SessionFiles } from './session-files';
import type { JournalLog } from './session-log';
import type { LogEvents, LogSurroundings } from './log-parts';
import { runningCrcAt } from './running-crc';
import { emptyMeta, MetaStore, readMeta, readMetaParts } from './session-meta';
import { toStorageError } from '../own-files/storage-error';
import { leafBeforeStray, strayedFrom } from './strayed-from';
import { copyPath, setNamedCopiesAside, takeStrays } from './strays';
import { readTail } from './tail';
import type { SessionTail } from './tail';
import { Trash } from './trash';
import { whatInstead } from './what-file';

export interface StoreOptions {
  /** Folder of the journals. */
  dir: string;
  trashDir: string;
  /** Where commands keep their full outputs, in a folder a session: they are deleted and restored with it. */
  outputsDir?: string;
  /** Where it is noted which exports are under way. */
  exportsFile?: string;
  /** Unix milliseconds. */
  clock: () => number;
  /** Random lowercase hex digits. */
  randomHex: (length: number) => string;
  log: { warn(message: string, detail?: unknown): void };
  /** Default: the real one. */
  fs?: JournalFs;
  /** For files that a person picked, to import or to export to; default: `fs`. */
  picked?: PickedFs;
  /** The file of an open session was replaced by another one; it goes on beside it until `takeStrays` is asked for it. */
  onApart?: (sessionId: string) => void;
  /** Another program wrote entries into the file of an open session that follow nothing in it. */
  onStrayed?: (sessionId: string, entries: number) => void;
  /**
   * Does `work`, which closes a log and may put another file in its place, while nobody works in the session: what is under way is
   * recorded before. Rejects, and nothing is done, where it can't be.
   */
  whileLetGo?: <T>(sessionId: string, work: () => Promise<T>) => Promise<T>;
}

/** What the journal offers beyond the contract of ports.ts. */
export interface JournalStore extends SessionStore {
  /** What was wrong with the sidecars at the start, for the person. */
  readonly problems: readonly string[];
  /**
   * The newest part of a session without reading the rest (QP4). Null if only a full open can tell: no index,
   * or the leaf lies further back.
   */
  openTail(sessionId: string, options?: { maxBytes?: number }): Promise<SessionTail | null>;
  /** Removes what exports left that were cut off with an earlier run; resolves to the files that these were to make. Never rejects. Call once. */
  clearCutExports(): Promise<string[]>;
}

const IMPORTED_UNOPENED =
  'The session was imported, but it could not be opened. Restart Espalier to find it in the list of sessions; do not import it again.';

type Listed = Awaited<ReturnType<SessionStore['list']>>[number];

/** Milliseconds that the exports under way have at the end, to take their parts away. */
const EXPORT_ENDS_MS = 1000;

/** Opens the store: makes its folder, clears what is over 30 days in the trash, reads the sidecars. */
export async function createSessionStore(options: StoreOptions): Promise<JournalStore> {
  const store = new FileSessionStore(options);
  await store.start();
  return store;
}

class FileSessionStore implements JournalStore {
  private readonly around: LogSurroundings;
  private readonly fs: JournalFs;
  private readonly picked: PickedFs;
  private readonly files: SessionFiles;
  private readonly trashCan: Trash;
  private readonly metas: MetaStore;
  /** What can be used of sidecars that were found damaged. */
  private readonly damagedMetas = new Map<string, Partial<SessionMeta>>();
  private readonly logs = new OpenLogs((sessionId) => this.openFromDisk(sessionId));
  private readonly making = new Map<string, Promise<SessionMeta>>();
  /** The last comparison of each session. */
  private readonly turns = new Map<string, Promise<unknown>>();
  /** Files of no session, as they were when they were read to their end. */
  private readonly unfit = new Map<string, string>();
  /** Sessions that were deleted since the start. */
  private readonly deleted = new Set<string>();
  /** Comparisons and rebuildings that `close` waits for. */
  private readonly comparing = new Set<Promise<unknown>>();
  private readonly exporting = new Set<Promise<unknown>>();
  private readonly closed = new AbortController();

  private readonly parts: ExportParts;

  constructor(private readonly options: StoreOptions) {
    this.fs = options.fs ?? nodeFs;
    this.parts = new ExportParts(this.fs, options.exportsFile, options.log);
    this.picked = options.picked ?? this.fs;
    this.around = {
      fs: this.fs,
      clock: options.clock,
      randomHex: options.randomHex,
      log: options.log,
      isClosed: () => this.closed.signal.aborted,
    };
    this.files = new SessionFiles(options.dir);
    this.trashCan = new Trash(this.fs, options.trashDir, options.log, options.outputsDir);
    this.metas = new MetaStore(this.fs, this.files);
  }

  async start(): Promise<void> {
    await this.fs.makeDir(this.files.dir);
    await this.parts.read();
    await this.trashCan.purge(this.files, this.options.clock()).catch((error: unknown) => {
      this.options.log.warn('The trash could not be cleared', error);
    });
    await removeHalves(this.fs, this.files, this.trashCan, this.options.clock()).catch((error: unknown) => {
      this.options.log.warn('What an import left that was cut off could not be removed', error);
    });
    await setNamedCopiesAside(this.reconciling(), this.options.log);
    for (const id of await this.files.ids(this.fs)) {
      const { meta, rest, isDamaged, keep } = await readMetaParts(this.fs, this.files.meta(id), this.options.clock());
      if (meta) this.metas.put(id, meta);
      if (isDamaged) this.damagedMetas.set(id, rest);
      if (keep) this.metas.keepFirst(id, keep);
    }
  }

  get problems(): readonly string[] {
    const count = this.damagedMetas.size;
    if (count === 0) return [];
    const whose = count === 1 ? 'one session' : `${count} sessions`;
    const what = 'Title, folder, pin and archiving';
    const unkept = this.metas.unkeptCount;
    const kept =
      unkept === 0
        ? 'the old files are kept beside the session files, ending in .bad and a number.'
        : 'the old files stay until they can be kept beside the session files, which the disk refuses now. Until then nothing that you choose for these sessions is saved: free some space or check the disk.';
    return [`${what} of ${whose} could not be read in full. What was lost is made from the session’s words; ${kept}`];
  }

  async list(): Promise<Listed[]> {
    const ids = new Set([...(await this.files.ids(this.fs)), ...this.logs.ids()]);
    const listed: Listed[] = [];
    for (const id of ids) {
      if (this.closed.signal.aborted) throw new LogClosedError();
      try {
        listed.push(await this.describe(id));
      } catch (error) {
        this.options.log.warn(`Session ${id} could not be listed`, error);
        listed.push(await this.unreadable(id, error));
      }
    }
    return listed;
  }

  async create(options: { workspace: string; parentSession?: string; demo?: boolean }): Promise<SessionLog> {
    const sessionId = uuidFrom(this.options.randomHex(32));
    const now = this.options.clock();
    this.metas.put(sessionId, { ...emptyMeta(options.workspace, now), demo: options.demo === true });
    const header = this.header(sessionId, options.workspace, options.parentSession);
    return this.logs.add(newSession(this.around, this.files, sessionId, header, this.eventsOf(sessionId)));
  }

  async createFrom(
    options: { workspace: string; parentSession: string; demo?: boolean; title?: string },
    lines: (header: SessionHeader) => AsyncIterable<string[]>,
  ): Promise<SessionLog> {
    const sessionId = uuidFrom(this.options.randomHex(32));
    const header = this.header(sessionId, options.workspace, options.parentSession);
    await writeNewFile(this.fs, this.files.journal(sessionId), linesOf(header, lines(header)), this.options.log);
    const log = await this.open(sessionId);
    const { suggestion: _own, ...meta } = await describeSession(log, this.options.clock());
    const title = options.title ? { title: options.title } : {};
    this.metas.put(sessionId, { ...meta, ...title, workspace: options.workspace, demo: options.demo === true });
    await this.metas.save(sessionId);
    return log;
  }

  async findEntry(entryId: string, except: readonly string[]): Promise<string | null> {
    const ids = (await this.files.ids(this.fs)).filter((id) => !except.includes(id));
    const time = (id: string): number => this.metas.get(id)?.updatedAt ?? 0;
    for (const id of ids.sort((a, b) => time(b) - time(a))) {
      if (await hasEntry(this.fs, this.files.journal(id), entryId).catch(() => false)) return id;
    }
    return null;
  }

  open(sessionId: string): Promise<SessionLog> {
    return this.logs.hold(sessionId);
  }

  async openTail(sessionId: string, { maxBytes = 256 * 1024 } = {}): Promise<SessionTail | null> {
    if (!isSafeSessionId(sessionId)) return null;
    await this.logs.get(sessionId)?.settled();
    return readTail(this.fs, this.files.journal(sessionId), this.files.index(sessionId), maxBytes).catch(
      (error: unknown) => {
        if (whatIsThere(error) === null) throw error;
        return null;
      },
    );
  }

  async *lines(sessionId: string, fromSeq: number): ReturnType<SessionStore['lines']> {
    const { log, giveBack } = await this.logs.borrow(sessionId);
    try {
      yield* log.lines(fromSeq);
    } catch (error) {
      // The contract: the chunks end where the file is moved or replaced.
      if (!(error instanceof LogClosedError)) throw error;
    } finally {
      await giveBack();
    }
  }

  meta(sessionId: string): SessionMeta | undefined {
    return this.metas.get(sessionId);
  }

  unreadConflicts(): string[] {
    return this.metas.ids().filter((id) => this.metas.get(id)?.conflict?.isRead === false);
  }

  async setMeta(sessionId: string, patch: Partial<SessionMeta>): Promise<void> {
    const made = this.metas.get(sessionId) ?? (await this.makeMeta(sessionId));
    this.metas.put(sessionId, { ...(this.metas.get(sessionId) ?? made), ...patch });
    // A session without a file leaves nothing behind; its sidecar comes with its file.
    if (this.logs.get(sessionId)?.isOnDisk ?? true) await this.metas.save(sessionId);
  }

  async importFile(path: string): Promise<SessionLog> {
    const sessionId = await importSession(path, {
      ...this.around,
      picked: this.picked,
      files: this.files,
      // What lies beside a journal that is gone would be taken for what belongs to the imported one.
      isTaken: async (id) => this.logs.get(id) !== undefined || (await this.files.namesOf(this.fs, id)).length > 0,
    });
    const log = await this.open(sessionId).catch((error: unknown) => {
      throw new SessionError(IMPORTED_UNOPENED, { cause: error });
    });
    this.metas.put(sessionId, await describeSession(log, this.options.clock()));
    await this.saveMadeMeta(sessionId);
    return log;
  }

  async exportTo(sessionId: string, path: string, original: boolean): Promise<void> {
    // From its first step on: a quit in the middle of that must not end before the part is gone.
    const done = this.exportNow(sessionId, path, original);
    this.exporting.add(done);
    await done.finally(() => this.exporting.delete(done));
  }

  private async exportNow(sessionId: string, path: string, original: boolean): Promise<void> {
    const live = this.logs.get(sessionId);
    await live?.settled();
    if (live && !live.isOnDisk) throw new SessionError('This session has nothing to export yet. Send a message first.');
    // What goes on beside a file that took its place is the session that is shown.
    await exportSession(
      this.fs,
      this.files,
      this.idOf(sessionId),
      path,
      original,
      live?.apartPath ?? undefined,
      this.picked,
      this.closed.signal,
      this.parts,
    );
  }

  clearCutExports(): Promise<string[]> {
    return this.parts.clear(this.picked);
  }

  async trash(sessionId: string): Promise<SyncMark | null> {
    return this.moving(this.idOf(sessionId), async (aside) => {
      // By the file: what the log knows of it may not be there any more.
      const row = await this.rowAtEnd(sessionId);
      if (aside !== null) await this.trashCan.take(aside, sessionId, this.options.clock());
      await this.trashCan.put(this.files, sessionId, this.options.clock());
      this.metas.forget(sessionId);
      this.deleted.add(sessionId);
      return row && { sessionId, seq: row.seq, crc: row.crc };
    });
  }

  /**
   * Moves or replaces the files of a session while its log is closed and nobody opens it: what is appended is written to the old file before,
   * or to the new one afterwards.
   */
  private async moving<T>(sessionId: string, work: (apartPath: string | null) => Promise<T>): Promise<T> {
    try {
      return await this.logs.exclusive(sessionId, async (apartPath) => {
        await this.metas.settled();
        return work(apartPath);
      });
    } catch (error) {
      throw error instanceof SessionError ? error : toStorageError(error);
    }
  }

  trashed(): Promise<string[]> {
    return this.trashCan.ids();
  }

  async trashedCrcAt(sessionId: string, seq: number): Promise<number | null> {
    const path = await this.trashCan.journalOf(sessionId);
    return path === null ? null : runningCrcAt(this.fs, path, seq).catch(() => null);
  }

  async restore(sessionId: string): Promise<SessionLog> {
    const path = this.files.journal(this.idOf(sessionId));
    const isThere = async (): Promise<boolean> => {
      const there = await writing(this.fs.stat(path));
      if (!there) return false;
      const deleted = await this.trashCan.journalOf(sessionId);
      // One file under both names is what a move left that could not take the old name away.
      if (deleted === null || (await writing(this.fs.stat(deleted)))?.identity === there.identity) return true;
      if (!(await writing(isEmptyFile(this.fs, path)))) throw new PlaceTakenError(deleted);
      return false;
    };
    const bringBack = async (): Promise<boolean> =>
      (await isThere()) || (await this.trashCan.restore(this.files, sessionId, this.options.clock()));
    // One that is there may be in use: its log stays open.
    const isBack = (await isThere()) || (await this.moving(sessionId, bringBack));
    if (!isBack)
      throw new SessionError('This session is no longer in the trash: deleted sessions are kept for 30 days.');
    this.deleted.delete(sessionId);
    const meta = await readMeta(this.fs, this.files.meta(sessionId));
    if (meta) this.metas.put(sessionId, meta);
    return this.open(sessionId);
  }

  async marks(): Promise<SyncMark[]> {
    const marks: SyncMark[] = [];
    for (const sessionId of await this.files.ids(this.fs)) {
      const row = this.logs.get(sessionId) ? null : await this.rowAtEnd(sessionId);
      if (row) marks.push({ sessionId, seq: row.seq, crc: row.crc });
      else await this.logs.using(sessionId, async (log) => void marks.push(log.mark())).catch(() => undefined);
    }
    return marks;
  }

  async crcAt(sessionId: string, seq: number): Promise<number | null> {
    return this.logs.using(sessionId, (log) => Promise.resolve(log.crcAt(seq))).catch(() => null);
  }

  strayedFrom(sessionId: string, seq: number): Promise<number> {
    return this.logs
      .using(sessionId, async (log) => {
        const messages = strayedFrom(log.tree, seq);
        // On the disk: else each reader of the file would take it for where the conversation is.
        const leafBefore = leafBeforeStray(log.tree, seq);
        if (leafBefore !== null) await log.moveLeaf(leafBefore, 'foreign');
        return messages;
      })
      .catch(() => 0);
  }

  reconcile(sessionId: string, lines: AsyncIterable<StoredLine[]>): Promise<Reconciled> {
    return this.untilDone(async () => {
      const copy = untilAborted(lines, this.closed.signal);
      return reconcile(this.reconciling(), this.idOf(sessionId), copy, 'here', true);
    }).catch((error: unknown) => {
      throw errorCode(error) === '' ? error : toStorageError(error);
    });
  }

  takeStrays(closing?: string): Promise<Reconciled[]> {
    return this.untilDone(async () => {
      if (closing !== undefined) await this.release(closing);
      return takeStrays(this.reconciling(), this.options.log);
    });
  }

  /** Work that `close` waits for; refused once the store is being closed. */
  private async untilDone<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed.signal.aborted) throw new LogClosedError();
    const done = work();
    this.comparing.add(done);
    try {
      return await done;
    } finally {
      this.comparing.delete(done);
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

  private reconciling(): ReconcileSurroundings {
    return {
      fs: this.fs,
      files: this.files,
      trash: this.trashCan,
      clock: this.options.clock,
      using: (id, work) => this.logs.using(id, work),
      release: (id) => this.whileLetGo(id, () => this.release(id)),
      isDeleted: (id) => this.deleted.has(id),
      isClosed: () => this.closed.signal.aborted,
      inTurn: (id, work) => this.inTurn(id, work),
      open: (id) => this.open(id),
      isApart: (id) => (this.logs.get(id)?.apartPath ?? null) !== null,
      meta: (id) => this.metas.get(id),
      setMeta: async (id, meta) => {
        this.metas.put(id, meta);
        await this.metas.save(id);
      },
      forgetMeta: (id) => this.metas.forget(id),
      replace: (id, lines, rest, old) => this.replace(id, lines, rest, old),
    };
  }

  /** Writes a journal anew from another copy's lines; the old one is kept. Null if it is not as it was read any more. */
  private async replace(
    sessionId: string,
    lines: AsyncIterable<StoredLine[]>,
    rest: readonly StoredLine[],
    old: OldJournal,
  ): Promise<{ log: SessionLog; found?: FoundInstead } | null> {
    const temporary = `${this.files.journal(sessionId)}.new`;
    await writeRebuilt(this.fs, temporary, `${sessionId}.jsonl`, lines, rest);
    const putInPlace = (): ReturnType<FileSessionStore['putInPlace']> => this.putInPlace(sessionId, temporary, old);
    const done = await this.whileLetGo(sessionId, () => this.moving(sessionId, putInPlace)).catch(
      async (error: unknown) => {
        await this.fs.remove(temporary).catch(() => undefined);
        throw error;
      },
    );
    if (!done) return null;
    const log = await this.open(sessionId);
    if (!this.metas.get(sessionId)) {
      // Of a journal that was gone the sidecar may still be there, with the title and the folder that the person chose.
      const kept = await readMeta(this.fs, this.files.meta(sessionId));
      this.metas.put(sessionId, kept ?? (await describeSession(log, this.options.clock())));
      if (!kept) await this.metas.save(sessionId);
    }
    return { log, ...done };
  }

  /** Puts a new journal in the place of what was read there. Null, and nothing done, if it is not so any more. */
  private async putInPlace(
    sessionId: string,
    temporary: string,
    { size, what }: OldJournal,
  ): Promise<{ found?: FoundInstead } | null> {
    const journal = this.files.journal(sessionId);
    const isAsRead = async (): Promise<boolean> => {
      const stat = await this.fs.stat(journal).catch((error: unknown) => {
        if (whatIsThere(error) === null) throw error;
        return null;
      });
      return (stat?.size ?? null) === size;
    };
    if (await isAsRead()) {
      const isJournal = size !== null && size > 0 && what === undefined;
      if (isJournal) await this.trashCan.keepDamaged(journal, sessionId, this.options.clock());
      await dropIndex(this.fs, this.files.index(sessionId));
      // Copying takes its time: another program may have written meanwhile.
      if (await isAsRead()) {
        const found = isJournal ? undefined : await this.setAside(sessionId, { size, what });
        // An empty file of that name is not set aside.
        const isThere = isJournal || (size === 0 && what === undefined);
        if (!(await this.replaceBy(temporary, journal, isThere))) return null;
        await this.fs.syncDir(this.files.dir);
        return found ? { found } : {};
      }
    }
    await this.fs.remove(temporary);
    return null;
  }

  /** Where no journal was, one that comes meanwhile stays. False, and nothing done, then. */
  private async replaceBy(temporary: string, journal: string, wasThere: boolean): Promise<boolean> {
    if (wasThere) {
      await this.fs.rename(temporary, journal);
      return true;
    }
    const isThere = await this.fs.place(temporary, journal).then(
      () => true,
      (error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
        return false;
      },
    );
    if (!isThere) await this.fs.remove(temporary);
    return isThere;
  }

  /**
   * Moves what is in the place of a journal and is none to another name beside it. What may be one that can't be opened gets the name of a
   * copy: it is taken in as soon as it can be read.
   */
  private async setAside(sessionId: string, { size, what }: OldJournal): Promise<FoundInstead | undefined> {
    if (size === 0 && what === undefined) return { what: 'an empty file', keptAs: null };
    const journal = this.files.journal(sessionId);
    const now = this.options.clock();
    const aside = what === UNREADABLE ? copyPath(journal, now) : `${journal}.bad-${now}`;
    const isThere = await moveIfThere(this.fs, journal, aside);
    return isThere ? { what: what ?? 'a link that leads nowhere', keptAs: basename(aside) } : undefined;
  }

  async close(): Promise<void> {
    this.closed.abort();
    await this.logs.close();
    await Promise.allSettled(this.comparing);
    // Each takes its part away again; one on a mount that does not answer is not waited for.
    const late = new Promise((resolve) => setTimeout(resolve, EXPORT_ENDS_MS).unref());
    await Promise.race([Promise.allSettled(this.exporting), late]);
    await this.metas.settled();
  }

  /** A session's line in the list: from its sidecar and the last row of its index where they suffice. */
  private async describe(sessionId: string): Promise<Listed> {
    const meta = this.metas.get(sessionId);
    const row = this.logs.get(sessionId) ? null : await this.rowAtEnd(sessionId);
    if (meta && row && row.malformed === 0) {
      return { sessionId, meta, entryCount: row.entries, compactions: row.compactions, damage: [] };
    }
    return this.logs.using(sessionId, async (log) => {
      const made = meta ?? (await this.makeMeta(sessionId));
      if (!meta) await this.saveMadeMeta(sessionId);
      const known = this.metas.get(sessionId) ?? made;
      const { compactions, damage } = log;
      return { sessionId, meta: known, entryCount: log.tree.size, compactions, damage: [...damage] };
    });
  }

  /** The sidecar that was lost, made once for all who ask meanwhile: they go on in their order, each with what the one before chose. */
  private makeMeta(sessionId: string): Promise<SessionMeta> {
    const making = this.making.get(sessionId);
    if (making) return making;
    const made = this.logs
      .using(sessionId, (log) => describeSession(log, this.options.clock()))
      .then((described) => {
        const meta = this.metas.get(sessionId) ?? { ...described, ...this.damagedMetas.get(sessionId) };
        this.metas.put(sessionId, meta);
        return meta;
      })
      .finally(() => this.making.delete(sessionId));
    this.making.set(sessionId, made);
    return made;
  }

  /** One that was made from the journal is made again at the next start: a disk that refuses it is no reason not to have the session. */
  private async saveMadeMeta(sessionId: string): Promise<void> {
    await this.metas.save(sessionId).catch((error: unknown) => {
      this.options.log.warn(`The sidecar of session ${sessionId} could not be written`, error);
    });
  }

  private async unreadable(sessionId: string, error: unknown): Promise<Listed> {
    const damage = [error instanceof Error ? error.message : String(error)];
    const known = this.metas.get(sessionId);
    const path = this.files.journal(sessionId);
    // One that we once read is damaged, whatever it looks like now.
    const what = known ? undefined : await whatInstead(this.fs, path, error);
    const at = what === undefined ? 0 : await this.fs.stat(path).then((stat) => stat?.modifiedMs ?? 0, () => 0); // prettier-ignore
    const listed = { sessionId, meta: known ?? emptyMeta('', 0), entryCount: 0, compactions: 0, damage };
    return what === undefined ? listed : { ...listed, foreign: { what, at } };
  }

  private rowAtEnd(sessionId: string): Promise<IndexRow | null> {
    return readRowAtEnd(this.fs, this.files.journal(sessionId), this.files.index(sessionId));
  }

  private async openFromDisk(sessionId: string): Promise<JournalLog> {
    const id = this.idOf(sessionId);
    const header = (): SessionHeader => this.header(id, this.metas.get(id)?.workspace ?? '');
    const open = (): Promise<JournalLog> => openSession(this.around, this.files, id, header, this.eventsOf(id));
    return open().catch(async (error: unknown) => {
      if (!(error instanceof Error && error.cause instanceof NotASessionFileError)) throw error;
      const place = {
        fs: this.fs,
        files: this.files,
        trash: this.trashCan,
        clock: this.options.clock,
        unfit: this.unfit,
      };
      const isInOrder = await putInOrder(place, id, this.metas.get(id) ? header() : null).catch((failure: unknown) => {
        this.options.log.warn(`The file of session ${id} could not be put in order`, failure);
        return false;
      });
      if (!isInOrder) throw error;
      this.options.log.warn(
        `The header of session ${id} was not at the beginning of its file, which was put in order.`,
      );
      return open();
    });
  }

  private whileLetGo<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return this.options.whileLetGo?.(sessionId, work) ?? work();
  }

  private async release(sessionId: string): Promise<void> {
    await this.logs.release(sessionId);
    await this.metas.settled();
  }

  private eventsOf(sessionId: string): LogEvents {
    return {
      created: () => {
        this.metas.save(sessionId).catch((error: unknown) => {
          this.options.log.warn('The sidecar of a new session could not be written', error);
        });
      },
      closed: () => this.logs.closed(sessionId),
      apart: () => this.options.onApart?.(sessionId),
      strayed: (entries) => this.options.onStrayed?.(sessionId, entries),
      letGo: () => this.logs.letGo(sessionId),
      leased: () => this.logs.lease(sessionId),
    };
  }

  private header(id: string, cwd: string, parentSession?: string): SessionHeader {
    const timestamp = new Date(this.options.clock()).toISOString();
    return {
      type: 'session',
      version: 3,
      id,
      timestamp,
      cwd,
      ...(parentSession === undefined ? {} : { parentSession }),
    };
  }

  private idOf(sessionId: string): string {
    if (!isSafeSessionId(sessionId)) throw new SessionError('There is no such session.');
    return sessionId;
  }
}

async function* linesOf(header: SessionHeader, batches: AsyncIterable<string[]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${serializeHeader(header)}\n`);
  for await (const lines of batches) yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
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

async function writing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toStorageError(error);
  }
}
