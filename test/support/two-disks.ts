import { sep } from 'node:path';
import type { JournalFs } from '../../src/main/journal/file/fs';

/** A file system on which one folder is another disk: what is to be renamed or linked across its border fails as the system says it. */
export function twoDisks(inner: JournalFs, folder: string): JournalFs & { refused: () => number } {
  let refused = 0;
  const isThere = (path: string): boolean => path.startsWith(`${folder}${sep}`);
  const guard = async (from: string, to: string): Promise<void> => {
    if (isThere(from) === isThere(to)) return;
    // The system looks for the old name first.
    if ((await inner.kind(from)) === null) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT' });
    refused++;
    throw Object.assign(new Error('EXDEV: cross-device link not permitted'), { code: 'EXDEV' });
  };
  return {
    ...bound(inner),
    rename: async (from, to) => {
      await guard(from, to);
      await inner.rename(from, to);
    },
    place: async (from, to) => {
      await guard(from, to);
      await inner.place(from, to);
    },
    refused: () => refused,
  };
}

/** A class has its methods on its prototype, which a spread leaves behind. */
function bound(fs: JournalFs): JournalFs {
  return {
    open: (path, mode) => fs.open(path, mode),
    kind: (path) => fs.kind(path),
    stat: (path) => fs.stat(path),
    list: (dir) => fs.list(dir),
    makeDir: (dir) => fs.makeDir(dir),
    setTime: (path, time) => fs.setTime(path, time),
    rename: (from, to) => fs.rename(from, to),
    place: (from, to) => fs.place(from, to),
    remove: (path) => fs.remove(path),
    removeTree: (path) => fs.removeTree(path),
    readText: (path) => fs.readText(path),
    writeText: (path, text) => fs.writeText(path, text),
    syncDir: (dir) => fs.syncDir(dir),
  };
}
