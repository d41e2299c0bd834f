import { findSome, isUnspaced, MAX_WORD, type Query, type Span } from '@shared/search/words';

/** Characters that are looked through at once, and those behind them that are read along: a word, an excerpt. */
const CHUNK = 1_024;
const BEYOND = 512;
/** So far before a chunk the beginning of its first word is looked for. */
const BACK = 256;
/** Chunks of a text that are split into words in vain. */
const MOST_SPLIT = 8;

const ASCII = /^[\0-\x7f]*$/;
const DROPPED = /[\p{M}\u2044]+/gu;
const LETTER = /[\p{L}\p{N}]/u;
const UPPER = /\p{Lu}/u;
const DIGIT = /\p{N}/u;

/**
 * Where a long text first has some of what is looked for, and what follows within an excerpt; empty: nowhere, or only where much
 * looks like it. Splitting a text into words costs a hundred times what it costs to look for letters, so that is done
 * only where the letters of a place are. What it gives is found by the rules of `findIn` (SE2).
 */
export function firstPlaces(text: string, query: Query): Span[] {
  if (text.length <= CHUNK + BEYOND) return findSome(text, query);
  let splits = 0;
  for (let at = 0; at < text.length && splits < MOST_SPLIT; at += CHUNK) {
    const start = at - lettersBefore(text, at);
    const slice = text.slice(start, at + CHUNK + BEYOND);
    if (!mayHave(slice, query)) continue;
    splits++;
    const spans = findSome(slice, query);
    const [first] = spans;
    if (first && start + first[0] < at + CHUNK) return spans.map(([from, to]): Span => [start + from, start + to]);
  }
  return [];
}

/** Whether a text can't have all of what is looked for; false: it may have it, only its words say so. */
export function lacks(text: string, { groups, matchCase }: Query): boolean {
  return ASCII.test(text) && groups.some((group) => !mayHave(text, { groups: [group], matchCase }));
}

/** Characters of the word that a place stands within, before it. */
function lettersBefore(text: string, at: number): number {
  for (let back = 0; back <= BACK; back++) {
    const before = text[at - back - 1];
    if (before === undefined || !/[\p{L}\p{N}\p{M}\ud800-\udfff]/u.test(before)) return back;
  }
  return 0;
}

/** Whether the letters of what is looked for stand somewhere in a text as they would in a place. */
function mayHave(text: string, { groups, matchCase }: Query): boolean {
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replace(DROPPED, '');
  const letters = oneSigma(matchCase ? plain : plain.toLowerCase());
  return groups.some((group) => {
    const words = group.map((word) => oneSigma(matchCase ? word.plain : word.fold));
    const isOpen = group.at(-1)?.isOpen === true;
    for (let at = letters.indexOf(words[0] ?? ''); at >= 0; at = letters.indexOf(words[0] ?? '', at + 1)) {
      if (isWithin(plain, at)) continue;
      const end = endOf(letters, at, words);
      if (end === null) continue;
      if (isOpen || end >= letters.length || !isWithin(plain, end)) return true;
    }
    return false;
  });
}

/** Where words end that follow each other from a place on; the end of the text where it ends too soon, null where it has others. */
function endOf(letters: string, from: number, words: readonly string[]): number | null {
  let at = from;
  for (const [number, word] of words.entries()) {
    while (number > 0 && at < letters.length && !LETTER.test(letters[at] ?? '')) at++;
    if (at >= letters.length) return at;
    if (!letters.startsWith(word, at)) return null;
    at += word.length;
    // Of longer ones the beginning names them.
    if (word.length >= MAX_WORD) return letters.length;
  }
  return at;
}

/** Whether no word can begin at a place: it stands within one. */
function isWithin(text: string, at: number): boolean {
  const before = text[at - 1] ?? '';
  const here = text[at] ?? '';
  if (!LETTER.test(before) || !LETTER.test(here)) return false;
  return !UPPER.test(here) && !DIGIT.test(before) && !isUnspaced(before) && !isUnspaced(here);
}

/** Small sigma has another form at the end of a word. */
const oneSigma = (text: string): string => text.replaceAll('ς', 'σ');

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
