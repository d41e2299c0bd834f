import { z } from 'zod';
import type { SessionMeta } from '../ports';
import type { JournalFs } from './fs';
import { SessionError } from './session-error';
import { isSafeSessionId } from './session-files';
import { metaSchema } from './session-meta';

/** More than anybody leaves with a draft and nothing else; the newest are kept. */
const MOST = 50;

const schema = z.array(z.tuple([z.string(), metaSchema]));

/**
 * What was chosen for sessions in which nothing was said: folder, title, pin. They have no file, so it is noted here, and a session that is
 * made again for its draft has it (CM1).
 */
export class Unsaid {
  private noted = new Map<string, SessionMeta>();
  /** Ids that were asked for: two that ask at once would have two logs. */
  private readonly claimed = new Set<string>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /** Reads what earlier runs noted. Call once. @param said ids of the sessions that have a file by now */
  async read(said: readonly string[]): Promise<void> {
    if (this.path === undefined) return;
    try {
      const text = await this.fs.readText(this.path);
      const noted = new Map(text === null ? [] : schema.parse(JSON.parse(text)));
      for (const id of said) noted.delete(id);
      this.noted = new Map([...noted].filter(([id]) => isSafeSessionId(id)));
    } catch (error) {
      this.log.warn('What was chosen for sessions without messages could not be read', error);
    }
  }

  /**
   * What is noted of a session that is made under an id that it had; null if nothing is.
   * @throws SessionError if there is or was one of that id
   */
  async claim(id: string, isTaken: () => Promise<boolean>): Promise<SessionMeta | null> {
    const isFirst = !this.claimed.has(id);
    this.claimed.add(id);
    if (!isFirst || (await isTaken())) throw new SessionError('This session is there already.');
    return this.noted.get(id) ?? null;
  }

  /** Notes it. Where that can't be written the session goes on. */
  keep(id: string, meta: SessionMeta): Promise<void> {
    const { path } = this;
    if (path === undefined) return Promise.resolve();
    this.noted.delete(id);
    this.noted.set(id, meta);
    const [oldest] = this.noted.keys();
    if (this.noted.size > MOST && oldest !== undefined) this.noted.delete(oldest);
    this.writing = this.writing
      .then(() => this.fs.writeText(path, JSON.stringify([...this.noted])))
      .catch((error: unknown) => this.log.warn('What was chosen for a session could not be noted', error));
    return this.writing;
  }
}
