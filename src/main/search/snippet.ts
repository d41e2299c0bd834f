import type { Span } from '@shared/search/words';

/** Characters before the first hit, and of a snippet in all. */
const LEAD = 40;
const MOST = 220;
/** Of the characters before a hit those are looked at for the beginning of a word. */
const SLACK = 16;

/** Some words around the first of `spans`, on one line, with the spans that lie within it. */
export function snippetOf(text: string, spans: readonly Span[]): { text: string; marks: Span[] } {
  const first = spans[0]?.[0] ?? 0;
  const from = startOf(text, Math.max(0, first - LEAD), first);
  const to = Math.min(text.length, from + MOST);
  let line = from > 0 ? '…' : '';
  let at = from;
  const marks: Span[] = [];
  const add = (end: number): void => {
    // Breaks and runs of blanks are one blank: the line is read, not copied.
    line += text.slice(at, end).replace(/\s+/g, ' ');
    at = end;
  };
  for (const [start, end] of spans) {
    if (start < from || start >= to) continue;
    add(start);
    const begins = line.length;
    add(Math.min(end, to));
    marks.push([begins, line.length]);
  }
  add(to);
  const cut = line.replace(/[\ud800-\udbff]$/, '');
  return { text: to < text.length ? `${cut}…` : cut, marks };
}

/** The first beginning of a word from a place on; not in the middle of a character. */
function startOf(text: string, from: number, most: number): number {
  if (from === 0) return 0;
  const end = Math.min(most, from + SLACK);
  for (let at = from; at < end; at++) if (/\s/.test(text[at] ?? '')) return at + 1;
  return /[\udc00-\udfff]/.test(text[from] ?? '') ? from + 1 : from;
}
