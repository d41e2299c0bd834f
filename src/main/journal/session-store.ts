import type { StoredLine, SyncMark } from '@shared/types';
import type { SessionHeader } from '@shared/session/records/entry';
import { uuidFrom } from '@shared/session/records/ids';
import { toStorageError } from '../own-files/storage-error';
import type { MadeFrom, Reconciled, SessionLog, SessionMeta, SessionStore } from '../ports';
import { Choices, MetaStore } from './meta/meta-store';
import { type ComparedStore, Comparisons } from './copies/comparisons';
import { describeSession, emptyMeta } from './meta/session-meta';
import { DeletedSessions } from './trash/deleted-sessions';
import { type CopyOf, Exports } from './transfer/exports';
import { findSessionOf, listSessions } from './list-sessions';
import { type JournalFs, nodeFs, type PickedFs } from './file/fs';
import { clearCutImports, ImportNote } from './transfer/imports';
import { Imports } from './transfer/take-in';
import { readRowAtEnd } from './file/index-file';
import type { LogEvents, LogSurroundings } from './file/log-parts';
import { makeSession, newSession, openSession } from './open-session';
import { OpenLogs } from './file/open-logs';
import { openInOrder } from './copies/put-in-order';
import { LogClosedError, SessionError } from './file/session-error';
import { replaceJournal } from './copies/replace-journal';
import { checkedSessionId, SessionFiles } from './file/session-files';
import type { JournalLog } from './file/session-log';
import { leafBeforeStray, strayedFrom } from './file/other-writers';
import { Trash } from './trash/trash';
import { Unsaid } from './meta/unsaid';

export interface StoreOptions {
  /** Folder of the journals. */
  dir: string;
  trashDir: string;
  /** Where commands keep their full outputs, in a folder a session: they are deleted and restored with it. */
  outputsDir?: string;
  /** Notes: which exports and imports are under way, and what was chosen for sessions in which nothing was said. */
  exportsFile?: string;
  importsFile?: string;
  unsaidFile?: string;
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
  /** One without a file that was deleted is back and could not be noted: it may be gone at the next start. `why`: in words for the person. */
  onUnnoted?: (sessionId: string, why: unknown) => void;
  /** The file of a session was opened and is not as it was left here. */
  onOther?: (sessionId: string) => void;
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
  /** Removes what exports left that were cut off with an earlier run; resolves to the files that these were to make. Never rejects. Call once. */
  clearCutExports(): Promise<string[]>;
}

interface StoreSurroundings extends Required<LogSurroundings> {
  files: SessionFiles;
  trash: Trash;
}

/** Opens the store: makes its folder, clears what is over 30 days in the trash, reads the sidecars. */
export async function createSessionStore(options: StoreOptions): Promise<JournalStore> {
  const store = new FileSessionStore(options);
  await store.start();
  return store;
}

class FileSessionStore implements JournalStore {
  private readonly around: StoreSurroundings;
  private readonly fs: JournalFs;
  private readonly picked: PickedFs;
  private readonly files: SessionFiles;
  private readonly trashCan: Trash;
  private readonly metas: MetaStore;
  private readonly logs = new OpenLogs((sessionId) => this.openFromDisk(sessionId));
  /** Files of no session, as they were when they were read to their end. */
  private readonly unfit = new Map<string, string>();
  private readonly closed = new AbortController();
  private readonly deleted: DeletedSessions;
  private readonly exports: Exports;
  private readonly importNote: ImportNote;
  private readonly imports: Imports;
  private readonly unsaid: Unsaid;
  private readonly choices: Choices;
  private readonly comparisons: Comparisons;

  constructor(private readonly options: StoreOptions) {
    this.fs = options.fs ?? nodeFs;
    this.picked = options.picked ?? this.fs;
    this.files = new SessionFiles(options.dir);
    this.trashCan = new Trash(this.fs, options.trashDir, options.log, options.outputsDir);
    this.around = {
      fs: this.fs,
      files: this.files,
      trash: this.trashCan,
      clock: options.clock,
      randomHex: options.randomHex,
      log: options.log,
      isClosed: () => this.closed.signal.aborted,
    };
    const describe = (id: string): Promise<SessionMeta> =>
      this.logs.using(id, (log) => describeSession(log, options.clock()));
    this.metas = new MetaStore(this.fs, this.files, describe, options.log);
    this.deleted = new DeletedSessions(this.around, this.metas, (id, work) => this.moving(id, work));
    this.exports = new Exports(this.around, this.picked, this.closed.signal, options.exportsFile);
    this.importNote = new ImportNote(this.fs, options.importsFile, options.log);
    this.unsaid = new Unsaid(this.fs, options.unsaidFile, options.clock, options.log);
    this.choices = new Choices(this.logs, this.metas, this.unsaid);
    this.comparisons = new Comparisons(this.compared(), this.closed.signal);
    this.imports = new Imports(this.taking());
  }

