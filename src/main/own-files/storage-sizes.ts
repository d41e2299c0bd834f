import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageSizes } from '@shared/types';
import type { AppPaths } from '../paths';

/** Files that are looked at; more are told of as such. */
const MAX_FILES = 200_000;
/** Folders in folders: ours have two. */
const MAX_DEPTH = 6;
/** Files that are looked at at once: the disk is the journal's as well. */
const AT_ONCE = 8;

type Places = Pick<AppPaths, 'sessions' | 'outputs' | 'trash'>;

/** One look at a time, however often it is asked for. */
export class StorageLook {
  #running: Promise<StorageSizes> | undefined;

  constructor(private readonly places: Places) {}

  sizes(): Promise<StorageSizes> {
    this.#running ??= measure(this.places).finally(() => (this.#running = undefined));
    return this.#running;
  }
}

/**
 * Bytes of what is kept of each session: its journal and all that lies beside it, and the outputs of its commands; and of the trash
 * (WN15). No link is followed, nothing is opened; what goes meanwhile counts as nothing.
 * @returns the sessions, largest first
 */
async function measure({ sessions, outputs, trash }: Places): Promise<StorageSizes> {
  const left = { files: MAX_FILES };
  const bytes = new Map<string, number>();
  const add = (id: string, more: number): void => {
    if (id !== '') bytes.set(id, (bytes.get(id) ?? 0) + more);
  };
  // An id has no dot: nothing of another session begins so.
  await each(await namesIn(sessions), async (name) => add(idOf(name), await sizeOf(join(sessions, name), left)));
  await each(await namesIn(outputs), async (name) => {
    if (bytes.has(name)) add(name, await sizeOf(join(outputs, name), left));
  });
  return {
    sessions: [...bytes].map(([id, size]) => ({ id, bytes: size })).sort((a, b) => b.bytes - a.bytes),
    trash: await sizeOf(trash, left),
    isWhole: left.files >= 0,
  };
}

const idOf = (name: string): string => name.split('.', 1)[0] ?? name;

async function sizeOf(path: string, left: { files: number }, depth = 0): Promise<number> {
  left.files -= 1;
  if (left.files < 0 || depth > MAX_DEPTH) return 0;
  const facts = await lstat(path).catch(() => null);
  if (!facts?.isDirectory()) return facts?.isFile() ? facts.size : 0;
  let sum = 0;
  await each(await namesIn(path), async (name) => {
    const size = await sizeOf(join(path, name), left, depth + 1);
    sum += size;
  });
  return sum;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function each(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const rest = names.values();
  const worker = async (): Promise<void> => {
    for (const name of rest) await work(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
