import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { readAtMost, withFile } from '../places/safe-open';

/** The index of some 400,000 files. */
export const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** Why git is not run in a folder, as the end of a sentence. */
export class GitRefusal extends Error {}

export interface GitFile {
  bytes: Buffer;
  mtimeMs: number;
}

/**
 * A regular file of a git folder, as it is when it is opened; null where there is none. Never follows a link, waits for a pipe or
 * reads more than it may. Rejects with a `GitRefusal` for whatever else is there. `isTrial`: it is opened and not read.
 */
export async function readGitFile(
  folder: string,
  name: string,
  maxBytes: number,
  isTrial = false,
): Promise<GitFile | null> {
  try {
    return await withFile(join(folder, name), async (handle, { size, mtimeMs }) => {
      const read = (): Promise<Buffer | undefined> => readAtMost(handle, maxBytes);
      const bytes = size > maxBytes ? undefined : isTrial ? Buffer.alloc(0) : await read();
      if (!bytes) throw new GitRefusal(`its ${name} is too large`);
      return { bytes, mtimeMs };
    });
  } catch (error) {
    if (error instanceof GitRefusal) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new GitRefusal(`its ${name} is not a regular file`);
  }
}

/** As loosely as a file system might read the name. */
const SHARED_INDEX = /^sharedindex\.([0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * The name of the file that holds most of a split index, which names it by its hash; null where there is none. Looks through all names of a
 * git folder: among very many a file could hide. `index` null: it is read if there are such files.
 */
export async function sharedIndexOf(folder: string, index: Buffer | null): Promise<string | null> {
  let bytes = index;
  for await (const { name } of await opendir(folder)) {
    const hash = SHARED_INDEX.exec(name)?.[1]?.toLowerCase();
    if (hash === undefined) continue;
    bytes ??= (await readGitFile(folder, 'index', MAX_INDEX_BYTES))?.bytes ?? Buffer.alloc(0);
    if (bytes.includes(Buffer.from(hash, 'hex'))) return `sharedindex.${hash}`;
  }
  return null;
}