  async start(): Promise<void> {
    await this.fs.makeDir(this.files.dir);
    await this.exports.read();
    await this.trashCan.purge(this.files, this.options.clock());
    await clearCutImports(this.around, this.importNote);
    await this.comparisons.setNamedCopiesAside();
    const ids = await this.files.ids(this.fs);
    await this.metas.readAll(ids, this.options.clock);
    await this.unsaid.read(ids.filter((id) => this.metas.get(id)));
    // Its first message made the file, and then the process died or the disk refused the sidecar.
    for (const id of ids) await this.choices.takeNoted(id);
  }

  get problems(): readonly string[] {
    return [...this.metas.problems, ...this.unsaid.problems];
  }

  list(): ReturnType<SessionStore['list']> {
    return listSessions({ ...this.around, logs: this.logs, metas: this.metas });
  }

  async create(options: Parameters<SessionStore['create']>[0]): Promise<SessionLog> {
    const { id, workspace, demo = false, parentSession } = options;
    const sessionId = id ?? uuidFrom(this.options.randomHex(32));
    const noted = id ? await this.unsaid.claim(id, () => this.isTaken(id)) : null;
    const meta = noted ?? { ...emptyMeta(workspace, this.options.clock()), demo };
    this.metas.put(sessionId, meta);
    // Where that can't be written the session goes on: nothing was said in it yet.
    await this.unsaid.note(sessionId, meta).catch(() => undefined);
    const header = this.header(sessionId, meta.workspace, parentSession);
    return this.logs.add(newSession(this.around, this.files, sessionId, header, this.eventsOf(sessionId)));
  }

  createFrom(options: MadeFrom, lines: (header: SessionHeader) => AsyncIterable<string[]>): Promise<SessionLog> {
    const sessionId = uuidFrom(this.options.randomHex(32));
    const header = this.header(sessionId, options.workspace, options.parentSession);
    const around = { ...this.around, metas: this.metas, open: () => this.open(sessionId) };
    return makeSession(around, header, options, lines(header));
  }

  async findEntry(entryId: string, except: readonly string[]): Promise<string | null> {
    return findSessionOf(entryId, except, { ...this.around, metas: this.metas });
  }

