import { findLookAlikes, type LookAlikePlace } from './look-alikes';
import { countOf, Findings } from './visible-findings';
import { CLOSE, MAX_DRAWN_SPACES, OPEN, RETURN_NAME, RunBuilder, type VisibleRun } from './visible-runs';

/**
 * Text that will run, be written or be touched, in a form that hides nothing (docs/specs/safety.md C1). Whatever can't be
 * seen, changes the direction, stands for a line break or covers its neighbours becomes an escape such as `⟨U+202E⟩`. The
 * pieces are drawn from left to right in the order in which they run; put together, `shown` can be read back to the exact
 * text (`readBack`). Pure, linear in the length of the text, total: any string is taken.
 */

/** One line in visible form. */
export interface VisibleLine {
  runs: VisibleRun[];
  /** How many lines of the text it stands for: more than one where empty lines are counted. */
  lines: number;
}

/** Tabs in a row that are drawn; of more only the count. */
const MAX_DRAWN_TABS = 20;

const PLAIN = /^[\x20-\x7e]*$/;
const HAS_BLANKS = / {81}| $/;

/** Whether a line is drawn exactly as it is: the case of nearly every line, found without building anything. */
export function isOrdinary(line: string): boolean {
  return PLAIN.test(line) && !HAS_BLANKS.test(line);
}

/** The runs of a line; what had to be written out goes to `found`. */
function visibleLine(line: string, found: Findings): VisibleRun[] {
  if (isOrdinary(line)) return line === '' ? [] : [{ kind: 'text', source: line, shown: line }];
  const walk = new LineWalk(line, 0, found);
  walk.goOn(line.length);
  return walk.take();
}

/** Part of a line, from one place where a `LineWalk` stopped to another: the same runs as in the whole line. */
export function visibleSlice(line: string, from: number, to: number): VisibleLine {
  const walk = new LineWalk(line, from, new Findings());
  walk.goOn(to);
  return { runs: walk.take(), lines: 1 };
}

/**
 * Goes through one line a stretch at a time, so that a line of a megabyte needs no long task. It stops only where no character
 * touches the one before it (an accent, an emoji, a long blank): the runs are those of the whole line, a run of one kind parted.
 */
export class LineWalk {
  /** Where the next run begins. */
  at: number;
  /** Where the blanks at the end of the line begin, and its carriage return. */
  private readonly width: number;
  private readonly end: number;
  private builder: RunBuilder;

  /** @param from the beginning of the line, or where another walk stopped */
  constructor(
    private readonly line: string,
    from: number,
    private readonly found: Findings,
  ) {
    this.at = from;
    this.end = line.endsWith('\r') ? line.length - 1 : line.length;
    let width = this.end;
    while (width > from && line.charCodeAt(width - 1) === SPACE) width -= 1;
    this.width = width;
    this.builder = new RunBuilder(found);
  }

  get isDone(): boolean {
    return this.at >= this.line.length;
  }

  /** Reads on to `to`, or a little further where it may not stop there. */
  goOn(to: number): void {
    const { line, width, builder } = this;
    while (this.at < width && this.at < to) {
      // Very long blanks apart, so that no piece of text can be pushed out of sight.
      const blank = longBlank(line, this.at, Math.min(to, width), width);
      if (blank?.from !== this.at) this.at = builder.text(line, this.at, blank?.from ?? width, to);
      if (blank?.from === this.at) {
        builder.blank(line.slice(blank.from, blank.to));
        this.at = blank.to;
      }
    }
    if (this.at < width || this.at >= to || this.isDone) return;
    builder.trailing(line.slice(this.at, this.end));
    if (this.end < line.length) builder.push('return', '\r', OPEN + RETURN_NAME + CLOSE);
    this.at = line.length;
  }

  /** The runs since the last time. */
  take(): VisibleRun[] {
    const runs = this.builder.done();
    this.builder = new RunBuilder(this.found);
    return runs;
  }
}

const SPACE = 0x20;
const TAB = 0x09;

/** The first very long blank that begins in a stretch; it may end behind it. */
function longBlank(line: string, from: number, to: number, width: number): { from: number; to: number } | null {
  for (let at = from; at < to;) {
    const code = line.charCodeAt(at);
    let end = at + 1;
    if (code === SPACE || code === TAB) {
      while (end < width && line.charCodeAt(end) === code) end += 1;
      if (end - at > (code === SPACE ? MAX_DRAWN_SPACES : MAX_DRAWN_TABS)) return { from: at, to: end };
    }
    at = end;
  }
  return null;
}

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
