import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_LS_ENTRIES, MAX_LS_ENTRIES } from '@shared/limits';
import { Type } from 'typebox';
import { explainFileError } from './file-error';
import { textResult, type GatedTool } from './gated-tool';
import { withFolder } from './safe-open';
import { inspectTarget } from './search-target';
import type { ResolvedPath, Workspace } from './workspace';

const parameters = Type.Object({
  path: Type.Optional(Type.String({ description: 'Folder to list (default: the workspace).' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LS_ENTRIES, description: `Names (default ${DEFAULT_LS_ENTRIES}).` }),
  ),
});

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
export function createLsTool(workspace: Workspace): GatedTool<typeof parameters, LsPlan, LsDetails> {
  return {
    name: 'ls',
    label: 'List',
    description: 'List the names in a folder. Folders end in a slash, symbolic links in @.',
    parameters,
    inspect: (args) =>
      inspectTarget(workspace, args.path, (target) => ({ target, limit: args.limit ?? DEFAULT_LS_ENTRIES })),
    async run({ target, limit }) {
      if (target.stats?.isDirectory() !== true)
        throw new Error(`${target.shown} is not a folder. Use read to read it.`);
      const names = await listNames(target);
      const shown = names.slice(0, limit);
      const truncated = names.length > limit;
      const note = truncated ? `\n\n[The first ${limit} of ${names.length} names. Raise limit to see more.]` : '';
      const body = shown.length === 0 ? '(empty folder)' : shown.join('\n');
      return textResult(`${body}${note}`, { path: target.shown, entries: shown.length, truncated });
    },
  };
}

async function listNames(target: ResolvedPath): Promise<string[]> {
  try {
    const entries = await withFolder(target.path, (folder) => readdir(join(folder.base, '.'), { withFileTypes: true }));
    return entries.map(markEntry).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  } catch (error) {
    throw explainFileError(error, target.shown);
  }
}

function markEntry(entry: Dirent): string {
  if (entry.isDirectory()) return `${entry.name}/`;
  return entry.isSymbolicLink() ? `${entry.name}@` : entry.name;
}
