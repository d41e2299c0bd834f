import { basename, dirname, join } from 'node:path';
import type { AgentToolResult } from '../pi/pi-types';
import { readRegularSync } from '../places/safe-open';
import type { ResolvedPath, Workspace } from '../places/workspace';
import type { GrepArgs } from './file-tools';
import { textResult, type ToolWork } from './gated-tool';
import { compileGlob } from './glob';
import { inspectTarget, Pace, walkTarget } from './walk';
import {
  BINARY_SNIFF_BYTES,
  DEFAULT_GREP_MATCHES,
  MAX_GREP_FILE_BYTES,
  MAX_GREP_LINE_CHARS,
  MAX_GREP_PATTERN_CHARS,
  MAX_GREP_SEARCH_CHARS,
  MAX_TOOL_OUTPUT_BYTES,
} from '@shared/limits';

/** A line that matches, with the lines around it. Line numbers count from 1. */
interface LineMatch {
  line: number;
  /** Number of the first of `lines`. */
  first: number;
  lines: string[];
}

/**
 * Lines of a text that match, at most `limit`; `hasMore` if there are others. No list of all lines is made: millions of
 * empty ones would be more memory than there is.
 */
function searchText(
  bytes: Buffer,
  expression: RegExp,
  context: number,
  limit: number,
): { found: LineMatch[]; hasMore: boolean } {
  const found: LineMatch[] = [];
  if (bytes.subarray(0, BINARY_SNIFF_BYTES).includes(0)) return { found, hasMore: false };
  const text = bytes.toString('utf8');
  /** Where the lines before this one begin, for the context. */
  const starts: number[] = [];
  for (let start = 0, line = 1; start <= text.length; line += 1) {
    const end = endOf(text, start);
    const seen = text.slice(start, Math.min(end.text, start + MAX_GREP_SEARCH_CHARS));
    if (expression.test(seen)) {
      if (found.length === limit) return { found, hasMore: true };
      found.push({ line, first: line - starts.length, lines: around(text, starts[0] ?? start, start, context) });
    }
    starts.push(start);
    if (starts.length > context) starts.shift();
    start = end.next;
  }
  return { found, hasMore: false };
}

function endOf(text: string, start: number): { text: number; next: number } {
  const feed = text.indexOf('\n', start);
  if (feed < 0) return { text: text.length, next: text.length + 1 };
  return { text: feed > start && text[feed - 1] === '\r' ? feed - 1 : feed, next: feed + 1 };
}

/** The lines from offset `first` to `context` lines below the one at `start`. */
function around(text: string, first: number, start: number, context: number): string[] {
  const lines: string[] = [];
  let below = 0;
  for (let at = first; at <= text.length;) {
    if (at > start && (below += 1) > context) break;
    const end = endOf(text, at);
    const line = text.slice(at, Math.min(end.text, at + MAX_GREP_LINE_CHARS));
    lines.push(end.text - at > MAX_GREP_LINE_CHARS ? `${line}…` : line);
    at = end.next;
  }
  return lines;
}

interface GrepDetails {
  matches: number;
  files: number;
  truncated: boolean;
}
interface GrepPlan {
  target: ResolvedPath;
  args: GrepArgs;
  expression: RegExp;
  isWanted: (path: string) => boolean;
}
interface Matches {
  lines: string[];
  matches: number;
  files: number;
  end: 'all' | 'limit' | 'walk-cut' | 'ended';
}

/** `grep`: lines of the workspace's text files that match, as `path:line: text`. What .gitignore names is left out. */
export function createGrepTool(workspace: Workspace): ToolWork<GrepArgs, GrepPlan, GrepDetails> {
  return {
    inspect: async (args) => {
      const expression = compileExpression(args);
      const isWanted = args.glob === undefined ? () => true : compileGlob(args.glob);
      return inspectTarget(workspace, args.path, (target) => ({ target, args, expression, isWanted }));
    },
    async run(plan, { interim }) {
      const { target, args } = plan;
      const isFile = target.stats?.isFile() === true;
      const root = isFile ? dirname(target.path) : target.path;
      const prefix = isFile
        ? target.shown.slice(0, -basename(target.path).length)
        : target.shown === '.'
          ? ''
          : `${target.shown}/`;
      const names = isFile ? oneName(basename(target.path)) : await walkTarget(workspace, target, false);
      const limit = args.limit ?? DEFAULT_GREP_MATCHES;
      const context = args.context ?? 0;
      const result: Matches = { lines: [], matches: 0, files: 0, end: 'ended' };
      const pace = new Pace();
      for (let next = names.next(); ; next = names.next()) {
        if (next.done) {
          result.end = next.value.isCut ? 'walk-cut' : 'all';
          return describe(result, limit);
        }
        const name = next.value;
        if (!plan.isWanted(name)) continue;
        const bytes = readRegularSync(join(root, name), MAX_GREP_FILE_BYTES, workspace.guardSync);
        if (!bytes) continue;
        const { found, hasMore } = searchText(bytes, plan.expression, context, limit - result.matches);
        if (found.length > 0) {
          result.files += 1;
          result.matches += found.length;
          for (const line of renderFile(found, prefix + name, context > 0)) result.lines.push(line);
          if (pace.isDue(result.matches)) interim?.(describe(result, limit));
        }
        if (hasMore) {
          result.end = 'limit';
          return describe(result, limit);
        }
      }
    },
  };
}

function* oneName(name: string): Generator<string, { isCut: boolean }> {
  yield name;
  return { isCut: false };
}

function compileExpression(args: GrepArgs): RegExp {
  const source = args.literal === true ? args.pattern.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&') : args.pattern;
  if (source.length > MAX_GREP_PATTERN_CHARS)
    throw new Error(`The pattern has ${source.length} characters; at most ${MAX_GREP_PATTERN_CHARS} are taken.`);
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

function describe({ lines, matches, files, end }: Matches, limit: number): AgentToolResult<GrepDetails> {
  const notes: string[] = [];
  const kept = takeBytes(lines);
  if (kept.length < lines.length)
    notes.push('[The result is cut at 50 KB. Narrow it with path, glob or a longer pattern.]');
  if (end === 'ended')
    notes.push(
      '[The search took too long and was ended; these are the matches until then. Use a simpler pattern or a narrower path.]',
    );
  if (end === 'limit') notes.push(`[The first ${limit} matches. There are more: raise limit or narrow the search.]`);
  if (end === 'walk-cut') notes.push('[The folder has too many files; not all were searched. Narrow it with path.]');
  const body = kept.length === 0 ? 'No matches.' : kept.join('\n');
  return textResult(notes.length === 0 ? body : `${body}\n\n${notes.join('\n')}`, {
    matches,
    files,
    truncated: end !== 'all' || kept.length < lines.length,
  });
}

/** `path:12: match` and, with context, `path-11- line`, blocks apart by `--`. */
function renderFile(found: readonly LineMatch[], name: string, hasContext: boolean): string[] {
  const matching = new Set(found.map((match) => match.line));
  const rendered: string[] = [];
  let last = 0;
  for (const match of found) {
    if (hasContext && last > 0 && match.first > last + 1) rendered.push('--');
    match.lines.forEach((line, offset) => {
      const number = match.first + offset;
      if (number <= last) return;
      const mark = matching.has(number) ? ':' : '-';
      rendered.push(`${name}${mark}${number}${mark} ${line}`);
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
