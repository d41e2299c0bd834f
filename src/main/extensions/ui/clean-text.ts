import { cleanOutput } from '../../commands/clean-output';
import { beginningOf } from '@shared/cut-text';

/** What an extension gives may be anything and of any length: this much of it is looked at for each character that is kept. */
const LOOKED_AT = 4;

/** Control characters but ESC, which `coloured` has left only where a colour begins. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/gu;
/** At the place where it begins: SGR, which is all that is kept. */
const COLOUR = /\u001b\[[0-9;:]{0,60}m/y;

/** Any value as text. Never throws. */
export function anyText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return value === undefined || value === null ? '' : String(value);
  } catch {
    return '';
  }
}

/** Plain text of several lines, without sequences of a terminal. Linear in the bound. */
export function plain(value: unknown, most: number): string {
  return beginningOf(cleanOutput(anyText(value).slice(0, most * LOOKED_AT)), most);
}

/** The same on one line. */
export function plainLine(value: unknown, most: number): string {
  return plain(value, most).replace(/\s+/gu, ' ').trim();
}

/** One line that keeps the colours of a terminal and drops every other sequence. Linear in the bound. */
export function colouredLine(value: unknown, most: number): string {
  const source = anyText(value)
    .slice(0, most * LOOKED_AT)
    .replaceAll('\t', '  ');
  const parts: string[] = [];
  let at = 0;
  for (let start = source.indexOf('\u001b'); start >= 0; start = source.indexOf('\u001b', at)) {
    parts.push(source.slice(at, start));
    COLOUR.lastIndex = start;
    const colour = COLOUR.exec(source)?.[0];
    if (colour === undefined) {
      // Up to the next one that may be a colour: what follows is a sequence with its text, or the rest of a broken one.
      const end = source.indexOf('\u001b', start + 1);
      parts.push(cleanOutput(source.slice(start, end < 0 ? source.length : end)));
      at = end < 0 ? source.length : end;
    } else {
      parts.push(colour);
      at = start + colour.length;
    }
  }
  parts.push(source.slice(at));
  return beginningOf(parts.join('').replace(/\r?\n/g, ' ').replace(CONTROLS, ''), most);
}
