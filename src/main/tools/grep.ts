import { basename, dirname } from 'node:path';
import {
  BINARY_SNIFF_BYTES,
  DEFAULT_GREP_MATCHES,
  MAX_GREP_CONTEXT,
  MAX_GREP_FILE_BYTES,
  MAX_GREP_LINE_CHARS,
  MAX_GREP_MATCHES,
  MAX_GREP_SEARCH_CHARS,
  MAX_TOOL_OUTPUT_BYTES,
} from '@shared/limits';
import { Type, type Static } from 'typebox';
import { textResult, type GatedTool } from './gated-tool';
import { searchFiles, type SearchResult } from './search';
import { compileGlob, inspectTarget, walkTarget } from './search-target';
import type { FileMatches } from './search-worker';
import type { ResolvedPath, Workspace } from './workspace';

const parameters = Type.Object({
  pattern: Type.String({ description: 'JavaScript regular expression, tested line by line; plain text with literal.' }),
  path: Type.Optional(Type.String({ description: 'Folder or file to search (default: the workspace).' })),
  glob: Type.Optional(Type.String({ description: 'Only files that match, for example *.ts or src/**/*.css.' })),
  ignoreCase: Type.Optional(Type.Boolean()),
  literal: Type.Optional(Type.Boolean({ description: 'Take pattern as plain text.' })),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_GREP_CONTEXT, description: 'Lines shown before and after a match.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_GREP_MATCHES, description: `Matches (default ${DEFAULT_GREP_MATCHES}).` }),
  ),
});
type GrepArgs = Static<typeof parameters>;

export interface GrepDetails {
  matches: number;
  files: number;
  truncated: boolean;
}
interface GrepPlan {
  target: ResolvedPath;
  args: GrepArgs;
  expression: RegExp;
}

/** `grep`: lines of the workspace's text files that match, as `path:line: text`. What .gitignore names is left out. */
export function createGrepTool(workspace: Workspace): GatedTool<typeof parameters, GrepPlan, GrepDetails> {
  return {
    name: 'grep',
    label: 'Grep',
    description:
      'Search file contents with a regular expression. Files that .gitignore names, binary files and files over 10 MB are left out.',
    parameters,
    inspect: async (args) => {
      const expression = compileExpression(args);
      return inspectTarget(workspace, args.path, (target) => ({ target, args, expression }));
    },
    async run({ target, args, expression }, { signal }) {
      const isFile = target.stats?.isFile() === true;
      const walked = isFile
        ? { paths: [basename(target.path)], isCut: false }
        : await walkTarget(workspace, target, false, signal);
      const matches = args.glob === undefined ? () => true : compileGlob(args.glob);
      const root = isFile ? dirname(target.path) : target.path;
      const result = await searchFiles(
        {
          source: expression.source,
          flags: expression.flags,
          root,
          names: walked.paths.filter((path) => matches(path)),
          maxMatches: args.limit ?? DEFAULT_GREP_MATCHES,
          maxFileBytes: MAX_GREP_FILE_BYTES,
          maxSearchChars: MAX_GREP_SEARCH_CHARS,
          maxLineChars: MAX_GREP_LINE_CHARS,
          context: args.context ?? 0,
          sniffBytes: BINARY_SNIFF_BYTES,
        },
        signal,
      );
      const prefix = isFile
        ? target.shown.slice(0, -basename(target.path).length)
        : target.shown === '.'
          ? ''
          : `${target.shown}/`;
      return describeMatches(result, prefix, args, walked.isCut);
    },
  };
}

function compileExpression(args: GrepArgs): RegExp {
  const source = args.literal === true ? args.pattern.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&') : args.pattern;
  if (source === '') throw new Error('The pattern is empty.');
  const flags = args.ignoreCase === true ? 'i' : '';
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new Error(
      `The pattern is not a valid regular expression: ${(error as Error).message}. For plain text set literal.`,
      { cause: error },
    );
  }
}

function describeMatches(
  result: SearchResult,
  prefix: string,
  args: GrepArgs,
  isWalkCut: boolean,
): ReturnType<GatedTool<typeof parameters, GrepPlan, GrepDetails>['run']> {
  const matches = result.files.reduce((sum, file) => sum + file.found.length, 0);
  const lines = result.files.flatMap((file) => renderFile(file, prefix, (args.context ?? 0) > 0));
  const notes: string[] = [];
  const kept = takeBytes(lines);
  if (kept.length < lines.length)
    notes.push('[The result is cut at 50 KB. Narrow it with path, glob or a longer pattern.]');
  if (result.isTimedOut)
    notes.push(
      '[The search took too long and was ended; these are the matches until then. Use a simpler pattern or a narrower path.]',
    );
  else if (result.isCut)
    notes.push(
      `[The first ${args.limit ?? DEFAULT_GREP_MATCHES} matches. There are more: raise limit or narrow the search.]`,
    );
  if (isWalkCut) notes.push('[The folder has too many files; not all were searched. Narrow it with path.]');
  const body = kept.length === 0 ? 'No matches.' : kept.join('\n');
  const truncated = result.isCut || isWalkCut || kept.length < lines.length;
  return Promise.resolve(
    textResult(notes.length === 0 ? body : `${body}\n\n${notes.join('\n')}`, {
      matches,
      files: result.files.length,
      truncated,
    }),
  );
}

/** `path:12: match` and, with context, `path-11- line`, blocks apart by `--`. */
function renderFile(file: FileMatches, prefix: string, hasContext: boolean): string[] {
  const matching = new Set(file.found.map((match) => match.line));
  const rendered: string[] = [];
  let last = 0;
  for (const match of file.found) {
    if (hasContext && last > 0 && match.first > last + 1) rendered.push('--');
    match.lines.forEach((line, offset) => {
      const number = match.first + offset;
      if (number <= last) return;
      const mark = matching.has(number) ? ':' : '-';
      rendered.push(`${prefix}${file.name}${mark}${number}${mark} ${line}`);
      last = number;
    });
  }
  return rendered;
}

function takeBytes(lines: readonly string[]): string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > MAX_TOOL_OUTPUT_BYTES);
  return end < 0 ? [...lines] : lines.slice(0, end);
}
