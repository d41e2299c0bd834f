import { isRecord } from '../checks';
import { endsOf } from '../cut-text';
import { isReadingTool } from '../policy/tool-policy';
import { escapeBreaks, escapeMarks, UNSEEN_IN_LINE } from '../session/records/own-marks';

/** Characters of a line in which a path is looked for. */
const MOST_OF_PATH = 300;
/** A numbered line of which only the number would be told. */
const BLANK_LINE = /^\d{1,9}[:-]\s*$/;
/** Lines of one file that are worth a line with its path. */
const LEAST_LINES = 2;

/**
 * What a search printed, with one path for the lines of a file that follow each other: `path:`, then each line without it behind a blank.
 * `path:12: text` and `path-11- text` become `12: text` and `11- text`, `path: text` and `path(9,2): text` what follows the path; numbered lines without a word go.
 * O(length).
 */
export function withPathsOnce(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  const known = new Set(lines.flatMap((line) => numberedPath(line) ?? []));
  const told: string[] = [];
  for (let at = 0; at < lines.length;) {
    const path = pathOf(lines[at] as string, known);
    let end = at + 1;
    while (path !== null && end < lines.length && pathOf(lines[end] as string, known) === path) end++;
    if (path === null || end - at < LEAST_LINES) told.push(...lines.slice(at, end));
    else {
      told.push(`${path}:`);
      for (const line of lines.slice(at, end)) {
        const rest = behind(line, path);
        if (!BLANK_LINE.test(rest)) told.push(` ${rest}`);
      }
    }
    at = end;
  }
  return told.join('\n');
}

/** What follows the path of a line, and the sign between them where a number comes next. */
function behind(line: string, path: string): string {
  const rest = line.slice(path.length);
  return /^[:-]\d/.test(rest) ? rest.slice(1) : rest;
}

function numberedPath(line: string): string | null {
  const [, path = null] = /^([^\s:]{1,300}):\d{1,9}:/.exec(line.slice(0, MOST_OF_PATH)) ?? [];
  return path;
}

