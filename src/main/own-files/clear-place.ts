import { lstatSync, renameSync } from 'node:fs';

/**
 * For a file that is only appended to, by a library that would follow a link and wait for a pipe: what has its name and is no file is moved beside it.
 * `stays`: it could not be moved, and nothing may be written there. Never throws.
 */
export function clearPlaceSync(path: string): 'fine' | 'moved' | 'stays' {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isFile()) return 'fine';
    renameSync(path, `${path}.bad-${Date.now()}`);
    return 'moved';
  } catch {
    return 'stays';
  }
}
