import type { LookAlikePlace } from './look-alikes';

/** What visible text had to write out, in words for the person who is asked: what it is and what harm it can do (docs/specs/safety.md C1). */

export type EscapeClass =
  'direction' | 'invisible' | 'break' | 'control' | 'space' | 'tag' | 'unknown' | 'damaged' | 'mark';

interface CharacterName {
  kind: EscapeClass;
  /** With an article where English wants one. */
  name: string;
}

const NAMES = new Map<number, CharacterName>([
  [0x00, { kind: 'control', name: 'a NUL character' }],
  [0x07, { kind: 'control', name: 'a bell character' }],
  [0x08, { kind: 'control', name: 'a backspace' }],
  [0x0b, { kind: 'break', name: 'a vertical tab' }],
  [0x0c, { kind: 'break', name: 'a form feed' }],
  [0x0d, { kind: 'break', name: 'a carriage return' }],
  [0x1b, { kind: 'control', name: 'an escape character' }],
  [0x7f, { kind: 'control', name: 'a delete character' }],
  [0x85, { kind: 'break', name: 'a next-line character' }],
  [0xa0, { kind: 'space', name: 'a no-break space' }],
  [0xad, { kind: 'invisible', name: 'a soft hyphen' }],
  [0x34f, { kind: 'invisible', name: 'a grapheme joiner' }],
  [0x61c, { kind: 'direction', name: 'an Arabic letter mark' }],
  [0x115f, { kind: 'space', name: 'a Hangul filler' }],
  [0x1160, { kind: 'space', name: 'a Hangul filler' }],
  [0x1680, { kind: 'space', name: 'an Ogham space' }],
  [0x180e, { kind: 'space', name: 'a Mongolian vowel separator' }],
  [0x2000, { kind: 'space', name: 'an en quad' }],
  [0x2001, { kind: 'space', name: 'an em quad' }],
  [0x2002, { kind: 'space', name: 'an en space' }],
  [0x2003, { kind: 'space', name: 'an em space' }],
  [0x2007, { kind: 'space', name: 'a figure space' }],
  [0x2009, { kind: 'space', name: 'a thin space' }],
  [0x200a, { kind: 'space', name: 'a hair space' }],
  [0x200b, { kind: 'invisible', name: 'a zero-width space' }],
  [0x200c, { kind: 'invisible', name: 'a zero-width non-joiner' }],
  [0x200d, { kind: 'invisible', name: 'a zero-width joiner' }],
  [0x200e, { kind: 'direction', name: 'a left-to-right mark' }],
  [0x200f, { kind: 'direction', name: 'a right-to-left mark' }],
  [0x2028, { kind: 'break', name: 'a line separator' }],
  [0x2029, { kind: 'break', name: 'a paragraph separator' }],
  [0x202a, { kind: 'direction', name: 'a left-to-right embedding' }],
  [0x202b, { kind: 'direction', name: 'a right-to-left embedding' }],
  [0x202c, { kind: 'direction', name: 'an end of embedding' }],
  [0x202d, { kind: 'direction', name: 'a left-to-right override' }],
  [0x202e, { kind: 'direction', name: 'a right-to-left override' }],
  [0x202f, { kind: 'space', name: 'a narrow no-break space' }],
  [0x205f, { kind: 'space', name: 'a mathematical space' }],
  [0x2060, { kind: 'invisible', name: 'a word joiner' }],
  [0x2066, { kind: 'direction', name: 'a left-to-right isolate' }],
  [0x2067, { kind: 'direction', name: 'a right-to-left isolate' }],
  [0x2068, { kind: 'direction', name: 'a first-strong isolate' }],
  [0x2069, { kind: 'direction', name: 'an end of isolate' }],
  [0x2800, { kind: 'space', name: 'a blank braille pattern' }],
  [0x3000, { kind: 'space', name: 'an ideographic space' }],
  [0x3164, { kind: 'space', name: 'a Hangul filler' }],
  [0xfeff, { kind: 'invisible', name: 'a byte order mark' }],
  [0xffa0, { kind: 'space', name: 'a half-width Hangul filler' }],
  [0xfffd, { kind: 'damaged', name: 'a sign for a character that was lost' }],
  [0xfffc, { kind: 'unknown', name: 'an object replacement' }],
]);

