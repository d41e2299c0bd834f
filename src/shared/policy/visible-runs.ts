/** The characters of a line in visible form (docs/specs/safety.md C1): which are drawn, which are written out. */

import { codeOf, countOf, type EscapeClass, type Findings, nameOfCharacter } from './visible-findings';

/**
 * - `text` is drawn as it is: letters that run from left to right, digits, signs, emoji.
 * - `rtl` is one word of Hebrew, Arabic and the like: isolated, from right to left inside, never together with its neighbours.
 * - `isolated` is a digit sequence or sign of such a script: isolated, from left to right.
 * - `tab` and `return` are drawn as signs; `trailing` are spaces at a line's end, drawn on a tint.
 * - `escape` is a character written out; `blank` a count in place of very many spaces, tabs or empty lines.
 */
export type VisibleRunKind = 'text' | 'rtl' | 'isolated' | 'tab' | 'return' | 'trailing' | 'escape' | 'blank';

export interface VisibleRun {
  kind: VisibleRunKind;
  /** The characters that it stands for. */
  source: string;
  /** What is drawn. */
  shown: string;
}

/** Spaces in a row that are drawn; of more only the count. */
export const MAX_DRAWN_SPACES = 80;
/** The same escape in a row is written once with a count from here on. */
const MAX_REPEATED_ESCAPES = 3;
/** Accents on one letter: Vietnamese and phonetic writing need two or three. */
const MAX_ACCENTS = 3;
/** Signs of its own script on one letter: Tibetan and Myanmar need up to six. */
const MAX_SIGNS = 6;

/** A tab is drawn as this sign before it. */
const TAB_SIGN = '→';
/** Around what is written out. */
export const OPEN = '⟨';
export const CLOSE = '⟩';
/** The carriage return of a line's end: few fonts have the sign that Unicode has for it, which is written out itself. */
export const RETURN_NAME = 'CR';
const RETURN_SYMBOL = '␍';

