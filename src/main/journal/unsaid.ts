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

/**
 * What was chosen for sessions in which nothing was said: folder, title, pin. They have no file, so it is noted here, and a session that is
 * made again for its draft has it (CM1).
 */
export class Unsaid {
  private noted = new Map<string, SessionMeta>();
  /** Ids that were asked for: two that ask at once would have two logs. */
  private readonly claimed = new Set<string>();
  private writing: Promise<void> = Promise.resolve();
  /** Moves a file that says nothing we can use out of the way, before another takes its place; rejects as long as it can't. */
  private setAside: (() => Promise<void>) | null = null;
  /** What was wrong with it at the start, for the person: at most one sentence. */
  problems: readonly string[] = [];

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /**
   * Reads what earlier runs noted, whatever became of it (A5). Call once; never rejects.
   * @param said ids of the sessions that have a file by now
   * @param now Unix milliseconds, for the name of a file that is set aside
   */
  async read(said: readonly string[], now: number): Promise<void> {
    const { path } = this;
    if (path === undefined) return;
    let stored: unknown;
    try {
      stored = JSON.parse((await this.fs.readText(path)) ?? '[]');
    } catch (error) {
      this.log.warn('What was chosen for sessions without messages could not be read', error);
    }
    const parts = Array.isArray(stored) ? stored.map((part) => schema.safeParse(part)) : [];
    for (const { data } of parts) if (data && !said.includes(data[0])) this.noted.set(...data);
    if (Array.isArray(stored) && parts.every(({ success }) => success)) return;
    await this.keepAsItWas(path, `${path}.bad-${now}`);
    if (this.noted.size > 0) await this.write(path);
  }

  private async keepAsItWas(path: string, aside: string): Promise<void> {
    const move = async (): Promise<void> => void (await moveIfThere(this.fs, path, aside));
    const isMoved = await move().then(
      () => true,
      () => false,
    );
    if (!isMoved) this.setAside = move;
    const what = 'Title, folder and pin of sessions without messages could not be read in full.';
    const where = isMoved ? `The old file is kept as ${aside}` : `${path} stays as it is until it can be moved away`;
    this.problems = [`${what} ${where}.`];
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
    return this.write(path);
  }

  private write(path: string): Promise<void> {
    this.writing = this.writing
      .then(() => this.setAside?.())
      .then(() => {
        this.setAside = null;
        return this.fs.writeText(path, JSON.stringify([...this.noted]));
      })
      .catch((error: unknown) => this.log.warn('What was chosen for a session could not be noted', error));
    return this.writing;
  }
}
