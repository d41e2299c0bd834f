/** One line in visible form (docs/specs/safety.md C1), whole or a stretch at a time. */

import { Findings } from './visible-findings';
import { CLOSE, MAX_DRAWN_SPACES, OPEN, RETURN_NAME, RunBuilder, type VisibleRun } from './visible-runs';

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
export function visibleLine(line: string, found: Findings): VisibleRun[] {
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
