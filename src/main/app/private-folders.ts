import { chmodSync, lstatSync, mkdirSync } from 'node:fs';

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
