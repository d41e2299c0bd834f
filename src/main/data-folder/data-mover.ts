import { lstat, mkdir, readdir, realpath, rm, statfs } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { AskConsent, ConsentQuestion } from '../consent/consent';
import { writeOwnFile } from '../own-files/write-own';
import type { Log } from '../ports';
import { randomHex } from '../random-hex';
import { LEFT_BEHIND, MARKER, markOf, whyNot } from './finish-move';
import { type DataLocation, writeLocation } from './location';
import { DISK, mirrorFolder, type MirrorFs } from './mirror';

interface MoverParts {
  /** The folder that counts now. */
  data: string;
  /** Where it is said; null: `ESPALIER_HOME` says it, and nothing is moved. */
  file: string | null;
  location: DataLocation;
  ask: AskConsent;
  log: Pick<Log, 'info' | 'warn'>;
  fs?: MirrorFs;
}

/**
 * Moving the data folder (SY13): the person picks a folder, main asks, copies while the app goes on, and notes that the copy waits. The
 * next start brings it up to date and switches (finish-move.ts). Nothing of the old folder is removed.
 */
export class DataMover {
  #location: DataLocation;
  #isCopying = false;

  constructor(private readonly parts: MoverParts) {
    this.#location = parts.location;
  }

  /** The folder that counts from the next start; null: the same. */
  get next(): string | null {
    return this.#location.next?.to ?? null;
  }

  /** `ESPALIER_HOME` says where the files are. */
  get isFixed(): boolean {
    return this.parts.file === null;
  }

  /**
   * Copies to a folder that the person picked: into it where it is empty, else into a new one in it.
   * @returns where the copy is; null if the person said no
   * @throws RangeError with a sentence for the person; then nothing has changed
   */
  async move(picked: string): Promise<string | null> {
    const { file, data, ask, log } = this.parts;
    if (file === null)
      throw new RangeError('ESPALIER_HOME says where your files are. Start Espalier without it to move them.');
    if (this.#isCopying) throw new RangeError('Your files are being copied already.');
    if (this.next !== null)
      throw new RangeError(`Your files move to ${this.next} at the next start. Cancel that first.`);
    this.#isCopying = true;
    try {
      const to = await placeIn(picked, data);
      const bytes = await sizeOf(data);
      await refuseFull(picked, bytes);
      if ((await ask(question(data, to, bytes))) === null) return null;
      const mark = randomHex(32);
      await mkdir(to, { recursive: true, mode: 0o700 });
      await refuseFilled(to);
      try {
        await writeOwnFile(join(to, MARKER), JSON.stringify({ mark }));
        await mirrorFolder(data, to, { except: LEFT_BEHIND, isLive: true }, this.parts.fs ?? DISK);
        const waiting = { ...this.#location, next: { to, mark } };
        await writeLocation(file, waiting);
        this.#location = waiting;
      } catch (error) {
        if ((await markOf(to)) === mark) await rm(to, { recursive: true }).catch(() => undefined);
        throw error;
      }
      log.info('The data folder was copied. The next start uses the copy.');
      return to;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      log.warn(`The data folder could not be copied: ${String(error)}`);
      throw new RangeError(`Your files were not moved: ${whyNot(error)}. They are where they were.`, { cause: error });
    } finally {
      this.#isCopying = false;
    }
  }

  /** The folder stays the one that it is. The copy stays too: it is the person's to remove. */
  async cancel(): Promise<void> {
    const { file } = this.parts;
    if (file === null || this.next === null) return;
    const stays = { ...this.#location, next: null };
    await writeLocation(file, stays);
    this.#location = stays;
  }
}

/** Its name, where the folder that was picked has something in it. */
const OWN_NAME = 'Espalier';

async function placeIn(picked: string, data: string): Promise<string> {
  const [folder, here] = [await realpath(picked), await realpath(data)];
  if (isAtOrIn(folder, here))
    throw new RangeError('This folder is in the one that is to be moved. Choose another one.');
  const to = (await readdir(folder)).length === 0 ? folder : join(folder, OWN_NAME);
  if (isAtOrIn(here, to)) throw new RangeError('Your files are in this folder already. Choose another one.');
  const there = await lstat(to).catch(() => null);
  if (there && !there.isDirectory())
    throw new RangeError(`${to} is not a folder. Choose another one, or move it away.`);
  if (there) await refuseFilled(to);
  return to;
}

async function refuseFilled(to: string): Promise<void> {
  if ((await readdir(to)).length > 0)
    throw new RangeError(`${to} is not empty. Choose another folder, or move it away.`);
}

function isAtOrIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:|^[\\/]/.test(way));
}

async function sizeOf(folder: string, isTop = true): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (isTop && LEFT_BEHIND.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await sizeOf(path, false);
    else if (entry.isFile()) sum += (await lstat(path).catch(() => null))?.size ?? 0;
  }
  return sum;
}

/** Some more than the files take: blocks and folders take space too. */
const ROOM = 1.1;

async function refuseFull(folder: string, bytes: number): Promise<void> {
  const disk = await statfs(folder).catch(() => null);
  const free = disk ? disk.bavail * disk.bsize : Infinity;
  if (free < bytes * ROOM)
    throw new RangeError(
      `Your files take ${inWords(bytes)}, and ${folder} has ${inWords(free)} left. Choose another folder.`,
    );
}

function inWords(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function question(from: string, to: string, bytes: number): ConsentQuestion {
  return {
    kind: 'move-data',
    title: 'Move your files to this folder?',
    subject: to,
    paragraphs: [
      'Sessions, outputs, settings, keys and the scratch workspace are copied and compared. You can go on working. Espalier uses the copy from its next start.',
      'The folder where they are now stays as it is until you delete it.',
    ],
    facts: [
      { label: 'Now', value: from },
      { label: 'New folder', value: to },
      { label: 'Size', value: inWords(bytes) },
    ],
    choices: [{ id: 'yes', label: 'Copy', tone: 'primary' }],
    cancel: 'Cancel',
  };
}
