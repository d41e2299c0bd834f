import { basename } from 'node:path';
import { StorageError } from '../../own-files/storage-error';
import type { ImportedFrom, SessionLog, SessionMeta, TakeIn, TakenIn } from '../../ports';
import { beginsEqual } from '../file/append-file';
import type { JournalFs, PickedSource } from '../file/fs';
import { dropIndex } from '../file/index-file';
import { readHeaderOf } from '../file/read-header';
import { SessionError } from '../file/session-error';
import type { JournalLog } from '../file/session-log';
import { writeFileWhole } from '../file/write-whole';
import type { MetaStore } from '../meta/meta-store';
import { describeSession } from '../meta/session-meta';
import {
  copyOf,
  type ImportFacts,
  importFactsSchema,
  type ImportNote,
  importSession,
  type ImportSurroundings,
  openSource,
  type SourceFs,
  toImportError,
} from './imports';
import { versionTitle } from '@shared/policy/session-title';
import { turnEnd } from '@shared/session/tree/turn-end';

const IMPORTED_UNOPENED =
  'The session was imported, but it could not be opened. Restart Espalier to find it in the list of sessions; do not import it again.';

/** The import was stopped by the person, or with the app: nothing is left of the session that was under way. */
class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
}

interface TakingSurroundings extends Omit<ImportSurroundings, 'note'> {
  note: ImportNote;
  metas: MetaStore;
  open(sessionId: string): Promise<SessionLog>;
  /** Works with the log of a session, which is closed again afterwards. */
  using<T>(sessionId: string, work: (log: JournalLog) => Promise<T>): Promise<T>;
  /** Does `work`, which puts a file in the place of a journal, while nobody works in the session and its log is closed. */
  moving<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
  /** A session of an id that was deleted is there again. */
  cameBack(sessionId: string): Promise<void>;
}

/** What a file is to a session that is here: all of it is in there, it goes on where that ends, or it is another. */
type Relation = 'here' | 'goesOn' | 'other';

/** Session files that become sessions: one that is opened at once, or many of a folder. */
export class Imports {
  constructor(private readonly around: TakingSurroundings) {}

  /** See `SessionStore.importFile`. */
  async importFile(path: string): Promise<SessionLog> {
    const sessionId = await importSession(path, this.around);
    const log = await this.around.open(sessionId).catch(notOpened);
    this.around.metas.put(sessionId, await describeSession(log, this.around.clock()));
    await this.save(sessionId);
    return log;
  }

  /** See `SessionStore.importedFrom`. */
  async importedFrom(): Promise<ImportedFrom[]> {
    const { fs, files, log } = this.around;
    const found: ImportedFrom[] = [];
    for (const sessionId of await files.ids(fs)) {
      try {
        const facts = await this.factsOf(sessionId);
        // Sessions that were imported before it was noted, and those that were never imported, are known by their own file.
        const sourceId = facts?.id ?? (facts ? (await readHeaderOf(fs, files.journal(sessionId)))?.id : undefined);
        const bytes = facts?.bytes ?? (await fs.stat(files.journal(sessionId)))?.size ?? 0;
        found.push({ sourceId: sourceId ?? sessionId, sessionId, bytes });
      } catch (error) {
        log.warn(`Of session ${sessionId} it could not be read where it came from`, error);
      }
    }
    return found;
  }

  /** See `SessionStore.takeIn`. */
  async takeIn(path: string, asked: TakeIn): Promise<TakenIn> {
    const picked = watched(this.around.picked, asked);
    const name = basename(path);
    for (const sessionId of asked.among) {
      const relation = await this.relationTo(sessionId, picked, path, name);
      if (relation === 'here') return { kind: 'here', sessionId };
      if (relation === 'other') continue;
      if (!(await asked.mayGrow(sessionId))) return { kind: 'busy', sessionId };
      return this.goOn(sessionId, picked, path, asked);
    }
    const sessionId = await importSession(path, { ...this.around, picked });
    const isSecond = asked.among.length > 0;
    return this.describe(sessionId, isSecond ? 'second' : 'imported', (described) => ({
      ...(isSecond ? { ...described, title: this.titleOfSecond(described) } : described),
      ...(asked.workspace === undefined ? {} : { workspace: asked.workspace, suggestion: undefined }),
    }));
  }

  private async relationTo(sessionId: string, picked: SourceFs, path: string, name: string): Promise<Relation> {
    const { fs, files } = this.around;
    const source = await openSource(picked, path, name);
    try {
      const { size } = await source.stat();
      // Of a file that had to be migrated the journal has other bytes.
      const isMigrated = (await fs.stat(files.original(sessionId))) !== null;
      const there = await fs.open(isMigrated ? files.original(sessionId) : files.journal(sessionId), 'read');
      try {
        const length = (await there.stat()).size;
        if (!(await beginsEqual(there, source, Math.min(size, length)))) return 'other';
        if (size <= length) return 'here';
        return isMigrated ? 'other' : 'goesOn';
      } finally {
        await there.close();
      }
    } catch (error) {
      throw toImportError(error, name);
    } finally {
      await source.close().catch(() => undefined);
    }
  }

