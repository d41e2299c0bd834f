import { basename, join } from 'node:path';
import { copyBytes } from '../file/append-file';
import type { JournalFs } from '../file/fs';
import { isSafeSessionId, SessionFiles } from '../file/session-files';
import { isPartName } from '../file/write-whole';
import { isLeftBehind, moveAway, moveBack, moveFile } from './move-session';
import { GoneSessions, isGoneMark, TrashTime } from './trash-notes';

/** `<deleted at, Unix milliseconds>-<session id>` */
const FOLDER = /^(\d{1,16})-(.+)$/;
const DAMAGED = /\.(?:damaged|copy)-(\d{1,16})(?:-\d+)?\.jsonl(?:\.part)?$/;

/** In a deleted session's folder: the full outputs of its commands. */
const OUTPUTS = 'outputs';

/** A deleted session's folder. The first part of an id may be digits alone, so its copies and marks are told by their endings. */
function folderOf(name: string): { name: string; id: string; time: number } | null {
  const [, time, id] = FOLDER.exec(name) ?? [];
  if (time === undefined || id === undefined || DAMAGED.test(name) || isGoneMark(name)) return null;
  return { name, id, time: Number(time) };
}

/**
 * The trash folder: a folder for each deleted session with the outputs of its commands, copies of journals that were
 * replaced, and marks of what was deleted for good. Kept for 30 days at least.
 */
export class Trash {
  /** What was deleted for good. */
  readonly gone: GoneSessions;

  /** Files that are being written here: whoever writes one removes it or keeps it. */
  private readonly writing = new Set<string>();

  constructor(
    private readonly fs: JournalFs,
    private readonly dir: string,
    private readonly log: { warn(message: string, detail?: unknown): void },
    /** Outputs lie in it in a folder a session. */
    private readonly outputsDir?: string,
  ) {
    this.gone = new GoneSessions(fs, dir);
  }

  /** Removes what has been here for 30 days, by what several starts saw. `now`: Unix milliseconds. Never rejects. */
  async purge(files: SessionFiles, now: number): Promise<void> {
    await this.purgeNow(files, now).catch((error: unknown) => this.log.warn('The trash could not be cleared', error));
  }

  private async purgeNow(files: SessionFiles, now: number): Promise<void> {
    const there = new Set(await files.ids(this.fs));
    for (const id of await this.gone.ids()) if (there.has(id)) await this.forgetGone(id);
    const ours = (await this.fs.list(this.dir)).filter(
      (name) => FOLDER.test(name) || DAMAGED.test(name) || isGoneMark(name) || isPartName(name),
    );
    for (const name of await new TrashTime(this.fs, this.dir).over(ours, now)) {
      const id = folderOf(name)?.id;
      if (id !== undefined) await this.removeLeftBehind(files, id, join(this.dir, name));
      await this.fs.removeTree(join(this.dir, name));
    }
  }

  /**
   * Removes all that was deleted under this id, with what did not come along, and notes what it was. Where a session has the id again,
   * brought in from a file, the copies here are of that one too: they stay, and nothing is noted.
   */
  async removeForGood(files: SessionFiles, id: string): Promise<void> {
    const journal = await this.journalOf(id);
    const isThere = (await this.fs.kind(files.journal(id))) !== null;
    // A full disk must not keep anybody from making room.
    if (journal !== null && !isThere) await this.attempt(this.gone.note(id, journal));
    // An older copy would stand in the list in its place, and one of a replaced journal has its words.
    for (const { name } of (await this.folders()).filter((folder) => folder.id === id)) {
      await this.removeLeftBehind(files, id, join(this.dir, name));
      await this.fs.removeTree(join(this.dir, name));
    }
    for (const name of isThere ? [] : await this.fs.list(this.dir)) {
      const path = join(this.dir, name);
      if (name.startsWith(`${id}.`) && DAMAGED.test(name) && !this.writing.has(path)) await this.fs.removeTree(path);
    }
    await this.attempt(this.fs.syncDir(this.dir));
  }

  /** It is there again, from elsewhere: what its journal has counts from now on. */
  async forgetGone(id: string): Promise<void> {
    await this.attempt(this.gone.forget(id));
  }

  /** Outputs and files that did not come along when their session was deleted, unless it is back. */
  private async removeLeftBehind(files: SessionFiles, id: string, folder: string): Promise<void> {
    const names = await this.fs.list(files.dir);
    if (!isSafeSessionId(id) || names.includes(basename(files.journal(id)))) return;
    if (this.outputsDir !== undefined) await this.fs.removeTree(join(this.outputsDir, id));
    const isDeleted = (await this.fs.stat(new SessionFiles(folder).journal(id))) !== null;
    for (const name of names.filter((found) => found.startsWith(`${id}.`))) {
      const isTheirs = name.includes('.bad-') || (isDeleted && (await isLeftBehind(this.fs, name, folder)));
      if (isTheirs) await this.fs.removeTree(join(files.dir, name));
    }
  }

  /** False if there are none, or others are there. */
  private async moveOutputs(from: string, to: string): Promise<boolean> {
    if (!(await this.fs.stat(from)) || (await this.fs.stat(to))) return false;
    await this.fs.rename(from, to);
    return true;
  }