  open(sessionId: string): Promise<SessionLog> {
    return this.logs.hold(sessionId);
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

  named = (): string[] => this.unsaid.named();
  unreadConflicts = (): string[] => this.metas.ids().filter((id) => this.metas.get(id)?.conflict?.isRead === false);

  setMeta(sessionId: string, patch: Partial<SessionMeta>): Promise<void> {
    return this.choices.set(sessionId, patch);
  }

  private async isUsed(id: string): Promise<boolean> {
    return this.logs.get(id) !== undefined || (await this.files.namesOf(this.fs, id)).length > 0;
  }

  private async isTaken(id: string): Promise<boolean> {
    return this.metas.get(id) !== undefined || (await this.isUsed(id)) || (await this.deleted.had(id));
  }

  importFile(path: string): Promise<SessionLog> {
    return this.imports.importFile(path);
  }

  importedFrom(): ReturnType<SessionStore['importedFrom']> {
    return this.imports.importedFrom();
  }

  takeIn(...asked: Parameters<SessionStore['takeIn']>): ReturnType<SessionStore['takeIn']> {
    return this.imports.takeIn(...asked);
  }

  exportTo(sessionId: string, path: string, what: boolean | CopyOf): Promise<void> {
    return this.exports.run(sessionId, path, what, this.logs.get(sessionId));
  }

  clearCutExports(): Promise<string[]> {
    return this.exports.clearCut();
  }

  trash(sessionId: string): Promise<SyncMark | null> {
    return this.deleted.put(sessionId).then((mark) => this.unsaid.forget(sessionId).then(() => mark));
  }

  deletedSessions(): ReturnType<SessionStore['deletedSessions']> {
    return this.deleted.list();
  }

  deleteForGood(sessionId: string): Promise<void> {
    return this.deleted.removeForGood(sessionId);
  }

  trashed(): Promise<string[]> {
    return this.trashCan.ids();
  }

  trashedCrcAt(sessionId: string, seq: number): Promise<number | null> {
    return this.deleted.crcAt(sessionId, seq);
  }

  async restore(sessionId: string): Promise<SessionLog> {
    await this.deleted.bringBack(sessionId);
    const log = await this.open(sessionId);
    await this.choices.noteAgain(sessionId).catch((error: unknown) => this.options.onUnnoted?.(sessionId, error));
    return log;
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

  async marks(): Promise<SyncMark[]> {
    const { fs, files } = this;
    const marks: SyncMark[] = [];
    for (const sessionId of await files.ids(fs)) {
      const isOpen = this.logs.get(sessionId) !== undefined;
      const row = isOpen ? null : await readRowAtEnd(fs, files.journal(sessionId), files.index(sessionId));
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

  async reconcile(sessionId: string, lines: AsyncIterable<StoredLine[]>): Promise<Reconciled> {
    return this.comparisons.reconcile(checkedSessionId(sessionId), lines);
  }

  takeStrays(closing?: string): Promise<Reconciled[]> {
    return this.comparisons.takeStrays(closing);
  }

  /** What puts another file in the place of a journal needs. */
  private replacing() {
    return {
      ...this.around,
      metas: this.metas,
      open: (id: string) => this.open(id),
      moving: <T>(id: string, work: () => Promise<T>) => this.whileLetGo(id, () => this.moving(id, work)),
    };
  }

  private taking(): ConstructorParameters<typeof Imports>[0] {
    return {
      ...this.replacing(),
      picked: this.picked,
      note: this.importNote,
      using: (id, work) => this.logs.using(id, work),
      // What lies beside a journal that is gone would be taken for what belongs to the imported one.
      isTaken: (id) => this.isUsed(id),
      cameBack: (id) => this.deleted.cameBack(id),
    };
  }

  private compared(): ComparedStore {
    const replacing = this.replacing();
    return {
      ...this.around,
      using: (id, work) => this.logs.using(id, work),
      shut: (id) => this.release(id),
      release: (id) => this.whileLetGo(id, () => this.release(id)),
      isDeleted: (id) => this.deleted.has(id),
      keepCopy: (id, part) => this.deleted.keepCopy(id, part),
      open: (id) => this.open(id),
      isApart: (id) => (this.logs.get(id)?.apartPath ?? null) !== null,
      meta: (id) => this.metas.get(id),
      setMeta: async (id, meta) => {
        this.metas.put(id, meta);
        await this.metas.save(id);
      },
      forgetMeta: (id) => this.metas.forget(id),
      replace: (id, lines, rest, old) => replaceJournal(replacing, id, lines, rest, old),
    };
  }

  async close(): Promise<void> {
    this.closed.abort();
    await this.logs.close();
    await this.comparisons.settled();
    await Promise.all([this.exports.settled(), this.metas.settled()]);
    await this.unsaid.settled();
  }

  private async openFromDisk(sessionId: string): Promise<JournalLog> {
    const id = checkedSessionId(sessionId);
    const header = (): SessionHeader => this.header(id, this.metas.get(id)?.workspace ?? '');
    const unwritten = await this.deleted.resume(id);
    if (unwritten) return unwritten;
    const open = (): Promise<JournalLog> => openSession(this.around, this.files, id, header, this.eventsOf(id));
    return openInOrder({ ...this.around, unfit: this.unfit }, id, () => (this.metas.get(id) ? header() : null), open);
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
      // What was noted while it had no file stands in its sidecar from then on.
      created: () => void this.unsaid.forget(sessionId, this.metas.save(sessionId)),
      closed: () => this.deleted.keep(this.logs.closed(sessionId)),
      apart: () => this.options.onApart?.(sessionId),
      other: () => this.options.onOther?.(sessionId),
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
}
