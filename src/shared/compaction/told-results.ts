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

/** Tools that change nothing: what the same call gives again is named, not repeated. */
const READS = new Set(['read', 'grep', 'find', 'ls']);
/** Below this a text says less than the note in its place. */
const LEAST_CHARS = 100;

/** What reads gave so far, so that the same is not told twice. */
export class ToldReads {
  private readonly told = new Map<string, { text: string; length: number }>();

  /**
   * A note in the place of a text that the same call gave before, as far as it is told; null the first time, and for other tools.
   * @param text as it would be told
   * @param length characters of the whole of it
   */
  again(name: string, given: unknown, text: string, length: number): string | null {
    if (!READS.has(name) || text.length < LEAST_CHARS) return null;
    const key = `${name} ${JSON.stringify(given)}`;
    const before = this.told.get(key);
    this.told.set(key, { text, length });
    return before?.text === text && before.length === length
      ? `[... the same ${length} characters as when it was called before ...]`
      : null;
  }
}
