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