/** Stretches that are drawn as they are, whatever stands around them. */
const STRETCH = /[\x20-\x7e]+|[\u3041-\u3096\u30a1-\u30fa\u3400-\u4db5\u4e00-\u9fef\uac00-\ud7a3]+/y;
const DRAWABLE = /[\p{L}\p{N}\p{P}\p{S} ]/u;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
/** Drawn as nothing, as a box with "OBJ", or alike for whatever was lost, although Unicode calls them letters or symbols. */
const BLANK_GLYPHS = /[\u2800\u303f\ufffc\ufffd\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u;
const MARK = /\p{M}/u;
const LETTER = /\p{L}/u;
const ACCENT = /[\p{Script=Inherited}\p{Script=Common}]/u;
/** Marks that strike through or enclose the letter before them. */
const COVERING = /[\p{Me}\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5-\u20eb]/u;
/** Blocks whose unassigned characters default to right-to-left: all scripts that run that way. */
const RTL_BLOCK = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const DIGIT = /\p{Nd}/u;
/** What an emoji may begin with: keeps the test for whole sequences off everything else. */
const EMOJI_START = /[\p{Extended_Pictographic}\p{Regional_Indicator}#*0-9]/u;
// All of `RGI_Emoji`, in two: the browser takes half of a long task to compile those with joiners, so that is left until one
// comes. As constructors: the bundler's target does not know the flag, every runtime of the app does.
const SHORT_EMOJI = new RegExp(
  '[\\p{Basic_Emoji}\\p{Emoji_Keycap_Sequence}\\p{RGI_Emoji_Modifier_Sequence}\\p{RGI_Emoji_Flag_Sequence}\\p{RGI_Emoji_Tag_Sequence}]',
  'vy',
);
const JOINED_EMOJI = new RegExp('\\p{RGI_Emoji_ZWJ_Sequence}', 'vy');
/** No emoji has its first joiner further on: a person with a tone of skin, a selector. */
const FIRST_JOINER = 6;

/** Puts the characters of one line into runs. */
export class RunBuilder {
  private readonly runs: VisibleRun[] = [];
  /** Marks on the letter before; null where none may follow. */
  private marks: number | null = null;
  /** That letter with them. */
  private letter = '';

  constructor(private readonly found: Findings) {}

  /**
   * Characters of a line up to `end`. From `stop` on it leaves off before the first one that does not touch what precedes it.
   * Returns where it left off.
   */
  text(text: string, from: number, end: number, stop: number): number {
    // One character more than is wanted, so that what may begin an emoji is seen with what follows it.
    const looked = text.slice(from, Math.min(end, Math.max(stop, from + 1) + 1));
    let at = from;
    while (at < end && (at < stop || this.touches(text, at))) {
      const stretch = at - from < looked.length ? stretchAt(looked, at - from, from + looked.length === end) : '';
      if (stretch !== '') {
        this.push('text', stretch, stretch);
        this.stand(stretch.charAt(stretch.length - 1));
        at += stretch.length;
        continue;
      }
      const character = text.slice(at, at + widthAt(text, at));
      const emoji = EMOJI_START.test(character) ? emojiAt(text, at) : '';
      if (emoji.length > character.length) {
        this.marks = null;
        this.push('text', emoji, emoji);
        at += emoji.length;
      } else {
        at += this.characters(text, character, at, end);
      }
    }
    return at;
  }

  /** Whether the character at a place would be drawn on the one before it. */
  private touches(text: string, at: number): boolean {
    return this.marks !== null && MARK.test(text.slice(at, at + widthAt(text, at)));
  }

  blank(blanks: string): void {
    this.marks = null;
    this.found.blanks(blanks);
    this.runs.push({ kind: 'blank', source: blanks, shown: OPEN + countOf(blanks.length, blanks.charAt(0)) + CLOSE });
  }

  trailing(spaces: string): void {
    if (spaces.length > MAX_DRAWN_SPACES) this.blank(spaces);
    else if (spaces !== '') this.push('trailing', spaces, spaces);
  }

  /** Appends to the run before if it is of the same kind; `isolated` ones join as digits only. */
  push(kind: VisibleRunKind, source: string, shown: string): void {
    const last = this.runs.at(-1);
    const joins =
      last?.kind === kind && (kind !== 'isolated' || (DIGIT.test(source) && /^\p{Nd}+$/u.test(last.source)));
    if (!last || !joins) {
      this.runs.push({ kind, source, shown });
      return;
    }
    last.source += source;
    last.shown += shown;
  }

  done(): VisibleRun[] {
    for (const run of this.runs) if (run.kind === 'escape') run.shown = writeOut(run.source);
    return this.runs;
  }

  /** A character; of one that is written out all that stand in a row. Returns how many units were taken. */
  private characters(text: string, character: string, at: number, end: number): number {
    if (!isWrittenOut(character)) {
      this.character(character);
      return character.length;
    }
    const times = countSame(text, character, at, end);
    this.escape(character.repeat(times), nameOfCharacter(character).kind, character, times);
    return times * character.length;
  }

  private character(character: string): void {
    if (character === '\t') {
      this.marks = null;
      this.push('tab', '\t', `${TAB_SIGN}\t`);
    } else if (MARK.test(character)) {
      this.mark(character);
    } else if (character === OPEN || character === RETURN_SYMBOL) {
      // Written out, so that no text can pretend to be an escape, and none is a box.
      this.escape(character, null);
    } else {
      this.stand(character);
      this.push(kindOf(character), character, character);
    }
  }

  /** What marks may follow. */
  private stand(character: string): void {
    this.marks = LETTER.test(character) ? 0 : null;
    this.letter = character;
  }

  /**
   * A mark is drawn on a letter, few at a time; elsewhere it would change or cover what is before it. An accent is drawn on it once: a second
   * one lies on the first.
   */
  private mark(character: string): void {
    const most = ACCENT.test(character) ? MAX_ACCENTS : MAX_SIGNS;
    const last = this.runs.at(-1);
    // A sign of a script that runs the other way belongs to no letter of this one.
    const isForeign = RTL_BLOCK.test(character) && last?.kind !== 'rtl';
    const isTwice = ACCENT.test(character) && this.letter.includes(character);
    if (this.marks === null || !last || this.marks >= most || COVERING.test(character) || isForeign || isTwice) {
      this.escape(character, 'mark');
      return;
    }
    this.marks += 1;
    this.letter += character;
    last.source += character;
    last.shown += character;
  }

  private escape(source: string, kind: EscapeClass | null, character = source, times = 1): void {
    this.marks = null;
    if (kind !== null) this.found.character(kind, character, times);
    this.push('escape', source, '');
  }
}

/** What can't be drawn as it is, whatever stands beside it. Marks depend on that, and blanks have signs of their own. */
function isWrittenOut(character: string): boolean {
  if (character === '\t' || character === OPEN || character === RETURN_SYMBOL) return false;
  if (IGNORABLE.test(character)) return true;
  return !MARK.test(character) && (BLANK_GLYPHS.test(character) || !DRAWABLE.test(character));
}

/** How often a character stands there in a row. */
function countSame(text: string, character: string, from: number, end: number): number {
  let at = from + character.length;
  while (at < end && text.startsWith(character, at)) at += character.length;
  return (at - from) / character.length;
}

function kindOf(character: string): VisibleRunKind {
  if (!RTL_BLOCK.test(character)) return 'text';
  return LETTER.test(character) ? 'rtl' : 'isolated';
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** Characters that need no look of their own. The last one may begin an emoji if something else follows it. */
function stretchAt(text: string, at: number, endsThere: boolean): string {
  STRETCH.lastIndex = at;
  const stretch = STRETCH.exec(text)?.[0] ?? '';
  return endsThere && at + stretch.length === text.length ? stretch : stretch.slice(0, -1);
}

/** The emoji that Unicode recommends for interchange and that begins here; empty if none does. */
function emojiAt(text: string, at: number): string {
  const joined = text.slice(at, at + FIRST_JOINER).includes('\u200d') ? matchAt(JOINED_EMOJI, text, at) : '';
  return joined === '' ? matchAt(SHORT_EMOJI, text, at) : joined;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Characters as escapes, a repeated one as one with a count. */
function writeOut(source: string): string {
  const parts: string[] = [];
  for (let at = 0; at < source.length;) {
    const character = source.slice(at, at + widthAt(source, at));
    const many = countSame(source, character, at, source.length);
    const code = codeOf(character);
    if (many > MAX_REPEATED_ESCAPES) parts.push(`${OPEN}${code} ×${many.toLocaleString('en')}${CLOSE}`);
    else parts.push(`${OPEN}${code}${CLOSE}`.repeat(many));
    at += many * character.length;
  }
  return parts.join('');
}
