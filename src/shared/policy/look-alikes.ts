/**
 * Characters that look like others: a Cyrillic а in a Latin name, a slash that is none. They are drawn as they are, since
 * people write in their own scripts; a sentence says where a name is not what it seems (docs/specs/safety.md C1).
 */

import { LATIN_TWINS } from '../latin-twins';
import type { Mark } from './shell-words';

/**
 * - `path`: a name that is opened or written: every look-alike is told.
 * - `command`: a shell text, with prose in its quotes: signs are told beside Latin letters only.
 * - `content`: a file, a message: only words that mix scripts.
 */
export type LookAlikePlace = 'path' | 'command' | 'content';

/** Latin letters by those of other scripts that look like them. */
const LETTERS = new Map<string, string>(
  Object.entries(LATIN_TWINS).flatMap(([latin, others]) =>
    [...others].map((other): [string, string] => [other, latin]),
  ),
);

/** Signs that look like one that a shell or a path gives a meaning to. */
const SIGNS = new Map<string, string>(
  Object.entries({
    '/': '⁄∕／⧸╱᜵',
    '\\': '＼∖⧵﹨',
    '.': '․．﹒',
    '..': '‥',
    ':': '：꞉∶ː',
    ';': '；\u037e',
    '-': '‐‑−－‒–—',
    '|': '｜∣￨│',
    '&': '＆﹠',
    '~': '～∼˜',
    '*': '＊∗⁎',
    '?': '？',
    $: '＄﹩',
    '`': '｀ˋ\u1fef',
    '"': '＂“”„',
    "'": '＇‘’ʼ',
    '>': '＞›',
    '<': '＜‹',
    '=': '＝꞊',
    '#': '＃',
    '!': '！ǃ',
    '(': '（',
    ')': '）',
    _: '＿',
    '@': '＠',
    '%': '％٪',
  }).flatMap(([ascii, others]) => [...others].map((other): [string, string] => [other, ascii])),
);

const OTHER = /[^\x00-\x7f]/;
const LATIN = /[A-Za-z]/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const FULLWIDTH = /[\uff01-\uff5e]/;
/** Letters of the longest word that is looked at. */
const MAX_WORD = 200;
/** Words and signs that are told of one text. */
const MAX_TOLD = 3;
/** Words that are remembered, to see whether one comes back in another form. */
const MAX_WRITTEN = 20_000;
/** Text that is looked at: a file of megabytes is not searched for look-alikes. */
const MAX_CHARS = 200_000;

/** Sentences about names in a text that are not what they seem. Linear in its length. */
export function findLookAlikes(text: string, place: LookAlikePlace): string[] {
  if (!OTHER.test(text)) return [];
  const found = new LookAlikes(place);
  found.look(text.slice(0, MAX_CHARS));
  return found.sentences();
}

/** What was found in a text, a stretch of it at a time. */
export class LookAlikes {
  private readonly words = new Told();
  private readonly signs = new Told();
  private readonly forms = new Told();
  /** Words by the form in which all ways to write them are one, as they came first. */
  private readonly written = new Map<string, string>();

  constructor(private readonly place: LookAlikePlace) {}

  /** Looks at a stretch of a line; where none is named at all of it. Returns whether something was found there. */
  look(text: string, from = 0, to = text.length): boolean {
    const stretch = text.slice(from, to);
    if (!OTHER.test(stretch)) return false;
    let isFound = false;
    for (const [word] of stretch.matchAll(WORD)) {
      const sentence = aboutWord(word, this.place);
      if (sentence !== null) isFound = this.words.add(word, sentence);
      if (this.isInTwoForms(word)) isFound = this.forms.add(word, aboutForms(word));
    }
    if (this.place === 'content') return isFound;
    for (let at = from; at < to;) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      const sentence = OTHER.test(character) ? aboutSign(text, at, character, this.place) : null;
      if (sentence !== null) isFound = this.signs.add(character, sentence);
      at += character.length;
    }
    return isFound;
  }

  sentences(): string[] {
    return [...this.words.sentences(), ...this.forms.sentences(), ...this.signs.sentences()];
  }

  /** Whether a word came before, written in another way: `é` as one character and as a letter with its accent. */
  private isInTwoForms(word: string): boolean {
    if (!OTHER.test(word) || word.length > MAX_WORD) return false;
    const form = word.normalize('NFC');
    const first = this.written.get(form);
    if (first === undefined && this.written.size < MAX_WRITTEN) this.written.set(form, word);
    return first !== undefined && first !== word;
  }
}

