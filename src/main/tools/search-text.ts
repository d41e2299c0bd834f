import { BINARY_SNIFF_BYTES, MAX_GREP_LINE_CHARS, MAX_GREP_SEARCH_CHARS } from '@shared/limits';

/** A line that matches, with the lines around it. Line numbers count from 1. */
export interface LineMatch {
  line: number;
  /** Number of the first of `lines`. */
  first: number;
  lines: string[];
}

/**
 * Lines of a text that match, at most `limit`; `hasMore` if there are others. No list of all lines is made: millions of
 * empty ones would be more memory than there is.
 */
export function searchText(
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
