import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFs } from '../journal/file/fs';
import { readHeaderOf } from '../journal/file/read-header';
import { walk } from '../tools/walk';
import { MAX_PATH_CHARS } from '@shared/limits';
import { MAX_ID_LENGTH } from '@shared/record-limits';
import { NotASessionFileError } from '@shared/session/records/entry';

/** Session files below a folder that a person picked (IM1): which there are, and what their headers say. */

/** The folder of pi, that of its sessions, those of one project, or one that somebody made of them. */
const DEEPEST = 4;
const MOST_FILES = 20_000;
const PASSED = new Set(['node_modules']);

export interface FoundFile {
  /** Its path below the folder, with `/`. */
  name: string;
  bytes: number;
}

export interface FoundFiles {
  files: FoundFile[];
  /** False: there are more. */
  isWhole: boolean;
}

/** `folder`: where the session was made; empty if its file does not say. */
export type FoundHead = { id: string; folder: string } | { problem: string };

/** All of them, without looking into any; links are none. Rejects where the folder can't be read. */
export async function findSessionFiles(folder: string): Promise<FoundFiles> {
  const root = await realpath(folder);
  const names = walk({ root, ignoresFrom: null, passes: PASSED, maxDepth: DEEPEST });
  const files: FoundFile[] = [];
  for (let next = names.next(); ; next = names.next()) {
    if (next.done) return { files, isWhole: !next.value.isCut };
    if (!/\.jsonl$/i.test(next.value)) continue;
    if (files.length === MOST_FILES) return { files, isWhole: false };
    const stat = await lstat(join(root, next.value)).catch(() => null);
    if (stat?.isFile()) files.push({ name: next.value, bytes: stat.size });
  }
}

/** What the headers of some of them say, in their order. Never rejects. */
export function readSessionHeads(folder: string, names: readonly string[]): Promise<FoundHead[]> {
  return Promise.all(names.map((name) => readHead(join(folder, name))));
}

async function readHead(path: string): Promise<FoundHead> {
  try {
    const header = await readHeaderOf(nodeFs, path);
    if (!header) return { problem: NO_SESSION };
    const { cwd } = header;
    const isFolder = typeof cwd === 'string' && cwd.length <= MAX_PATH_CHARS;
    return { id: header.id.slice(0, MAX_ID_LENGTH), folder: isFolder ? cwd : '' };
  } catch (error) {
    if (error instanceof NotASessionFileError) return { problem: NO_SESSION };
    const { code = 'no reason' } = error as { code?: string };
    return { problem: WHY[code] ?? `It could not be read: the system reported ${code}.` };
  }
}

const NO_SESSION = 'It is not a session file.';
const WHY: Record<string, string> = {
  ENOENT: 'It is gone.',
  EACCES: 'Espalier may not read it.',
  EPERM: 'Espalier may not read it.',
};
