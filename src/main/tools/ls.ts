import type { Dirent } from 'node:fs';
import { DEFAULT_LS_ENTRIES, MAX_WALK_FILES } from '@shared/limits';
import { EMPTY_FOLDER } from '@shared/policy/call-outcome';
import { explainFileError, textResult, type ToolWork } from './gated-tool';
import type { LsArgs } from './file-tools';
import { listFolderSync } from '../places/safe-open';
import { inspectTarget } from './walk';
import type { ResolvedPath, Workspace } from '../places/workspace';

export interface LsDetails {
  path: string;
  entries: number;
  truncated: boolean;
}
interface LsPlan {
  target: ResolvedPath;
  limit: number;
}

/** `ls`: the names in one folder, sorted; folders end in `/`, links in `@`. */
export function createLsTool(workspace: Workspace): ToolWork<LsArgs, LsPlan, LsDetails> {
  return {
    inspect: (args) =>
      inspectTarget(workspace, args.path, (target) => ({ target, limit: args.limit ?? DEFAULT_LS_ENTRIES })),
    async run({ target, limit }) {
      if (target.stats?.isDirectory() !== true)
        throw new Error(`${target.shown} is not a folder. Use read to read it.`);
      const { names, isCut } = listNames(target, workspace);
      const shown = names.slice(0, limit);
      const truncated = isCut || names.length > limit;
      const total = isCut ? `over ${names.length}` : names.length;
      const note = truncated ? `\n\n[The first ${limit} of ${total} names. Raise limit to see more.]` : '';
      const body = shown.length === 0 ? EMPTY_FOLDER : shown.join('\n');
      return textResult(`${body}${note}`, { path: target.shown, entries: shown.length, truncated });
    },
  };
}

function listNames(target: ResolvedPath, workspace: Workspace): { names: string[]; isCut: boolean } {
  try {
    const { entries, isCut } = listFolderSync(target.path, MAX_WALK_FILES, workspace.guardSync);
    const keyed = entries.map((entry) => ({ name: markEntry(entry), key: entry.name.toLowerCase() }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
    return { names: keyed.map(({ name }) => name), isCut };
  } catch (error) {
    throw explainFileError(error, target.shown);
  }
}

function markEntry(entry: Dirent): string {
  if (entry.isDirectory()) return `${entry.name}/`;
  return entry.isSymbolicLink() ? `${entry.name}@` : entry.name;
}
