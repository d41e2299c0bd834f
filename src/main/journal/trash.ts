import { join } from 'node:path';
import { copyBytes } from './append-file';
import type { JournalFs } from './fs';
import { SessionFiles } from './session-files';

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** `<deleted at, Unix milliseconds>-<session id>` */
const FOLDER = /^(\d{10,16})-(.+)$/;
const DAMAGED = /\.(?:damaged|copy)-(\d{10,16})(?:-\d+)?\.jsonl(?:\.part)?$/;

/** The trash folder: a folder for each deleted session, and copies of journals that were replaced. Kept for 30 days. */
export class Trash {
  constructor(
    private readonly fs: JournalFs,
    private readonly dir: string,
  ) {}

  /** Removes what is older than 30 days. `now`: Unix milliseconds. */
  async purge(now: number): Promise<void> {
    for (const name of await this.fs.list(this.dir)) {
      const time = FOLDER.exec(name)?.[1] ?? DAMAGED.exec(name)?.[1];
      if (time !== undefined && Number(time) < now - KEPT_MS) await this.fs.remove(join(this.dir, name));
    }
  }

  async put(files: SessionFiles, id: string, now: number): Promise<void> {
    await this.fs.makeDir(this.dir);
    await files.moveTo(this.fs, id, new SessionFiles(join(this.dir, `${now}-${id}`)), 'first');
  }

  /** Moves the session deleted last under this id back. False if there is none. */
  async restore(files: SessionFiles, id: string): Promise<boolean> {
    const folder = (await this.folders()).filter((found) => found.id === id).at(-1);
    if (!folder) return false;
    const path = join(this.dir, folder.name);
    await new SessionFiles(path).moveTo(this.fs, id, files, 'last');
    await this.fs.remove(path);
    return true;
  }

  /** Ids of the deleted sessions. */
  async ids(): Promise<string[]> {
    return [...new Set((await this.folders()).map(({ id }) => id))];
  }

  /** The journal of the session deleted last under this id; null if there is none. */
  async journalOf(id: string): Promise<string | null> {
    const folder = (await this.folders()).filter((found) => found.id === id).at(-1);
    const path = folder && new SessionFiles(join(this.dir, folder.name)).journal(id);
    return path && (await this.fs.stat(path)) ? path : null;
  }

  /** A free path for lines that may stay here: what is written there counts only after `keep`. */
  async placeFor(id: string, what: 'copy' | 'damaged', now: number): Promise<string> {
    await this.fs.makeDir(this.dir);
    for (let n = 0; ; n++) {
      const path = join(this.dir, `${id}.${what}-${now}${n === 0 ? '' : `-${n}`}.jsonl`);
      if (!(await this.fs.stat(path)) && !(await this.fs.stat(`${path}.part`))) return `${path}.part`;
    }
  }

  /** Lets a file written at such a place stay for 30 days, durable. */
  async keep(part: string): Promise<void> {
    await this.fs.rename(part, part.slice(0, -'.part'.length));
    await this.fs.syncDir(this.dir);
  }

  /**
   * Copies a damaged journal here. Not moved: until its replacement stands in its place it is the only journal of the
   * session.
   */
  async keepDamaged(journal: string, id: string, now: number): Promise<void> {
    const path = await this.placeFor(id, 'damaged', now);
    const source = await this.fs.open(journal, 'read');
    try {
      const copy = await this.fs.open(path, 'create');
      try {
        await copyBytes(source, copy, (await source.stat()).size);
        await copy.datasync();
      } finally {
        await copy.close();
      }
      await this.keep(path);
    } catch (error) {
      await this.fs.remove(path).catch(() => undefined);
      throw error;
    } finally {
      await source.close();
    }
  }

  private async folders(): Promise<{ name: string; id: string; time: number }[]> {
    const found = (await this.fs.list(this.dir)).flatMap((name) => {
      const match = FOLDER.exec(name);
      return match?.[1] && match[2] ? [{ name, id: match[2], time: Number(match[1]) }] : [];
    });
    return found.sort((a, b) => a.time - b.time);
  }
}
