import { join } from 'node:path';
import { readAtMost, withFile } from '../tools/safe-open';

/** Why git is not run in a folder, as the end of a sentence. */
export class GitRefusal extends Error {}

export interface GitFile {
  bytes: Buffer;
  mtimeMs: number;
}

/**
 * A regular file of a git folder, as it is when it is opened; null where there is none. Never follows a link, waits for a pipe or
 * reads more than it may. Rejects with a `GitRefusal` for whatever else is there.
 */
export async function readGitFile(folder: string, name: string, maxBytes: number): Promise<GitFile | null> {
  try {
    return await withFile(join(folder, name), async (handle, { size, mtimeMs }) => {
      const bytes = size > maxBytes ? undefined : await readAtMost(handle, maxBytes);
      if (!bytes) throw new GitRefusal(`its ${name} is too large`);
      return { bytes, mtimeMs };
    });
  } catch (error) {
    if (error instanceof GitRefusal) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new GitRefusal(`its ${name} is no regular file`);
  }
}
