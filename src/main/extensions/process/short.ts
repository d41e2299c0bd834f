import { MAX_COMPOSER_CHARS } from '@shared/extensions/ui';
import { toWire } from './to-wire';

/** Characters of one text, of one line of a widget, which may be several, and of all its lines: main shows less of them (`ui/bounds.ts`). */
const MAX_TEXT = 8_000;
const MAX_LINE = 24_000;
const MAX_ALL = 100_000;
const MAX_LINES = 60;
const MAX_OTHER_BYTES = 64 * 1024;

/** What may be shown, cut before it crosses: text that is megabytes long, many times a second, would hold up who cuts it. */
export function shortText(value: unknown, most = MAX_TEXT): unknown {
  return typeof value === 'string' ? value.slice(0, most) : toWire(value, MAX_OTHER_BYTES);
}

/** Of a text for the composer. What main drops of it is not text: more may come than it holds. */
export function shortDraft(value: unknown): unknown {
  return shortText(value, 2 * MAX_COMPOSER_CHARS);
}

/** Lines of a widget, and how many more there are. */
export function shortLines(given: unknown): { lines: unknown; leftOut: number } {
  if (!Array.isArray(given)) return { lines: shortText(given), leftOut: 0 };
  const lines: unknown[] = [];
  let left = MAX_ALL;
  for (const line of given.slice(0, MAX_LINES)) {
    if (left <= 0) break;
    const short = shortText(line, Math.min(left, MAX_LINE));
    left -= typeof short === 'string' ? short.length + 1 : typeof short === 'object' ? MAX_OTHER_BYTES : 1;
    lines.push(short);
  }
  return { lines, leftOut: given.length - lines.length };
}
