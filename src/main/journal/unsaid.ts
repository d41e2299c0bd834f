import { z } from 'zod';
import type { SessionMeta } from '../ports';
import { moveIfThere } from './fs';
import type { JournalFs } from './fs';
import { SessionError } from './session-error';
import { isSafeSessionId } from './session-files';
import { metaSchema } from './session-meta';

/** More than anybody leaves with a draft and nothing else; the newest are kept. */
const MOST = 50;

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
   * @param said ids of the sessions that have a file by now
   */
  async read(said: readonly string[]): Promise<void> {
    const { path } = this;
    if (path === undefined) return;
    try {
      const isWhole = await this.load(path);
      if (!isWhole) await this.setAside(path);
      if (said.filter((id) => this.noted.delete(id)).length > 0 || (!isWhole && this.noted.size > 0))
        await this.write(path);
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
    this.noted = new Map(parts.flatMap(({ data }) => (data ? [data] : [])).slice(-MOST));
    for (const [id, meta] of newer) this.noted.set(id, meta);
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
    return [...this.noted]
      .filter(([, { pinned, titleSource }]) => pinned || titleSource === 'person')
      .map(([id]) => id);
  }

  /** Notes it. Where that can't be written the session goes on. */
  async keep(id: string, meta: SessionMeta): Promise<void> {
    if (this.noted.get(id) === meta) return;
    this.noted.delete(id);
    this.noted.set(id, meta);
    const [oldest] = this.noted.keys();
    if (this.noted.size > MOST && oldest !== undefined) this.noted.delete(oldest);
    if (this.path !== undefined) await this.write(this.path);
  }

  /** It has a file, or is deleted: nothing of it stays in the note. @param saved what stood in it stands elsewhere by then */
  forget(id: string, saved: Promise<void> = Promise.resolve()): Promise<void> {
    const { path } = this;
    this.writing = Promise.all([this.writing, saved]).then(() =>
      path !== undefined && this.noted.delete(id) ? this.writeNow(path) : undefined,
    );
    return this.writing;
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.writing;
  }

  private write(path: string): Promise<void> {
    return (this.writing = this.writing.then(() => this.writeNow(path)));
  }

  private async writeNow(path: string): Promise<void> {
    try {
      await this.readAgain(path);
      await this.fs.writeText(path, JSON.stringify([...this.noted]));
    } catch (error) {
      this.log.warn('What was chosen for a session could not be noted', error);
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