  async put(files: SessionFiles, id: string, now: number): Promise<void> {
    await this.fs.makeDir(this.dir);
    const folder = join(this.dir, `${now}-${id}`);
    await moveAway(this.fs, id, files, new SessionFiles(folder), (work) => this.attempt(work));
    for (const dir of [folder, files.dir]) await this.attempt(this.fs.syncDir(dir));
    if (this.outputsDir === undefined) return;
    // The session is deleted by now; outputs that can't be moved are removed with it when its time is over.
    await this.attempt(this.moveOutputs(join(this.outputsDir, id), join(folder, OUTPUTS)));
  }

  /** Moves the session deleted last under this id back. False if there is none. Rejects with `PlaceTakenError` if another one is in its place. */
  async restore(files: SessionFiles, id: string, now: number): Promise<boolean> {
    const folder = await this.lastOf(id);
    if (!folder) return false;
    const path = join(this.dir, folder.name);
    const [kept, outputs] = [join(path, OUTPUTS), this.outputsDir === undefined ? null : join(this.outputsDir, id)];
    // A session without the outputs of its commands is better than none: they stay here until their time is over.
    const areBack = outputs !== null && (await this.attempt(this.moveOutputs(kept, outputs))) === true;
    try {
      await moveBack(this.fs, id, new SessionFiles(path), files, now);
    } catch (error) {
      if (areBack) await this.attempt(this.moveOutputs(outputs, kept));
      throw error;
    }
    await this.attempt(this.fs.syncDir(files.dir));
    await this.attempt(this.removeEmptied(path));
    await this.forgetGone(id);
    return true;
  }

  private async removeEmptied(path: string): Promise<void> {
    if (!(await this.fs.stat(join(path, OUTPUTS)))) await this.fs.removeTree(path);
  }

  /** What a session is moved with or without: it is where it was to go whatever becomes of the rest. Undefined where it failed. */
  private async attempt<T>(work: Promise<T>): Promise<T | undefined> {
    return work.catch((error: unknown) => {
      this.log.warn('Not all of what goes with a deleted session was done', error);
      return undefined;
    });
  }

  /** The sessions that `restore` would bring back, deleted last first. */
  async sessions(): Promise<{ id: string; deletedAt: number; files: SessionFiles }[]> {
    const found = new Map<string, { id: string; deletedAt: number; files: SessionFiles }>();
    for (const { name, id, time } of (await this.folders()).reverse()) {
      const files = new SessionFiles(join(this.dir, name));
      if (!found.has(id) && (await this.fs.stat(files.journal(id)).catch(() => null)))
        found.set(id, { id, deletedAt: time, files });
    }
    return [...found.values()];
  }

  /** Ids of the deleted sessions, and of those that were deleted for good. */
  async ids(): Promise<string[]> {
    return [...new Set([...(await this.folders()).map(({ id }) => id), ...(await this.gone.ids())])];
  }

  /** The journal of the session deleted last under this id; null if there is none. */
  async journalOf(id: string): Promise<string | null> {
    const folder = await this.lastOf(id);
    const path = folder && new SessionFiles(join(this.dir, folder.name)).journal(id);
    return path && (await this.fs.stat(path).catch(() => null)) ? path : null;
  }

  /** True if a file beside the journals belongs to the session deleted last under this id: deleting it was cut off. */
  async awaits(id: string, name: string): Promise<boolean> {
    const folder = await this.lastOf(id);
    return folder !== undefined && (await isLeftBehind(this.fs, name, join(this.dir, folder.name)));
  }

  /** A free path for lines that may stay here: what is written there counts only after `keep`. */
  async placeFor(id: string, what: 'copy' | 'damaged', now: number): Promise<string> {
    await this.fs.makeDir(this.dir);
    for (let n = 0; ; n++) {
      const path = join(this.dir, `${id}.${what}-${now}${n === 0 ? '' : `-${n}`}.jsonl`);
      if ((await this.fs.stat(path)) || (await this.fs.stat(`${path}.part`))) continue;
      this.writing.add(`${path}.part`);
      return `${path}.part`;
    }
  }

  /** Moves a copy of a session here. */
  async take(path: string, id: string, now: number): Promise<void> {
    const place = await this.placeFor(id, 'copy', now);
    await moveFile(this.fs, path, place, 'rename');
    await this.keep(place);
  }

  /** Lets a file written at such a place stay for 30 days, durable. `of`: with this session, deleted last under this id, which it comes back with. */
  async keep(part: string, of?: string): Promise<void> {
    const folder = of === undefined ? undefined : await this.lastOf(of);
    const dir = folder ? join(this.dir, folder.name) : this.dir;
    await this.fs.rename(part, join(dir, basename(part, '.part')));
    this.writing.delete(part);
    await this.fs.syncDir(dir);
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

  /** What was deleted last under this id, with its journal if any was. */
  private async lastOf(id: string): Promise<{ name: string } | undefined> {
    const found = (await this.folders()).filter((folder) => folder.id === id).reverse();
    for (const folder of found) {
      const journal = new SessionFiles(join(this.dir, folder.name)).journal(id);
      if (await this.fs.stat(journal).catch(() => null)) return folder;
    }
    return found[0];
  }

  private async folders(): Promise<{ name: string; id: string; time: number }[]> {
    const found = (await this.fs.list(this.dir)).flatMap((name) => folderOf(name) ?? []);
    return found.sort((a, b) => a.time - b.time);
  }
}
