/** How much of a text a card draws at once (docs/specs/safety.md C2). */

/** Up to this many rows all of it stands in the card's scroll. */
export const SHORT_ROWS = 200;
/** Up to this many rows one press shows all of it; above, it is shown in sections. */
export const LONG_ROWS = 2_000;
/** Rows drawn before that press. */
export const FIRST_ROWS = 60;
/** Rows of a section. */
const SECTION_ROWS = 200;
/** Characters that a row holds: an endless line counts as what it takes. */
const COLUMNS = 100;

interface Line {
  text: string;
}

export function rowsOf({ text }: Line): number {
  return Math.max(1, Math.ceil(text.length / COLUMNS));
}

export function countRows(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + rowsOf(line), 0);
}

/** The lines that fit into `rows`, at least one; an endless one is cut, never inside a character. */
export function firstRows<T extends Line>(lines: readonly T[], rows: number): T[] {
  const first: T[] = [];
  let left = rows;
  for (const line of lines) {
    if (left <= 0) break;
    const needed = rowsOf(line);
    first.push(needed <= left ? line : { ...line, text: cutAt(line.text, left * COLUMNS) });
    left -= needed;
  }
  return first;
}

function cutAt(text: string, at: number): string {
  const code = text.charCodeAt(at - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? at - 1 : at);
}

/** Consecutive lines in parts of at most 200 rows; `breaks` says before which line a new part begins in any case. */
export function sections<T extends Line>(lines: readonly T[], breaks: (line: T) => boolean = () => false): T[][] {
  const parts: T[][] = [];
  let rows = 0;
  for (const line of lines) {
    const last = parts.at(-1);
    const needed = rowsOf(line);
    if (!last || breaks(line) || rows + needed > SECTION_ROWS) {
      parts.push([line]);
      rows = needed;
    } else {
      last.push(line);
      rows += needed;
    }
  }
  return parts;
}

/** How the text of a question is drawn: all of it, its beginning, or its sections. */
export type BodyMode = 'whole' | 'first' | 'sections';

export function bodyModeOf(rows: number, isOpen: boolean): BodyMode {
  if (rows > LONG_ROWS) return 'sections';
  return rows <= SHORT_ROWS || isOpen ? 'whole' : 'first';
}
