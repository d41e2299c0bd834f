import { lstatSync, renameSync } from 'node:fs';

/**
 * For a file that is only appended to: what has its name and is not a file of ours alone (a link, a pipe, a folder, a file with another name as well) is
 * moved beside it. `stays`: it could not be moved, and nothing may be written there. Never throws.
 */
export function clearPlaceSync(path: string): 'fine' | 'moved' | 'stays' {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || isOursAlone(stats)) return 'fine';
    renameSync(path, freeNameBeside(path));
    return 'moved';
  } catch {
    return 'stays';
  }
}

/** A regular file with one name: whatever is written to it is written to nothing else. */
export function isOursAlone(stats: { isFile(): boolean; nlink: number }): boolean {
  return stats.isFile() && stats.nlink <= 1;
}

/** What was set aside before stays, however quickly they follow each other. */
function freeNameBeside(path: string): string {
  for (let number = Date.now(); ; number += 1) {
    const name = `${path}.bad-${number}`;
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}
