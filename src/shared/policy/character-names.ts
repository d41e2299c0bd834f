/** Characters that are written out, in words: what they are and what harm they can do. */

export type EscapeClass =
  'direction' | 'invisible' | 'break' | 'control' | 'space' | 'tag' | 'unknown' | 'damaged' | 'mark';

export interface CharacterName {
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
