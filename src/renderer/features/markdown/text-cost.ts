/**
 * What it costs to lay text out, in estimated nanoseconds, by its characters alone. Letters cost little. A change to letters
 * that no bundled font has costs a search among the fonts of the system, each time where none has them: a paragraph
 * that changes with each letter takes a hundred times as long as one of words.
 */

const NS_LETTER = 500;
const NS_SIGN = 1_700;
const NS_OTHER = 2_000;
const NS_COMPLEX = 5_000;
/** Written out as `\u{202e}`, in visible form as an element of its own. */
const NS_HIDDEN = 15_000;
const NS_OWN_FONT = 6_000;
const NS_COMMON_FONT = 20_000;
const NS_SEARCH = 200_000;
/** In a field, where one text is laid out at once: a font that was looked for is known then, each line is a box. */
const NS_FIELD_CHANGE = 25_000;
const NS_FIELD_LINE = 5_000;
/** Letters take so much more there: the field is laid out twice for each key. */
const FIELD_FACTOR = 1.7;

/** Letters between which no font is looked for. 0 goes with whatever stands beside it. */
const LATIN = 1;
const GREEK = 2;
const CYRILLIC = 3;
const ARROWS = 4;
const BOXES = 5;
const EAST_ASIAN = 6;
const HANGUL = 7;
const EMOJI = 8;
const FIRST_PAGE = 16;

/** A position in a text and what it cost to come there. */
interface Walk {
  at: number;
  ns: number;
}

/** What the whole text costs. */
export function textCost(text: string): number {
  return walk(text, 0, Infinity).ns;
}

/** What a text field costs to lay out with this text in it, for each key that is pressed there; counted up to `most`. */
export function fieldCost(text: string, most: number): number {
  let ns = 0;
  let before = LATIN;
  for (let at = 0; at < text.length && ns <= most; at += widthAt(text, at)) {
    const code = text.codePointAt(at) ?? 0;
    const own = scriptOf(code);
    // What is hidden stands there as it is.
    ns += FIELD_FACTOR * Math.min(priceOf(code), NS_COMPLEX);
    if (code === 0x0a) ns += NS_FIELD_LINE;
    if (own === 0 || own === before) continue;
    ns += Math.min(priceOfChange(own, before), NS_FIELD_CHANGE);
    before = own;
  }
  return ns;
}

/** Where a text ends that begins at `from` and costs no more than `most`; at least one character on. */
export function affordable(text: string, from: number, most: number): number {
  return Math.max(walk(text, from, most).at, Math.min(text.length, from + widthAt(text, from)));
}

/** `affordable` where signs, marks and blanks may stand in elements of their own: letters beside one look for their font anew. */
export function affordableApart(text: string, most: number): number {
  return Math.max(walk(text, 0, most, true).at, Math.min(text.length, widthAt(text, 0)));
}

/** The text in pieces of which none costs more than `most`; parted at blanks where there are any. Put together they are the text. */
export function affordableParts(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = affordable(text, at, most);
    if (end < text.length) {
      const blank = Math.max(text.lastIndexOf(' ', end - 1), text.lastIndexOf('\n', end - 1)) + 1;
      if (blank > (at + end) / 2) end = blank;
    }
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function walk(text: string, from: number, most: number, isApart = false): Walk {
  let ns = 0;
  let before = LATIN;
  for (let at = from; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const own = scriptOf(code);
    ns += priceOf(code);
    if (own !== 0 && own !== before) {
      ns += priceOfChange(own, before);
      before = own;
    } else if (isApart && parts(code, text, at)) before = LATIN;
    if (ns > most) return { at, ns };
    at += code > 0xffff ? 2 : 1;
  }
  return { at: text.length, ns };
}

/** What may end the element that letters stand in. A single blank does not. */
function parts(code: number, text: string, at: number): boolean {
  if (code === 0x20) return text.charCodeAt(at + 1) === 0x20;
  return scriptOf(code) === 0 || MARK.test(String.fromCodePoint(code));
}

const MARK = /\p{M}/u;

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function priceOf(code: number): number {
  if (code < 0x80) {
    if (isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x20 || code === 0x0a) return NS_LETTER;
    return code < 0x20 || code === 0x7f ? NS_HIDDEN : NS_SIGN;
  }
  if (isHidden(code)) return NS_HIDDEN;
  return isComplex(code) ? NS_COMPLEX : NS_OTHER;
}

/** Letters that change with their neighbours, words that stand in an element of their own, emoji. */
function isComplex(code: number): boolean {
  if (code < 0x1e00) return code >= 0x0590;
  return (code >= 0xfb1d && code < 0xff00) || (code >= 0x10800 && code < 0x1fb00);
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Roughly what `escapeInvisible` and the visible form write out; a superset does no harm. */
function isHidden(code: number): boolean {
  return (
    code < 0xa0 ||
    code === 0xad ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202f) ||
    (code >= 0x205f && code <= 0x206f) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff ||
    (code >= 0xfff0 && code <= 0xffff) ||
    code >= 0xe0000
  );
}

function priceOfChange(to: number, from: number): number {
  const dearest = Math.max(rank(to), rank(from));
  return dearest === 0 ? NS_OWN_FONT : dearest === 1 ? NS_COMMON_FONT : NS_SEARCH;
}

/** How hard it is to find a font: a bundled one has it, one of any system has it, perhaps none has it. */
function rank(script: number): 0 | 1 | 2 {
  if (script <= CYRILLIC) return 0;
  return script === ARROWS || script === BOXES ? 1 : 2;
}

function scriptOf(code: number): number {
  if (code < 0xc0) return isLetter(code) ? LATIN : 0;
  if (code < 0x250 || (code >= 0x1e00 && code < 0x1f00)) return LATIN;
  // Accents, and the signs of ordinary writing.
  if ((code >= 0x300 && code < 0x370) || (code >= 0x2000 && code < 0x2070)) return 0;
  if (code >= 0x370 && code < 0x400) return GREEK;
  if (code >= 0x400 && code < 0x530) return CYRILLIC;
  if (code >= 0x2190 && code < 0x2300) return ARROWS;
  if (code >= 0x2500 && code < 0x2600) return BOXES;
  if (code >= 0x3000 && code < 0xa000) return EAST_ASIAN;
  if (code >= 0xff00 && code < 0xfff0) return EAST_ASIAN;
  if (code >= 0xac00 && code < 0xd7b0) return HANGUL;
  if (code >= 0xd800 && code < 0xe000) return 0;
  if (code === 0xfffd || (code >= 0xfe00 && code < 0xfe10)) return 0;
  if ((code >= 0x2600 && code < 0x27c0) || (code >= 0x1f000 && code < 0x1fb00)) return EMOJI;
  return FIRST_PAGE + (code >> 8);
}
