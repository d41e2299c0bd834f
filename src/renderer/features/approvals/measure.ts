/** How much of a text a card draws at once (docs/specs/safety.md C2). */

/** Up to this many rows all of it stands in the card's scroll. */
export const SHORT_ROWS = 200;
/** Up to this many rows one press shows all of it; above, it is shown in parts, of which so many rows stand open from the start. */
export const LONG_ROWS = 2_000;
/** Rows drawn before that press. */
export const FIRST_ROWS = 60;
/** Rows of a part. */
export const PART_ROWS = 200;
/** Parts of a text at most: with more, neighbours become one. */
export const MOST_PARTS = 400;
/** Characters that a row holds: an endless line counts as what it takes. */
export const COLUMNS = 100;

/** Rows of a line that is drawn with so many characters. */
export function rowsOf(columns: number): number {
  return Math.max(1, Math.ceil(columns / COLUMNS));
}

/** How the text of a question is drawn: all of it, its beginning, or its parts. */
export type BodyMode = 'whole' | 'first' | 'sections';

export function bodyModeOf(rows: number, isOpen: boolean): BodyMode {
  if (rows > LONG_ROWS) return 'sections';
  return rows <= SHORT_ROWS || isOpen ? 'whole' : 'first';
}