/** What a character that is not drawn is called. Any character is taken. */
export function nameOfCharacter(character: string): CharacterName {
  const code = character.codePointAt(0) ?? 0;
  const known = NAMES.get(code);
  if (known) return known;
  if (code >= 0xe0000 && code <= 0xe007f) return { kind: 'tag', name: 'a tag character' };
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef))
    return { kind: 'invisible', name: 'a variation selector' };
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return { kind: 'invisible', name: 'an invisible character' };
  if (/\p{M}/u.test(character)) return { kind: 'mark', name: 'a combining mark' };
  if (/\p{Cc}/u.test(character)) return { kind: 'control', name: 'a control character' };
  if (/\p{Cf}/u.test(character)) return { kind: 'invisible', name: 'a format character' };
  if (/\p{Z}/u.test(character)) return { kind: 'space', name: 'an unusual space' };
  if (/\p{Cs}/u.test(character)) return { kind: 'damaged', name: 'half a character' };
  if (/\p{Co}/u.test(character)) return { kind: 'unknown', name: 'a private-use character' };
  if (/\p{Cn}/u.test(character)) return { kind: 'unknown', name: 'an unassigned character' };
  return { kind: 'unknown', name: 'a blank sign' };
}

/** `3,000 spaces`. */
export function countOf(many: number, character: string): string {
  const unit = character === '\t' ? 'tab' : 'space';
  return `${many.toLocaleString('en')} ${unit}${many === 1 ? '' : 's'}`;
}

/** `U+202E`. */
export function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What becomes of a text that is shown, as the end of a sentence: a command runs, contents are written, a path names a file. */
const BECOMES: Record<LookAlikePlace, { order: string; counts: string; space: string }> = {
  command: { order: 'it runs', counts: 'counts when it runs', space: 'isn’t one to a shell' },
  content: { order: 'it is written', counts: 'is written', space: 'isn’t one' },
  path: { order: 'it stands there', counts: 'is part of the name', space: 'isn’t one' },
};

/** How each class of escape is told. `%` stands for the characters by name, `{…}` for what becomes of the text. */
const SENTENCES: Record<EscapeClass, string> = {
  direction: 'It holds %: without the escape, text would be shown in another order than {order}.',
  invisible: 'It holds %, which can’t be seen but {counts}.',
  break: 'It holds %, which some programs take for a new line and others don’t.',
  control: 'It holds %, which can hide or overwrite text on a screen.',
  space: 'It holds %, which looks like a space but {space}.',
  tag: 'It holds %, an alphabet that can’t be seen: text can be hidden in it.',
  unknown: 'It holds %, a character without a known shape.',
  damaged: 'It holds %: this text is damaged.',
  mark: 'It holds %: marks that can cover a character, lie on each other or be taken for part of a letter.',
};
/** Characters that one warning names. */
const MAX_NAMED = 3;
/** Empty lines in a row that are worth a warning, not only a mark. */
export const MANY_EMPTY_LINES = 20;

/** What was found in a text, by class; told in whole sentences. */
export class Findings {
  private readonly classes = new Map<EscapeClass, Map<string, number>>();
  private widest = '';
  private mostEmpty = 0;

  character(kind: EscapeClass, character: string, times = 1): void {
    const known = this.classes.get(kind) ?? new Map<string, number>();
    known.set(character, (known.get(character) ?? 0) + times);
    this.classes.set(kind, known);
  }

  blanks(blanks: string): void {
    if (blanks.length > this.widest.length) this.widest = blanks;
  }

  emptyLines(many: number): void {
    this.mostEmpty = Math.max(this.mostEmpty, many);
  }

  add(other: Findings): void {
    for (const [kind, characters] of other.classes) {
      const known = this.classes.get(kind) ?? new Map<string, number>();
      for (const [character, times] of characters) known.set(character, (known.get(character) ?? 0) + times);
      this.classes.set(kind, known);
    }
    this.blanks(other.widest);
    this.emptyLines(other.mostEmpty);
  }

  sentences(place: LookAlikePlace): string[] {
    const sentences: string[] = [];
    const { order, counts, space } = BECOMES[place];
    for (const [kind, characters] of this.classes) {
      const sentence = SENTENCES[kind].replace('{order}', order).replace('{counts}', counts).replace('{space}', space);
      sentences.push(sentence.replace('%', () => listOf(characters)));
    }
    if (this.widest !== '') {
      const width = countOf(this.widest.length, this.widest.charAt(0));
      sentences.push(`It holds ${width} in a row: what follows them could stand out of sight.`);
    }
    if (this.mostEmpty >= MANY_EMPTY_LINES) {
      const lines = this.mostEmpty.toLocaleString('en');
      sentences.push(`It holds ${lines} empty lines in a row: what follows them could stand out of sight.`);
    }
    return sentences;
  }
}

/** `a right-to-left override (U+202E, twice) and 2 others`. */
function listOf(characters: ReadonlyMap<string, number>): string {
  const named = [...characters].slice(0, MAX_NAMED).map(([character, times]) => {
    const often = times === 1 ? '' : `, ${times.toLocaleString('en')} times`;
    return `${nameOfCharacter(character).name} (${codeOf(character)}${often})`;
  });
  const rest = characters.size - named.length;
  if (rest > 0) named.push(rest === 1 ? 'one other' : `${rest.toLocaleString('en')} others`);
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}
