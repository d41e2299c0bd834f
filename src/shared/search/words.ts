/**
 * What a search takes for a word, in texts and in queries alike (SE2). Index, snippets and the marks on screen all read texts
 * by these rules, so that what is counted is what is marked. Pure, linear in the length of the text.
 */

/** Letters, digits and what is written onto them, in one run. */
const RUN = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no blank between words: each of their characters is a word, and words that follow each other are looked for as such. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** `retryBudget`, `HTMLParser`: where a word begins within one. */
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|\p{Lu}+(?!\p{Ll})[\p{N}\p{M}]*|\p{Lu}?(?:(?!\p{Lu})[\p{L}\p{N}\p{M}])+?(?=\p{Lu}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|$)|\p{Lu}/gu;
const MARKS = /\p{M}+/gu;
const ONLY_ASCII = /^[0-9A-Za-z]*$/;
const HAS_PARTS = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const ASCII_PARTS = /[A-Z]+(?![a-z])\d*|[A-Z]?[a-z0-9]+|[A-Z]/g;

/** Longer runs are hashes and pictures in letters: their beginning names them. Characters. */
export const MAX_WORD = 64;

/** A word of a text. `end` is the first character behind it. */
export interface Word {
  /** Without accents, in small letters. */
  fold: string;
  /** Without accents, as it was written. */
  plain: string;
  start: number;
  end: number;
  /** Where the run of letters that it is part of begins, and its number among the parts of that run. */
  run: number;
  part: number;
}

/** The words of a text in order, parts of names (`retryBudget`) each by itself. */
export const wordsOf = (text: string): Word[] => [...eachWord(text)];

function* eachWord(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    let part = 0;
    for (const [from, to] of partsOf(run)) {
      const plain = plainOf(run.slice(from, Math.min(to, from + MAX_WORD)));
      if (plain === '') continue;
      yield { fold: plain.toLowerCase(), plain, start: index + from, end: index + to, run: index, part: part++ };
    }
  }
}

function* partsOf(run: string): Generator<readonly [number, number]> {
  if (ONLY_ASCII.test(run)) {
    if (!HAS_PARTS.test(run)) return yield [0, run.length];
    for (const { 0: part, index } of run.matchAll(ASCII_PARTS)) yield [index, index + part.length];
    return;
  }
  let last: [number, number] | null = null;
  let at = 0;
  for (const { 0: part, index } of run.matchAll(PARTS)) {
    // What no part begins with belongs to the one before.
    if (index > at && last) last[1] = index;
    else if (index > at) last = [at, index];
    if (last) yield last;
    at = index + part.length;
    last = [index, at];
  }
  if (last) yield last;
  if (at < run.length) yield [at, run.length];
}

function plainOf(word: string): string {
  return ONLY_ASCII.test(word)
    ? word
    : word
        .normalize('NFKD')
        .replace(MARKS, '')
        .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** What is looked for. All groups are to be found; the words of a group follow each other, and the last may go on. */
export interface Query {
  groups: readonly (readonly QueryWord[])[];
  /** Letters are to be as they were typed. */
  matchCase: boolean;
}

interface QueryWord {
  fold: string;
  plain: string;
  /** Words that begin with it are found too. */
  isOpen: boolean;
}

/** Words of a query that count; one of more is cut there. */
const MOST_WORDS = 32;

/**
 * Reads what a person typed. Words stand anywhere in the text; `exact`: all follow each other, as they were typed. Null: there is no word
 * in it.
 */
export function readQuery(text: string, { exact, matchCase }: { exact: boolean; matchCase: boolean }): Query | null {
  const typed = exact ? [text] : text.split(/\s+/);
  const groups = typed
    .map((part) => wordsOf(part).slice(0, MOST_WORDS))
    .filter((words) => words.length > 0)
    .slice(0, MOST_WORDS)
    .map((words) =>
      words.map(({ fold, plain }, at) => ({ fold, plain, isOpen: at === words.length - 1 && mayGoOn(fold) })),
    );
  return groups.length === 0 ? null : { groups, matchCase };
}

/** Whether a character is of a script whose characters are words each. */
export const isUnspaced = (character: string): boolean => UNSPACED.test(character);

/** A single letter would find half of all words. */
function mayGoOn(fold: string): boolean {
  return fold.length > 1 && !UNSPACED.test(fold);
}

/** A stretch of a text: its first character, and the first behind it. */
export type Span = readonly [start: number, end: number];

/** Where a text has what is looked for, in order and not overlapping; empty unless all of it is there. O(words × words of the query). */
export function findIn(text: string, query: Query): Span[] {
  const words = wordsOf(text);
  const found = query.groups.map((group) => spansOf(words, group, query.matchCase));
  return found.every((spans) => spans.length > 0) ? merged(found.flat()) : [];
}

/** The same where some of it is enough: of a stretch of a text that has the rest elsewhere. */
export function findSome(text: string, query: Query): Span[] {
  const words = wordsOf(text);
  return merged(query.groups.flatMap((group) => spansOf(words, group, query.matchCase)));
}

function spansOf(words: readonly Word[], group: Query['groups'][number], matchCase: boolean): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < words.length; at++) {
    const span = spanAt(words, at, group, matchCase);
    if (span) spans.push(span);
  }
  return spans;
}

