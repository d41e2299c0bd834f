import { DEFAULT_FIND_RESULTS, MAX_FIND_RESULTS, MAX_TOOL_OUTPUT_BYTES } from '@shared/limits';
import type { AgentToolResult } from '../pi/pi-types';
import type { FindArgs } from './file-tools';
import { textResult, type ToolWork } from './gated-tool';
import { compileGlob } from './glob';
import { inspectTarget, Pace, walkTarget } from './walk';
import type { ResolvedPath, Workspace } from '../places/workspace';

export interface FindDetails {
  results: number;
  truncated: boolean;
}
interface FindPlan {
  target: ResolvedPath;
  matches: (path: string) => boolean;
  limit: number;
}
interface Found {
  names: string[];
  total: number;
  end: 'all' | 'cut' | 'ended';
}

/** `find`: files and folders by name. What .gitignore names is left out. */
export function createFindTool(workspace: Workspace): ToolWork<FindArgs, FindPlan, FindDetails> {
  return {
    inspect: async (args) => {
      const matches = compileGlob(args.pattern);
      const limit = Math.min(args.limit ?? DEFAULT_FIND_RESULTS, MAX_FIND_RESULTS);
      return inspectTarget(workspace, args.path, (target) => ({ target, matches, limit }));
    },
    async run({ target, matches, limit }, { interim }) {
      if (target.stats?.isDirectory() !== true) throw new Error(`${target.shown} is not a folder.`);
      const prefix = target.shown === '.' ? '' : `${target.shown}/`;
      const names = await walkTarget(workspace, target, true);
      const found: Found = { names: [], total: 0, end: 'ended' };
      const pace = new Pace();
      for (let next = names.next(); ; next = names.next()) {
        if (next.done) {
          found.end = next.value.isCut ? 'cut' : 'all';
          return describe(found, limit);
        }
        const path = next.value;
        if (!matches(path.endsWith('/') ? path.slice(0, -1) : path)) continue;
        found.total += 1;
        if (found.names.length < limit) found.names.push(prefix + path);
        if (pace.isDue(found.names.length)) interim?.(describe(found, limit));
      }
    },
  };
}

function describe({ names, total, end }: Found, limit: number): AgentToolResult<FindDetails> {
  const notes: string[] = [];
  let bytes = 0;
  const cut = names.findIndex((name) => (bytes += Buffer.byteLength(name) + 1) > MAX_TOOL_OUTPUT_BYTES);
  const shown = cut < 0 ? names : names.slice(0, cut);
  if (cut >= 0) notes.push('[The result is cut at 50 KB. Narrow it with path or a longer pattern.]');
  else if (total > limit) notes.push(`[The first ${limit} of ${total}. Raise limit or narrow the pattern.]`);
  if (end === 'cut') notes.push('[The folder has too many files; not all were looked at. Narrow it with path.]');
  if (end === 'ended')
    notes.push('[It took too long and was ended; these are the names until then. Narrow it with path.]');
  const body = shown.length === 0 ? 'Nothing found.' : shown.join('\n');
  const truncated = end !== 'all' || total > shown.length;
  return textResult(notes.length === 0 ? body : `${body}\n\n${notes.join('\n')}`, {
    results: shown.length,
    truncated,
  });
}
