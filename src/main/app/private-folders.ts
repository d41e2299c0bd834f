import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { errorCode } from '../own-files/storage-error';

/**
 * Makes folders of the app's own for this user only, before anything is put there, whatever the umask; those that are there and
 * open to others are closed. What a link leads to keeps its rights: it may be a folder that others need, as `/tmp` is. Never throws: who
 * needs the folder says what is wrong with it. Some microseconds each.
 */
export function keepPrivate(folders: readonly string[]): void {
  if (process.platform === 'win32') return;
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = lstatSync(folder);
      if (!stats.isSymbolicLink() && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    } catch {
      // Told by the part that needs it.
    }
  }
}

/** Why nothing can be kept in a folder, for the person; null if it can, which is so while another instance has it. */
export function whyUnusable(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder. Move it away and start Espalier again.`;
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${folder} can’t be used (the system reported ${errorCode(error)}). Check its rights and its disk, then start Espalier again.`;
  }
}
