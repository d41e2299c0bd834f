import { DEFAULT_FIND_RESULTS, MAX_FIND_RESULTS } from '@shared/limits';
import { Type } from 'typebox';
import { textResult, type GatedTool } from './gated-tool';
import { compileGlob, inspectTarget, walkTarget } from './search-target';
import type { ResolvedPath, Workspace } from './workspace';

const parameters = Type.Object({
  pattern: Type.String({ description: 'Glob, for example *.ts (at any depth), src/**/*.test.ts or docs/*.' }),
  path: Type.Optional(Type.String({ description: 'Folder to look in (default: the workspace).' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_FIND_RESULTS, description: `Names (default ${DEFAULT_FIND_RESULTS}).` }),
  ),
});

export interface FindDetails {
  results: number;
  truncated: boolean;
}
interface FindPlan {
  target: ResolvedPath;
  matches: (path: string) => boolean;
  limit: number;
}

/** `find`: files and folders by name. What .gitignore names is left out. */
export function createFindTool(workspace: Workspace): GatedTool<typeof parameters, FindPlan, FindDetails> {
  return {
    name: 'find',
    label: 'Find',
    description: 'Find files and folders by a glob. Folders end in a slash. What .gitignore names is left out.',
    parameters,
    inspect: async (args) => {
      const matches = compileGlob(args.pattern);
      return inspectTarget(workspace, args.path, (target) => ({
        target,
        matches,
        limit: args.limit ?? DEFAULT_FIND_RESULTS,
      }));
    },
    async run({ target, matches, limit }, { signal }) {
      if (target.stats?.isDirectory() !== true) throw new Error(`${target.shown} is not a folder.`);
      const walked = await walkTarget(workspace, target, true, signal);
      const found = walked.paths.filter((path) => matches(path.endsWith('/') ? path.slice(0, -1) : path));
      const prefix = target.shown === '.' ? '' : `${target.shown}/`;
      const lines = found.slice(0, limit).map((path) => `${prefix}${path}`);
      const truncated = walked.isCut || found.length > limit;
      const notes: string[] = [];
      if (found.length > limit)
        notes.push(`[The first ${limit} of ${found.length}. Raise limit or narrow the pattern.]`);
      if (walked.isCut) notes.push('[The folder has too many files; not all were looked at. Narrow it with path.]');
      const body = lines.length === 0 ? 'Nothing found.' : lines.join('\n');
      return textResult(notes.length === 0 ? body : `${body}\n\n${notes.join('\n')}`, {
        results: lines.length,
        truncated,
      });
    },
  };
}
