import type { ApprovalSubject } from '@shared/policy/approval';
import { type DiffLine, DiffReader, hasHunks } from '@shared/policy/diff-lines';
import type { RiskPlaces } from '@shared/policy/risk-places';
import type { VisiblePlace } from '@shared/policy/visible-text';

/** The text of a question, as it is read and drawn. */
export interface Source {
  text: string;
  isDiff: boolean;
  place: VisiblePlace;
  /** Of a command: what counts as outside. Of everything else only grave words are looked for. */
  places: RiskPlaces | null;
}

export function sourceOf(subject: ApprovalSubject, home: string): Source {
  switch (subject.kind) {
    case 'command':
      return plainSource(subject.command, { cwd: subject.cwd, home });
    case 'diff':
      return { text: subject.diff.replace(/\n$/, ''), isDiff: true, place: 'content', places: null };
    case 'path':
      return { ...plainSource(subject.path), place: 'path' };
    case 'call':
      return plainSource(subject.text);
  }
}

export function plainSource(text: string, places: RiskPlaces | null = null): Source {
  return { text, isDiff: false, place: 'command', places };
}

/** Where reading a stretch of a source begins: what the lines before it have decided. */
export interface Start {
  at: number;
  hasHeader: boolean;
  isFirst: boolean;
}

export interface LineAt {
  kind: DiffLine['kind'];
  /** What is drawn. */
  text: string;
  /** The whole line in the source, without its line feed. */
  from: number;
  to: number;
  /** Where what is drawn begins, behind the sign of a diff. */
  textFrom: number;
  start: Start;
}

export function startOf(source: Source): Start {
  return { at: 0, hasHeader: source.isDiff && hasHunks(source.text), isFirst: true };
}

/** The lines that are drawn for a stretch of the source. */
export function* linesOf(source: Source, start: Start, to = source.text.length): Generator<LineAt> {
  const { text, isDiff } = source;
  const reader = new DiffReader(start.hasHeader, start.isFirst);
  let { isFirst } = start;
  for (let from = start.at; from <= to;) {
    const feed = text.indexOf('\n', from);
    const end = feed < 0 || feed > to ? to : feed;
    const raw = text.slice(from, end);
    const hasHeader = isDiff && !reader.isInHunk;
    const line: DiffLine | null = isDiff ? reader.line(raw) : { kind: 'context', text: raw };
    if (line) {
      const { kind, text: drawn } = line;
      // By name: a spread here takes nine times as long as all the rest (5 MB: 2.7 s, now 0.3).
      yield { kind, text: drawn, from, to: end, textFrom: end - drawn.length, start: { at: from, hasHeader, isFirst } };
      isFirst = false;
    }
    from = end + 1;
  }
}

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
