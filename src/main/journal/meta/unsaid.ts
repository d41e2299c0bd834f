import { z } from 'zod';
import { toStorageError } from '../../own-files/storage-error';
import type { SessionMeta } from '../../ports';
import { type JournalFs, moveIfThere } from '../file/fs';
import { SessionError } from '../file/session-error';
import { isSafeSessionId } from '../file/session-files';
import { metaSchema } from './session-meta';

/** More than anybody leaves with a draft and nothing else; the newest are kept. */
const MOST = 50;
/** Those that the person named or pinned are never given up for others: one more is refused. */
const MOST_WANTED = 1_000;

const schema = z.tuple([z.string().refine(isSafeSessionId), metaSchema]);

const WHAT = 'Title, folder and pin of sessions without messages';

/**
 * What was chosen for sessions in which nothing was said: folder, title, pin. They have no file, so it is noted here, and a session that is
 * made again for its draft has it (CM1). Nothing takes the place of a note that was not read or set aside (A5).
 */
export class Unsaid {
  private noted = new Map<string, SessionMeta>();
  /** Ids that were asked for: two that ask at once would have two logs. */
  private readonly claimed = new Set<string>();
  private writing: Promise<void> = Promise.resolve();
  /** The file could not be read: tried again before it is needed. */
  private isUnread = false;
  /** What was wrong with it at the start, for the person: at most one sentence. */
  problems: readonly string[] = [];

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly clock: () => number,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /**
   * Reads what earlier runs noted. Call once; never rejects.
   * @param said ids of the sessions that have a file and a sidecar by now
   */
  async read(said: readonly string[]): Promise<void> {
    const { path } = this;
    if (path === undefined) return;
    try {
      const isWhole = await this.load(path);
      if (!isWhole) await this.setAside(path);
      if (said.filter((id) => this.noted.delete(id)).length > 0 || (!isWhole && this.noted.size > 0))
        await this.write(path).catch(() => undefined);
    } catch (error) {
      this.isUnread = true;
      this.problems = [`${WHAT} could not be read. ${path} was left as it is and is tried again when it is needed.`];
      this.log.warn('The note of sessions without messages could not be read', error);
    }
  }

  /** Takes what can be used and was not chosen anew. False if that is not all. Rejects if nothing could be read, or it can't be parsed and moved. */
  private async load(path: string): Promise<boolean> {
    const stored = parseJson((await this.fs.readText(path)) ?? '[]');
    const parts = Array.isArray(stored) ? stored.map((part) => schema.safeParse(part)) : [];
    const newer = this.noted;
    this.noted = new Map(parts.flatMap(({ data }) => (data ? [data] : [])));
    for (const [id, meta] of newer) this.noted.set(id, meta);
    this.giveUp(isPlain, MOST);
    this.giveUp(isWanted, MOST_WANTED);
    return Array.isArray(stored) && parts.every(({ success }) => success);
  }

  private async setAside(path: string): Promise<void> {
    const aside = `${path}.bad-${this.clock()}`;
    await moveIfThere(this.fs, path, aside);
    this.problems = [`${WHAT} could not be read in full. The old file is kept as ${aside}.`];
  }

  /** What could not be read is read now, or set aside. */
  private async readAgain(path: string): Promise<void> {
    if (!this.isUnread) return;
    if (!(await this.load(path).catch(() => false))) await this.setAside(path);
    this.isUnread = false;
  }

  /**
   * What is noted of a session that is made under an id that it had; null if nothing is.
   * @throws SessionError if there is or was one of that id
   */
  async claim(id: string, isTaken: () => Promise<boolean>): Promise<SessionMeta | null> {
    const isFirst = !this.claimed.has(id);
    this.claimed.add(id);
    const isThere = await isTaken().catch((error: unknown) => {
      // Nobody knows: the next one who asks may have it.
      if (isFirst) this.claimed.delete(id);
      throw error;
    });
    if (!isFirst || isThere) throw new SessionError('This session is there already.');
    if (this.path !== undefined) await this.readAgain(this.path).catch(() => undefined);
    return this.noted.get(id) ?? null;
  }

  /** Those that the person named or pinned: they are wanted, with a draft or without. */
  named(): string[] {
    return this.idsOf(isWanted);
  }

  private idsOf(which: (meta: SessionMeta) => boolean): string[] {
    return [...this.noted].filter(([, meta]) => which(meta)).map(([id]) => id);
  }

  /** Gives up the oldest of those that are more than so many. */
  private giveUp(which: (meta: SessionMeta) => boolean, most: number): void {
    const ids = this.idsOf(which);
    for (const id of ids.slice(0, Math.max(0, ids.length - most))) this.noted.delete(id);
  }

  /** Refuses a name or a pin that could be noted only in the place of another one. @throws SessionError */
  private admit(id: string, meta: SessionMeta): void {
    const known = this.noted.get(id);
    const isNew = isWanted(meta) && !(known && isWanted(known));
    if (isNew && this.idsOf(isWanted).length >= MOST_WANTED) throw new SessionError(TOO_MANY);
  }

  /** Notes what the person chose, or what it was before is noted still. @throws SessionError, StorageError if it can't be */
  async choose(id: string, meta: SessionMeta): Promise<void> {
    this.admit(id, meta);
    const former = this.noted.get(id);
    try {
      await this.note(id, meta);
    } catch (error) {
      // The next write would store what was refused.
      if (this.noted.get(id) === meta) {
        if (former) this.noted.set(id, former);
        else this.noted.delete(id);
      }
      throw error;
    }
  }

  /** Notes one that was deleted again. @throws SessionError, StorageError if it can't be */
  async noteAgain(id: string, meta: SessionMeta): Promise<void> {
    this.admit(id, meta);
    await this.note(id, meta);
  }

  /** Notes what a session has. @throws StorageError if that can't be written: then the next write tries it again */
  async note(id: string, meta: SessionMeta): Promise<void> {
    if (this.noted.get(id) === meta) return;
    this.noted.delete(id);
    this.noted.set(id, meta);
    this.giveUp(isPlain, MOST);
    if (this.path !== undefined) await this.write(this.path);
  }

  /** What is noted of a session; undefined if nothing is. */
  get(id: string): SessionMeta | undefined {
    return this.noted.get(id);
  }

  /**
   * It has a file, or is deleted: nothing of it stays in the note. Never rejects.
   * @param saved what stood in it stands elsewhere by then; where that fails it stays noted
   */
  forget(id: string, saved: Promise<void> = Promise.resolve()): Promise<void> {
    const { path } = this;
    this.writing = Promise.all([this.writing, saved])
      .then(() => (path !== undefined && this.noted.delete(id) ? this.writeNow(path) : undefined))
      .catch(() => undefined);
    return this.writing;
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.writing;
  }

  /** Writes what is noted by then. @throws StorageError */
  private write(path: string): Promise<void> {
    const written = this.writing.then(() => this.writeNow(path));
    this.writing = written.catch(() => undefined);
    return written;
  }

  private async writeNow(path: string): Promise<void> {
    try {
      await this.readAgain(path);
      await this.fs.writeText(path, JSON.stringify([...this.noted]));
    } catch (error) {
      this.log.warn('What was chosen for a session could not be noted', error);
      throw toStorageError(error);
    }
  }
}

const TOO_MANY = `${MOST_WANTED.toLocaleString('en-US')} sessions without messages are named or pinned already. Delete some of them, or send a message in this one first.`;

/** The person named or pinned it. */
function isWanted({ pinned, titleSource }: SessionMeta): boolean {
  return pinned || titleSource === 'person';
}

function isPlain(meta: SessionMeta): boolean {
  return !isWanted(meta);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