  /**
   * A session that is here has all that the file begins with: its journal becomes the whole file, byte for byte. That is written beside it
   * and takes its place at once, while nobody works in the session.
   */
  private async goOn(sessionId: string, picked: SourceFs, path: string, asked: TakeIn): Promise<TakenIn> {
    const { fs, files, note, clock } = this.around;
    const name = basename(path);
    const journal = files.journal(sessionId);
    const before = (await fs.stat(journal))?.size;
    const source = await openSource(picked, path, name);
    try {
      const { size } = await source.stat();
      const place = (from: string, to: string): Promise<void> =>
        this.around.moving(sessionId, async () => {
          if ((await fs.stat(journal))?.size !== before) throw new StorageError('changed', CHANGED);
          // It is of the shorter file. Without one the next who opens the session reads it whole.
          await dropIndex(fs, files.index(sessionId));
          await fs.rename(from, to);
        });
      await note.during(sessionId, () => writeFileWhole(placedBy(fs, place), journal, copyOf(source, size)));
      const facts = await this.factsOf(sessionId);
      const grown: ImportFacts = { version: 3, id: sessionId, ...facts, name, importedAt: clock(), bytes: size };
      await fs.writeText(files.importFacts(sessionId), `${JSON.stringify(grown, null, 2)}\n`);
    } catch (error) {
      throw toImportError(error, name);
    } finally {
      await source.close().catch(() => undefined);
    }
    return this.describe(sessionId, 'grown', ({ workspace, suggestion, ...described }) => {
      const known = this.around.metas.get(sessionId);
      if (!known) return { ...described, workspace: asked.workspace ?? workspace, suggestion };
      const { preview, updatedAt } = described;
      const title = known.titleSource === 'person' ? known.title : described.title;
      return { ...known, title, preview, updatedAt };
    });
  }

  private async describe(
    sessionId: string,
    kind: 'imported' | 'second' | 'grown',
    settle: (described: SessionMeta) => SessionMeta,
  ): Promise<TakenIn> {
    const { using, metas, clock } = this.around;
    const listed = await using(sessionId, async (log) => {
      const meta = settle(await describeSession(log, clock()));
      metas.put(sessionId, meta);
      const { tree, compactions, damage } = log;
      const figures = { entryCount: tree.size, compactions, damage: [...damage], turn: turnEnd(tree) };
      return { sessionId, meta, ...figures };
    }).catch(notOpened);
    await this.save(sessionId);
    const isMigrated = (await this.around.fs.stat(this.around.files.original(sessionId))) !== null;
    return { kind, sessionId, listed, isMigrated };
  }

  private async save(sessionId: string): Promise<void> {
    await Promise.all([this.around.metas.saveMade(sessionId), this.around.cameBack(sessionId)]);
  }

  /** By when something was last said in it, as of a session that went on in two places (docs/specs/safety.md, E1). */
  private titleOfSecond({ title, updatedAt }: SessionMeta): string {
    const { metas } = this.around;
    return versionTitle(title, updatedAt, new Set(metas.ids().map((id) => metas.get(id)?.title ?? '')));
  }

  private async factsOf(sessionId: string): Promise<ImportFacts | undefined> {
    const text = await this.around.fs.readText(this.around.files.importFacts(sessionId)).catch(() => null);
    if (text === null) return undefined;
    try {
      return importFactsSchema.parse(JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}

const CHANGED = 'something was said in the session meanwhile. It was left as it is; import the file again.';

function notOpened(error: unknown): never {
  throw new SessionError(IMPORTED_UNOPENED, { cause: error });
}

/** The file that is taken in, so that one can see how far that is, and stop it. */
function watched(picked: SourceFs, { signal, onBytes }: TakeIn): SourceFs {
  return {
    open: async (path, mode) => {
      const source = await picked.open(path, mode);
      const read: PickedSource['read'] = async (buffer, position) => {
        if (signal.aborted) throw new ImportStopped('The import was stopped.');
        const count = await source.read(buffer, position);
        onBytes(position + count);
        return count;
      };
      return { read, stat: () => source.stat(), close: () => source.close() };
    },
  };
}

/** The same file system, in which `place` moves a file to its name. */
function placedBy(fs: JournalFs, place: JournalFs['rename']): Parameters<typeof writeFileWhole>[0] {
  return {
    open: fs.open.bind(fs),
    rename: place,
    remove: (path) => fs.remove(path),
    syncDir: (dir) => fs.syncDir(dir),
  };
}
