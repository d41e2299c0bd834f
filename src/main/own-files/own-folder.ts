import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A folder of the app's own can't be had. The message is for the person: what is wrong and what to do. */
class OwnFolderError extends Error {
  override readonly name = 'OwnFolderError';
}

/** Makes a folder of the app's own, if it is missing, for this user only. @throws OwnFolderError */
export async function makeOwnFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await stat(folder)).isDirectory()) return;
  } catch (error) {
    throw new OwnFolderError(await whyNot(folder, (error as NodeJS.ErrnoException).code ?? String(error)));
  }
}

async function whyNot(folder: string, code: string): Promise<string> {
  const inTheWay = await fileOnTheWay(folder);
  if (inTheWay !== null) {
    return `Espalier keeps its files in ${folder}, but ${inTheWay} is not a folder. Move it away and try again. Nothing was changed.`;
  }
  if (code === 'EEXIST' || code === 'ELOOP' || code === 'ENOENT') {
    return `Espalier keeps its files in ${folder}, but that is a link to a folder that doesn’t exist. Connect the disk or remove the link, then try again.`;
  }
  const isDenied = code === 'EACCES' || code === 'EPERM';
  if (isDenied)
    return `Espalier doesn’t have permission to write to ${folder}. Check the folder’s permissions and try again.`;
  if (code === 'EROFS')
    return `Espalier can’t write to ${folder}: the disk is read-only. Make it writable and try again.`;
  if (code === 'ENOSPC') return `Espalier can’t create ${folder}: the disk is full. Free some space and try again.`;
  return `The folder ${folder} could not be created (${code}). Fix this and try again.`;
}

/** What of a path is there and no folder, nearest to the root. */
async function fileOnTheWay(folder: string): Promise<string | null> {
  const above = dirname(folder) === folder ? null : await fileOnTheWay(dirname(folder));
  if (above !== null) return above;
  const found = await stat(folder).catch(() => null);
  return found && !found.isDirectory() ? folder : null;
}
