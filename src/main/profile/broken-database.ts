import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../own-files/storage-error';
import { readRegular } from '../own-files/read-regular';
import { writeOwnFile } from '../own-files/write-own';

const LEVELDB = '.indexeddb.leveldb';
/** What names the files of a LevelDB; it holds one short line. */
const CURRENT = 'CURRENT';
const MAX_CURRENT_BYTES = 1024;

/**
 * Sets aside what stands in the place of the window's database and which Chromium can't open, for it would try in vain at every
 * start: a file in place of a folder, and a LevelDB without the files that name its content. It is kept beside, and the window fills a new
 * one from the journals (SY6). Returns the new paths. Run only while no browser has them open.
 */
export async function setAsideBroken(profile: string): Promise<string[]> {
  const root = join(profile, 'IndexedDB');
  if (await isInTheWay(root)) return [await moveAside(root)];
  const moved: string[] = [];
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name);
    if (name.endsWith(LEVELDB) && ((await isInTheWay(path)) || (await isBroken(path))))
      moved.push(await moveAside(path));
  }
  return moved;
}

/** What the window could not use in the run before. */
export class DatabaseNote {
  #work: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** The window failed to open or write its database again and again, or it works. Never rejects. */
  set(isBroken: boolean): Promise<void> {
    this.#work = this.#work
      .then(() => (isBroken ? writeOwnFile(this.file, '{"unusable":true}\n') : rm(this.file, { force: true })))
      .catch(() => undefined);
    return this.#work;
  }

  /** At the start, before any browser: sets the whole of it aside if so noted. Returns its new path. */
  async obey(profile: string): Promise<string | null> {
    if (!(await lstat(this.file).catch(() => null))) return null;
    const root = join(profile, 'IndexedDB');
    const isThere = (await lstat(root).catch(() => null)) !== null;
    const moved = isThere ? await moveAside(root) : null;
    // Not before: a start that ends here tries again.
    await rm(this.file, { force: true, recursive: true });
    return moved;
  }
}

/** Something has the name, and it is not a folder. A link to one is as good as one. */
async function isInTheWay(path: string): Promise<boolean> {
  if (!(await lstat(path).catch(() => null))) return false;
  const found = await stat(path).catch((error: unknown) => (PASSING.has(errorCode(error)) ? 'unknown' : null));
  return found !== 'unknown' && !found?.isDirectory();
}

/** No LevelDB that can be opened, and not an empty folder, in which one is made. */
async function isBroken(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  let current: string | null;
  try {
    current = await readRegular(join(folder, CURRENT), MAX_CURRENT_BYTES);
  } catch (error) {
    // It may be readable at another time; what is not text or no file never is.
    if (PASSING.has(errorCode(error))) return false;
    return true;
  }
  if (current === null) return names.some((name) => /^(MANIFEST-\d+|\d+\.(log|ldb|sst))$/.test(name));
  const manifest = /^(MANIFEST-\d+)\n$/.exec(current)?.[1];
  return manifest === undefined || !(await isFilled(join(folder, manifest)));
}

const PASSING = new Set(['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO', 'EBUSY']);

async function isFilled(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => (PASSING.has(errorCode(error)) ? 'unknown' : null));
  return found === 'unknown' || (found !== null && found.isFile() && found.size > 0);
}

async function moveAside(path: string): Promise<string> {
  for (let number = Date.now(); ; number += 1) {
    const aside = `${path}.bad-${number}`;
    if (await lstat(aside).catch(() => null)) continue;
    await rename(path, aside);
    return aside;
  }
}

/** For the person: what happened to the database, once. */
export function setAsideText(paths: readonly string[]): string {
  return `The window’s database could not be used. It was set aside as ${paths.join(' and ')}, and a new one is built from the session files. Unsent messages may be missing.`;
}