/** Words between two steps of `findEachInSteps`: a millisecond or two. */
const STEP = 1_000;

/**
 * Where a text has any of the groups, each by itself, in order and not overlapping. In steps: a window that draws has other things to do
 * between them. Each word is read once, whatever the query.
 */
export function* findEachInSteps(text: string, { groups, matchCase }: Query): Generator<void, Span[]> {
  const words: Word[] = [];
  for (const word of eachWord(text)) {
    words.push(word);
    if (words.length % STEP === 0) yield;
  }
  // What begins a group begins each of its places, in a name as one word too.
  const byFirst = new Map<number, Query['groups'][number][]>();
  for (const group of groups) {
    const first = firstOf(group[0]);
    const others = byFirst.get(first);
    if (others) others.push(group);
    else byFirst.set(first, [group]);
  }
  const spans: Span[] = [];
  for (let at = 0; at < words.length; at++) {
    for (const group of byFirst.get(firstOf(words[at])) ?? []) {
      const span = spanAt(words, at, group, matchCase);
      if (span) spans.push(span);
    }
    if (at % STEP === STEP - 1) yield;
  }
  return merged(spans);
}

const firstOf = (word: { fold: string } | undefined): number => word?.fold.charCodeAt(0) ?? Number.NaN;

function spanAt(words: readonly Word[], at: number, group: Query['groups'][number], matchCase: boolean): Span | null {
  const first = words[at] as Word;
  for (let step = 0; step < group.length; step++) {
    const word = words[at + step];
    const wanted = group[step] as QueryWord;
    if (!word || !isMatch(word, wanted, matchCase)) return wholeSpan(words, at, group, matchCase);
  }
  const last = words[at + group.length - 1] as Word;
  return [first.start, endIn(last, group[group.length - 1] as QueryWord)];
}

function isMatch({ fold, plain }: Word, wanted: QueryWord, matchCase: boolean): boolean {
  const [has, asked] = matchCase ? [plain, wanted.plain] : [fold, wanted.fold];
  return wanted.isOpen ? has.startsWith(asked) : has === asked;
}

/** Accents make a word longer than what was typed: then all of it is marked. */
function endIn({ fold, start, end }: Word, wanted: QueryWord): number {
  return fold.length === end - start ? Math.min(end, start + wanted.fold.length) : end;
}

/** `retrybudget` finds `retryBudget`: a name as one word, whatever its parts. */
function wholeSpan(
  words: readonly Word[],
  at: number,
  group: Query['groups'][number],
  matchCase: boolean,
): Span | null {
  const first = words[at] as Word;
  const second = words[at + 1];
  if (first.part !== 0 || second?.run !== first.run) return null;
  const asked = group.map(({ fold, plain }) => (matchCase ? plain : fold)).join('');
  let has = '';
  for (let next = at; words[next]?.run === first.run && has.length < asked.length; next++) {
    const word = words[next] as Word;
    has += matchCase ? word.plain : word.fold;
    if (has.length < asked.length) continue;
    const isWhole = words[next + 1]?.run !== first.run && has === asked;
    const isOpen = group.at(-1)?.isOpen === true && has.startsWith(asked);
    return isWhole || isOpen ? [first.start, word.end] : null;
  }
  return null;
}

function merged(spans: Span[]): Span[] {
  const found: [number, number][] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = found.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** The words of a text as an index takes them: parts, and names of several parts as one word besides. */
export function indexedWords(text: string): { parts: string; names: string } {
  const parts: string[] = [];
  const names: string[] = [];
  for (const run of text.match(RUN) ?? []) {
    // Most runs are one plain word; an index reads so many that an object for each counts.
    if (run.length <= MAX_WORD && ONLY_ASCII.test(run) && !HAS_PARTS.test(run)) {
      parts.push(run.toLowerCase());
      continue;
    }
    const folds = wordsOf(run).map(({ fold }) => fold);
    parts.push(...folds);
    if (folds.length > 1) names.push(folds.join('').slice(0, MAX_WORD));
  }
  return { parts: parts.join(' '), names: names.join(' ') };
}

/** The query in the language of SQLite's full-text tables, for columns of `indexedWords`. Words are letters and digits: none needs an escape. */
export function matchExpression({ groups }: Query): string {
  return groups
    .map((group) => {
      const end = group.at(-1)?.isOpen === true ? '*' : '';
      const parts = `"${group.map(({ fold }) => fold).join(' ')}"${end}`;
      const name = group
        .map(({ fold }) => fold)
        .join('')
        .slice(0, MAX_WORD);
      return `(parts : ${parts} OR names : "${name}"${end})`;
    })
    .join(' AND ');
}
