/**
 * Text that will run, be written or be touched, in a form that hides nothing (docs/specs/safety.md C1). Whatever can't be
 * seen, changes the direction, stands for a line break or covers its neighbours becomes an escape such as `⟨U+202E⟩`. The
 * pieces are drawn from left to right in the order in which they run; put together, `shown` can be read back to the exact
 * text (`readBack`). Pure, linear in the length of the text, total: any string is taken.
 */

import { findLookAlikes, type LookAlikePlace } from './look-alikes';
import { countOf, Findings } from './visible-findings';
import { isOrdinary, visibleLine, type VisibleLine } from './visible-line';
import { CLOSE, OPEN, RETURN_NAME, type VisibleRun } from './visible-runs';

/** What the text is: a path is read letter by letter, content is prose or code in any language. */
export type VisiblePlace = LookAlikePlace;

export interface VisibleText {
  lines: VisibleLine[];
  /** Whole sentences, one for each kind of trap that was found; empty for ordinary text. */
  warnings: string[];
}

/** Empty lines in a row that are drawn; of more only the count. */
export const MAX_DRAWN_EMPTY_LINES = 3;

/** The whole text in visible form, with a warning for each kind of trap. */
export function visibleText(text: string, place: VisiblePlace): VisibleText {
  const found = new Findings();
  const lines = visibleLines(text.split('\n'), found);
  return { lines, warnings: [...found.sentences(place), ...findLookAlikes(text, place)] };
}

/** Lines that stand apart (of a diff) in visible form. They hold no line feed. */
export function visibleApart(lines: readonly string[]): VisibleLine[] {
  return visibleLines(lines, new Findings());
}

/** One string in visible form, line breaks written out: for titles, tooltips, toasts and other places without runs. */
export function visibleString(text: string): string {
  return text.split('\n').map(visibleLineString).join(`${OPEN}U+000A${CLOSE}`);
}

function visibleLineString(line: string): string {
  if (isOrdinary(line)) return line;
  return visibleLine(line, new Findings()).map(isolate).join('');
}

/** Without markup the order is held by the isolates of Unicode. */
function isolate({ kind, shown }: VisibleRun): string {
  if (kind === 'rtl') return `\u2067${shown}\u2069`;
  return kind === 'isolated' ? `\u2066${shown}\u2069` : shown;
}

/** Whether a line is nothing but blanks. */
export function isBlankLine(line: string): boolean {
  return /^[ \t]*\r?$/.test(line);
}

/** Lines in visible form; runs of blank ones become counts. */
function visibleLines(lines: readonly string[], found: Findings): VisibleLine[] {
  const drawn: VisibleLine[] = [];
  for (let at = 0; at < lines.length;) {
    const blank = countBlank(lines, at);
    if (blank > MAX_DRAWN_EMPTY_LINES) {
      drawn.push(...blankLines(lines.slice(at, at + blank)));
      found.emptyLines(blank);
      at += blank;
    } else {
      drawn.push({ runs: visibleLine(lines[at] ?? '', found), lines: 1 });
      at += 1;
    }
  }
  return drawn;
}

function countBlank(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && isBlankLine(lines[at] ?? '')) at += 1;
  return at - from;
}

/** Blank lines, counted where the same one repeats. One of another kind of blank (spaces and tabs) is drawn as it is. */
function blankLines(lines: readonly string[]): VisibleLine[] {
  const drawn: VisibleLine[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    let end = at + 1;
    while (end < lines.length && lines[end] === line) end += 1;
    const many = end - at;
    const mark = markBlank(line, many);
    if (mark === null) {
      for (; at < end; at += 1) drawn.push({ runs: visibleLine(line, new Findings()), lines: 1 });
    } else {
      const source = Array<string>(many).fill(line).join('\n');
      drawn.push({ runs: [{ kind: 'blank', source, shown: mark }], lines: many });
      at = end;
    }
  }
  return drawn;
}

function markBlank(line: string, many: number): string | null {
  const blank = /^( *|\t*)(\r?)$/.exec(line);
  if (!blank) return null;
  const [, width = '', end = ''] = blank;
  const lines = many === 1 ? 'line' : 'lines';
  const figure = many.toLocaleString('en');
  const words =
    width === '' ? `${figure} empty ${lines}` : `${figure} ${lines} of ${countOf(width.length, width.charAt(0))}`;
  return OPEN + words + (end === '' ? '' : ` with ${RETURN_NAME}`) + CLOSE;
}