/** The characters of a stretch of a line that are told of there, as places in the line, in order; neighbors are one. Linear. */
export function twinsIn(line: string, place: LookAlikePlace, from = 0, to = line.length): Mark[] {
  const stretch = line.slice(from, to);
  if (!OTHER.test(stretch)) return [];
  const found: Mark[] = [];
  for (const match of stretch.matchAll(WORD)) {
    if (aboutWord(match[0], place) === null) continue;
    let at = from + match.index;
    for (const letter of match[0]) {
      if (LETTERS.has(letter)) found.push({ from: at, to: at + letter.length });
      at += letter.length;
    }
  }
  for (let at = from; at < to && place !== 'content';) {
    const character = String.fromCodePoint(line.codePointAt(at) ?? 0);
    if (OTHER.test(character) && aboutSign(line, at, character, place) !== null)
      found.push({ from: at, to: at + character.length });
    at += character.length;
  }
  return joined(found);
}

function joined(marks: Mark[]): Mark[] {
  const all: Mark[] = [];
  for (const mark of marks.sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && mark.from <= last.to) last.to = Math.max(last.to, mark.to);
    else all.push(mark);
  }
  return all;
}

/** Where a stretch that begins at `from` may end, about so many characters on: after a sign, so that no word is parted. */
export function endOfStretch(text: string, from: number, chars: number): number {
  if (from + chars >= text.length) return text.length;
  // A longer word than that is not looked at.
  for (let at = from + chars; at > from + chars - MAX_WORD - 1 && at > from; at -= 1)
    if (/[\x00-\x2f\x3a-\x40\u200b]/.test(text.charAt(at - 1))) return at;
  const code = text.charCodeAt(from + chars);
  return code >= 0xdc00 && code <= 0xdfff ? from + chars + 1 : from + chars;
}

/** Sentences of one kind: the first few, and how many more there are. */
class Told {
  private readonly known = new Set<string>();
  private readonly first: string[] = [];

  add(what: string, sentence: string): true {
    if (!this.known.has(what) && this.first.length < MAX_TOLD) this.first.push(sentence);
    this.known.add(what);
    return true;
  }

  sentences(): string[] {
    const rest = this.known.size - this.first.length;
    return rest === 0 ? this.first : [...this.first, `${rest.toLocaleString('en')} more of this kind.`];
  }
}

function aboutWord(word: string, place: LookAlikePlace): string | null {
  if (!OTHER.test(word) || word.length > MAX_WORD) return null;
  const letters = [...word];
  const first = letters.find((letter) => LETTERS.has(letter));
  if (first === undefined) return null;
  const isMixed = LATIN.test(word);
  // A whole word of twins is a word of its own language in prose; as a name it can stand for another one.
  const isDisguise = place !== 'content' && letters.every((letter) => LETTERS.has(letter) || /[0-9_]/.test(letter));
  if (!isMixed && !isDisguise) return null;
  const latin = letters.map((letter) => LETTERS.get(letter) ?? letter).join('');
  return `“${word}” looks like “${latin}” but is another name: ${describe(first)} is ${scriptOf(first)}, not Latin.`;
}

function aboutForms(word: string): string {
  return `“${word.normalize('NFC')}” is there in two spellings that look alike: an accented letter as one character, and as a letter with an accent. They are two names.`;
}

function aboutSign(text: string, at: number, character: string, place: LookAlikePlace): string | null {
  const ascii = SIGNS.get(character) ?? (FULLWIDTH.test(character) ? fullwidthTwin(character) : undefined);
  if (ascii === undefined) return null;
  // Chinese and Japanese prose has full-width signs, prose of all kinds has dashes and quotes: in a command they are
  // told where they touch plain letters and signs, which a shell would read.
  if (place === 'command' && !isPlain(text[at - 1]) && !isPlain(text[at + character.length])) return null;
  return `${describe(character)} looks like “${ascii}” but is another character.`;
}

function isPlain(character: string | undefined): boolean {
  return character !== undefined && /[!-~]/.test(character);
}

function fullwidthTwin(character: string): string {
  return String.fromCodePoint((character.codePointAt(0) ?? 0) - 0xfee0);
}

function describe(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `“${character}” (U+${code})`;
}

function scriptOf(letter: string): string {
  if (/\p{Script=Cyrillic}/u.test(letter)) return 'Cyrillic';
  if (/\p{Script=Greek}/u.test(letter)) return 'Greek';
  if (/\p{Script=Armenian}/u.test(letter)) return 'Armenian';
  return 'another letter';
}