/** The path that a line of a search begins with, or null. */
function pathOf(line: string, known: ReadonlySet<string>): string | null {
  const beginning = line.slice(0, MOST_OF_PATH);
  const numbered = numberedPath(beginning);
  if (numbered !== null) return numbered;
  // Of the lines around a match the path may hold such signs itself: it is one that a match has.
  for (const { index } of beginning.matchAll(/-\d{1,9}-/g)) {
    const path = beginning.slice(0, index);
    if (known.has(path)) return path;
  }
  const [, path = ''] = /^([^\s:(]{3,200})(?::|\(\d)/.exec(beginning) ?? [];
  return /[^/]\/[^/]|\w\.\w{1,8}$/.test(path) ? path : null;
}

/** Below this a text says less than the note in its place. */
const LEAST_CHARS = 100;

/** What stands in the place of a text that the same call gave before, or null for tools that do more than read. @param told as it would be told */
export function sameAgain(name: string, told: string, length: number): string | null {
  if (!isReadingTool(name) || told.length < LEAST_CHARS) return null;
  return `[... the same ${length} characters as when it was called before ...]`;
}

/** What an edit replaced, under the names that tools give it. */
const PAIRS = [
  ['oldText', 'newText'],
  ['oldString', 'newString'],
] as const;
/** Of longer texts only what they begin and end with alike is left out: to compare each line with each takes too long. */
const MOST_COMPARISONS = 40_000;
/** Characters of changed lines above which they are cut, and what stays of those that went and came: what was written is of more use (SU20). */
const DONE = { most: 1000, '-': { head: 150, tail: 50 }, '+': { head: 450, tail: 250 } };
const NOT_DONE = { most: 400, '-': { head: 50, tail: 50 }, '+': { head: 150, tail: 50 } };

/** An edit as the lines that it took out and put in, and what its arguments say besides. */
interface ToldEdit {
  rest: Record<string, unknown>;
  /** Lines behind `-` and `+`, parts of the file apart by `@@`; escaped (SU14). */
  lines: string;
}

/** The changed lines of a call of `edit` (SU20); null where its arguments are no replacements of texts, or change nothing. */
export function toldEdit(given: Record<string, unknown>, isDone: boolean): ToldEdit | null {
  const { edits, ...others } = given;
  const pairs =
    edits === undefined ? [pairOf(given, true)] : Array.isArray(edits) ? edits.map((edit) => pairOf(edit, false)) : [];
  const rest = edits === undefined ? withoutPair(given) : others;
  if (pairs.includes(null)) return null;
  const blocks = (isWhole: boolean): string =>
    pairs.flatMap((pair) => (pair ? changedLines(...pair, isWhole) : [])).join('\n@@\n');
  const short = blocks(false);
  const limits = isDone ? DONE : NOT_DONE;
  if (short === '') return null;
  // Where lines go missing none may refer to another.
  return { rest, lines: short.length <= limits.most ? short : cutLines(blocks(true), limits) };
}

function pairOf(value: unknown, mayHaveMore: boolean): [string, string] | null {
  if (!isRecord(value)) return null;
  for (const [before, after] of PAIRS) {
    const [from, to] = [value[before], value[after]];
    if (typeof from !== 'string' || typeof to !== 'string') continue;
    return mayHaveMore || Object.keys(value).length === 2 ? [from, to] : null;
  }
  return null;
}

function withoutPair(given: Record<string, unknown>): Record<string, unknown> {
  const names = PAIRS.find(([before]) => typeof given[before] === 'string') ?? PAIRS[0];
  return Object.fromEntries(Object.entries(given).filter(([key]) => key !== names[0] && key !== names[1]));
}

/** The lines that went and came, escaped, in blocks that lie apart; `isWhole`: each line in full. O(lines of one × lines of the other), within a bound. */
export function changedLines(before: string, after: string, isWhole = false): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let from = 0;
  while (from < old.length && from < now.length && old[from] === now[from]) from++;
  let [oldEnd, nowEnd] = [old.length, now.length];
  const isLarge = (oldEnd - from) * (nowEnd - from) > MOST_COMPARISONS;
  if (isLarge)
    while (oldEnd > from && nowEnd > from && old[oldEnd - 1] === now[nowEnd - 1])
      [oldEnd, nowEnd] = [oldEnd - 1, nowEnd - 1];
  const [gone, come] = [old.slice(from, oldEnd), now.slice(from, nowEnd)];
  const stays = (oldEnd - from) * (nowEnd - from) > MOST_COMPARISONS ? null : commonLengths(gone, come);
  const blocks: string[] = [];
  let block: Change[] = [];
  for (let [a, b] = [0, 0]; a < gone.length || b < come.length;) {
    if (stays && a < gone.length && b < come.length && gone[a] === come[b]) {
      if (block.length > 0) blocks.push(told(block, isWhole));
      block = [];
      [a, b] = [a + 1, b + 1];
    } else if (b >= come.length || (a < gone.length && (!stays || stays(a + 1, b) >= stays(a, b + 1)))) {
      block.push({ sign: '-', text: gone[a++] ?? '' });
    } else block.push({ sign: '+', text: come[b++] ?? '' });
  }
  if (block.length > 0) blocks.push(told(block, isWhole));
  return blocks;
}

/** From so many characters on that two lines begin or end with alike, the second has a note in their place. */
const LEAST_SAME = 40;

/** The lines of a block. Of a line that gave way to one, what both begin or end with stands in the first alone. */
function told(block: readonly Change[], isWhole: boolean): string {
  const [gone, come] = block;
  if (isWhole || block.length !== 2 || gone?.sign !== '-' || come?.sign !== '+') return block.map(lineOf).join('\n');
  const most = Math.min(gone.text.length, come.text.length);
  let start = 0;
  while (start < most && gone.text[start] === come.text[start]) start++;
  let end = 0;
  while (end < most - start && gone.text.at(-1 - end) === come.text.at(-1 - end)) end++;
  const from = start < LEAST_SAME ? 0 : isLow(come.text.charCodeAt(start)) ? start - 1 : start;
  const to = end < LEAST_SAME ? come.text.length : endsOf(come.text, come.text.length - end, 0).head.length;
  const middle = escapeLine(come.text.slice(from, to));
  return `${lineOf(gone)}\n+${from > 0 ? '[... same beginning ...]' : ''}${middle}${to < come.text.length ? '[... same end ...]' : ''}`;
}

interface Change {
  sign: '-' | '+';
  text: string;
}

function lineOf({ sign, text }: Change): string {
  return sign + escapeLine(text);
}

/**
 * Nothing in a changed line reads as a note of ours, at its beginning or within it (SU14), nor as another line: behind a break that only some
 * take for one would stand what no sign is before, such as a call. A return before the end of the line is part of that.
 */
function escapeLine(text: string): string {
  const line = escapeBreaks(text.endsWith('\r') ? text.slice(0, -1) : text) + (text.endsWith('\r') ? '\r' : '');
  return line.includes('[') ? escapeMarks(line.replace(INNER_NOTE, '\\[')) : line;
}
const INNER_NOTE = new RegExp(String.raw`\[(?=${UNSEEN_IN_LINE}\.${UNSEEN_IN_LINE}\.${UNSEEN_IN_LINE}\.)`, 'gu');

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** How many lines two texts have in common from a place in each on, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): (a: number, b: number) => number {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (a: number, b: number): number => common[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = now.length - 1; b >= 0; b--)
      common[a * width + b] = old[a] === now[b] ? 1 + at(a + 1, b + 1) : Math.max(at(a + 1, b), at(a, b + 1));
  return at;
}

/** Of long changes the first and last lines that came stay, and fewer of those that went; one note says how much is missing. */
function cutLines(text: string, limits: typeof DONE): string {
  const lines = text.split('\n');
  const kept = new Map([...endsKept(lines, '-', limits['-']), ...endsKept(lines, '+', limits['+'])]);
  const told: string[] = [];
  let missing = 0;
  let noteAt = -1;
  let isNextPlace = false;
  lines.forEach((line, at) => {
    if (line === '@@') {
      isNextPlace = told.length > 0;
      return;
    }
    const shown = kept.get(at);
    if (shown !== undefined) {
      if (isNextPlace) told.push('@@');
      isNextPlace = false;
      told.push(shown);
    }
    if (shown === line) return;
    missing += line.length - (shown?.length ?? 0);
    if (noteAt < 0) noteAt = told.push('') - 1;
  });
  if (noteAt >= 0) told[noteAt] = `[... ${missing} characters of changed lines, here and below ...]`;
  return told.join('\n');
}

/** Lines of a sign that stay, by their places: whole ones, but for a first that is too long by itself. */
function endsKept(
  lines: readonly string[],
  sign: '-' | '+',
  { head, tail }: { head: number; tail: number },
): Map<number, string> {
  const places = lines.flatMap((line, at) => (line.startsWith(sign) ? [at] : []));
  const kept = new Map<number, string>();
  let left = head;
  for (const at of places) {
    const line = lines[at] as string;
    if (line.length >= left && kept.size === 0) kept.set(at, endsOf(line, head, 0).head);
    if (line.length >= left) break;
    kept.set(at, line);
    left -= line.length + 1;
  }
  left = tail;
  for (const at of places.reverse()) {
    const line = lines[at] as string;
    if (kept.has(at) || line.length >= left) break;
    kept.set(at, line);
    left -= line.length + 1;
  }
  return kept;
}
