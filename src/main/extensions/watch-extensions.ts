import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** A change is over when so long none came. Milliseconds. */
const REST_MS = 300;
const MAX_FOLDERS = 200;

/**
 * Calls back after files of extensions have changed (EX17): in their folder and in those below it, packages aside. A folder that is not
 * there yet is looked for when something else has them loaded again.
 * @returns the function that ends it
 */
export function watchExtensions(place: string, onChange: () => void): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers = foldersIn(place).flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, soon);
        watcher.on('error', () => watcher.close());
        return [watcher];
      } catch {
        return [];
      }
    });
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      begin();
      onChange();
    }, REST_MS);
    timer.unref();
  };
  begin();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

function foldersIn(place: string): string[] {
  const folders = [place];
  for (let at = 0; at < folders.length && folders.length < MAX_FOLDERS; at += 1) {
    try {
      for (const entry of readdirSync(folders[at] ?? place, { withFileTypes: true }))
        if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
          folders.push(join(folders[at] ?? place, entry.name));
    } catch {
      // It is not there.
    }
  }
  return folders.slice(0, MAX_FOLDERS);
}
