/** Which sessions imports are writing, noted so that what is left of one that was cut off with the process goes at the next start (JN28). */
import { hostname } from 'node:os';
import { z } from 'zod';
import type { JournalFs } from './fs';
import { isSafeSessionId } from './session-files';

const schema = z.object({ host: z.string(), ids: z.array(z.string()) });

export class ImportNote {
  private readonly ids = new Set<string>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /**
   * Ids of the sessions that an earlier run on this computer was importing when it ended; call once, before any import. None are known by a
   * note that can't be read, or that another computer wrote: it may be at it.
   */
  async left(): Promise<ReadonlySet<string>> {
    if (this.path === undefined) return new Set();
    try {
      const text = await this.fs.readText(this.path);
      const { host, ids } = text === null ? { host: '', ids: [] } : schema.parse(JSON.parse(text));
      return new Set(host === hostname() ? ids.filter(isSafeSessionId) : []);
    } catch (error) {
      this.log.warn('What was noted of imports could not be read', error);
      return new Set();
    }
  }

  /** Does `work`, which writes the files of a session, with that noted. */
  async during<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    this.ids.add(sessionId);
    await this.save();
    try {
      return await work();
    } finally {
      this.ids.delete(sessionId);
      await this.save();
    }
  }

  /** Writes which are under way now. An import goes on where that can't be noted. */
  save(): Promise<void> {
    const { path } = this;
    if (path === undefined) return Promise.resolve();
    this.writing = this.writing
      .then(() =>
        this.ids.size === 0
          ? this.fs.remove(path)
          : this.fs.writeText(path, JSON.stringify({ host: hostname(), ids: [...this.ids] })),
      )
      .catch((error: unknown) => this.log.warn('An import could not be noted', error));
    return this.writing;
  }
}
