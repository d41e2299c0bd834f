import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readRegular } from '../own-files/read-regular';
import { readAtMost, withFile } from '../places/safe-open';
import type { Workspace } from '../places/workspace';

/** A longer file is no skill and no template. Bytes. */
const MAX_WORD_BYTES = 256 * 1024;
/** Names that are looked at in one folder. */
const MOST_NAMES = 1000;

/** Where skills and templates lie: below a workspace, or in a folder of the person's own. */
export interface WordPlace {
  /** Names in a folder, sorted; none if it is not there or may not be read. Never rejects. */
  names(folder: string): Promise<{ name: string; isFolder: boolean }[]>;
  /** The text of a file and its real path. Rejects with a sentence; null if it is not there. */
  read(file: string): Promise<{ text: string; path: string } | null>;
}

/**
 * Below a workspace: files like any other there, regular, not refused to tools, and a link only where it ends inside (docs/specs/safety.md
 * B3).
 */
export function inWorkspace(workspace: Workspace): WordPlace {
  return {
    async names(folder) {
      try {
        const target = await workspace.resolve(folder, 'read');
        if (target.location !== 'inside' || target.refusal !== undefined || !target.stats?.isDirectory()) return [];
        return await namesIn(target.path);
      } catch {
        return [];
      }
    },
    async read(file) {
      const target = await workspace.resolve(file, 'read');
      if (!target.stats || target.failure !== undefined) return null;
      if (target.location !== 'inside') throw new Error('it lies outside the workspace');
      if (target.refusal !== undefined) throw new Error('tools may not read it');
      const bytes = await withFile(target.path, (handle) => readAtMost(handle, MAX_WORD_BYTES), workspace.guard);
      return { text: textOf(bytes), path: target.path };
    },
  };
}

/** The same with no file opened: what is there is known by its name alone. */
export function withoutText({ names }: WordPlace): WordPlace {
  return { names, read: (file) => Promise.resolve({ text: UNREAD, path: file }) };
}

/** It stands for the text of a file that is not opened: enough for one to be named. */
const UNREAD = '---\ndescription: not read\n---\nnot read\n';

/** In a folder that the person made for this: links lead where they like, but a pipe is no file. */
export function inOwnFolder(folder: string): WordPlace {
  return {
    names: (name) => namesIn(join(folder, name)).catch(() => []),
    async read(file) {
      const path = join(folder, file);
      const text = await readRegular(path, MAX_WORD_BYTES);
      // The folder that it was found in, whatever the file itself is: a link to it opens no other one.
      return text === null ? null : { text, path: join(await realpath(dirname(path)), basename(path)) };
    },
  };
}

async function namesIn(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const found: Dirent[] = await readdir(folder, { withFileTypes: true });
  return found
    .slice(0, MOST_NAMES)
    .map((entry) => ({ name: entry.name, isFolder: !entry.isFile() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function textOf(bytes: Buffer | undefined): string {
  if (!bytes) throw new Error('it is larger than 256 kB');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not text');
  }
}
