/**
 * Reads the text of a question once: what stands out in it, and where it can be parted for drawing. In steps that say what they
 * cost, so that a text of megabytes needs no long task (docs/specs/safety.md A2, C2). It keeps places, no lines.
 */

import { endOfStretch, LookAlikes, twinsIn } from '@shared/policy/look-alikes';
import type { DiffLine } from '@shared/policy/diff-lines';
import { mergeMarks, RiskFinder, type Risk } from '@shared/policy/risk';
import type { Mark } from '@shared/policy/shell-words';
import { Findings, MANY_EMPTY_LINES } from '@shared/policy/visible-findings';
import { isBlankLine, isOrdinary, LineWalk, MAX_DRAWN_EMPTY_LINES } from '@shared/policy/visible-text';
import type { VisibleRun } from '@shared/policy/visible-runs';
import { affordableApart, textCost } from '../markdown/text-cost';
import {
  COLUMNS,
  FIRST_ROWS,
  type LineAt,
  linesOf,
  LONG_ROWS,
  MOST_PARTS,
  PART_ROWS,
  rowsOf,
  type Source,
  type Start,
  startOf,
} from './source';

/** What is drawn in one go: whole lines, or part of one line. */
export interface Chunk {
  start: Start;
  to: number;
  /** The line of which it is a part. */
  line: { kind: DiffLine['kind']; from: number; to: number } | null;
  rows: number;
  /** What drawing it costs, in estimated nanoseconds. */
  ns: number;
}

export interface Part {
  chunks: Chunk[];
  /** Number of its first and its last line in the text, from 1. */
  first: number;
  last: number;
  /** Characters of the first line that stand in the part before. */
  begun: number;
  rows: number;
  added: number;
  removed: number;
  /** What the gap of a diff says that it begins with. */
  where: string;
  /** It holds risk words (in lines that would be there) or characters that hide. */
  isRisky: boolean;
  /** Drawn from the start, where the text is shown in parts. */
  isOpen: boolean;
}

export interface Reading {
  lines: number;
  rows: number;
  parts: Part[];
  /** The beginning, about `FIRST_ROWS` of it, and how many lines that is. */
  first: Chunk[];
  firstLines: number;
  /** Of a command. */
  risks: Risk[];
  /** The parts of a command that say so, in order, without overlaps. */
  marks: Mark[];
  /** What hides, moves or looks like another name, in sentences. */
  warnings: string[];
}

/** Nanoseconds of text that are drawn in one go. */
const CHUNK_NS = 5_000_000;
const NS_ROW = 40_000;
/** An element within a line: an escape, a word that runs the other way, an underlined part. */
const NS_ELEMENT = 16_000;
/** Drawn from the start of a text in parts, at most. */
const OPEN_NS = 120_000_000;
/** Of reading, for each character that is plain, that is not, and each line and word. */
const NS_PLAIN = 20;
const NS_LOOK = 3_500;
const NS_LINE = 1_000;
const NS_WORD = 2_000;
/** Readers say what they cost after so much of it. */
const NS_STEP = 300_000;
/** Characters that are searched for look-alikes in one go. */
const LOOK_CHARS = 1_000;
/** Characters of a line after which it is asked what they cost: each of them may be an element. */
const STRIDE = 200;
/** Longer lines are looked at for where they can be parted. */
const SHORT_LINE = 2_000;

/** Reads a text; each step gives its cost in estimated nanoseconds. */
export function* readSource(source: Source): Generator<number, Reading> {
  const finder = new RiskFinder(source.places);
  let ns = 0;
  for (const line of linesOf(source, startOf(source))) {
    ns += NS_LINE;
    if (line.kind !== 'removed' && line.kind !== 'gap') {
      ns += line.text.length * NS_PLAIN;
      for (const words of finder.read(`${line.text}\n`, line.textFrom)) {
        ns += words * NS_WORD;
        if (ns > NS_STEP) yield ns;
        if (ns > NS_STEP) ns = 0;
      }
    }
    if (ns > NS_STEP) {
      yield ns;
      ns = 0;
    }
  }
  for (const words of finder.end()) {
    ns += words * NS_WORD;
    if (ns > NS_STEP) yield ns;
    if (ns > NS_STEP) ns = 0;
  }
  const risks = source.places ? finder.risks() : [];
  yield ns + risks.reduce((sum, { marks }) => sum + marks.length, 0) * NS_LINE;
  const marks = mergeMarks(risks.flatMap((risk) => risk.marks));
  yield marks.length * NS_LINE;
  const layout = new Layout(source, marks, finder.grave);
  yield* layout.read();
  return { ...layout.result(), risks, marks };
}

/** Ranges in order, asked for places that only go on. */
class Ranges {
  private next = 0;

  constructor(private readonly ranges: readonly Mark[]) {}

  /** How many begin or go on in a stretch. */
  count(from: number, to: number): number {
    while ((this.ranges[this.next]?.to ?? Infinity) <= from) this.next += 1;
    let at = this.next;
    while ((this.ranges[at]?.from ?? Infinity) < to) at += 1;
    return at - this.next;
  }

  /** Where a stretch ends that holds no more than `most`. */
  end(from: number, to: number, most: number): number {
    this.count(from, from);
    return Math.min(to, Math.max(from + 1, this.ranges[this.next + most]?.from ?? Infinity));
  }
}

/** Lays a text out in chunks and parts, and gathers what hides in it. */
class Layout {
  private readonly parts: Part[] = [];
  private readonly found = new Findings();
  private readonly lookAlikes: LookAlikes;
  private readonly marks: Ranges;
  private readonly grave: Ranges;
  /** Takes no further lines. */
  private isClosed = true;
  private lines = 0;
  private rows = 0;
  private first: { chunks: number; lines: number } | null = null;
  private blank = { kind: '', count: 0, found: new Findings() };

  constructor(
    private readonly source: Source,
    marks: readonly Mark[],
    grave: readonly Mark[],
  ) {
    this.marks = new Ranges(marks);
    this.grave = new Ranges(grave);
    this.lookAlikes = new LookAlikes(source.place);
  }

  *read(): Generator<number> {
    let ns = 0;
    for (const line of linesOf(this.source, startOf(this.source))) {
      this.lines += 1;
      ns += NS_LINE + line.text.length * NS_PLAIN;
      if (line.kind === 'gap' || this.parts.length === 0) this.begin(line, 0);
      if (!this.ordinary(line))
        for (const cost of this.pieces(line)) {
          ns += cost;
          if (ns > NS_STEP) yield ns;
          if (ns > NS_STEP) ns = 0;
        }
      this.part().last = this.lines;
      if (this.first === null && this.rows >= FIRST_ROWS) this.endFirst();
      if (ns > NS_STEP) {
        yield ns;
        ns = 0;
      }
    }
    this.endBlanks();
  }

  result(): Omit<Reading, 'risks' | 'marks'> {
    const all = this.parts.flatMap((part) => part.chunks);
    const many = Math.ceil(this.parts.length / MOST_PARTS);
    const parts: Part[] = [];
    for (let at = 0; at < this.parts.length; at += many) parts.push(joined(this.parts.slice(at, at + many)));
    let rows = 0;
    let ns = 0;
    for (const part of parts) {
      const cost = part.chunks.reduce((sum, chunk) => sum + chunk.ns, 0);
      part.isOpen = part.isRisky && rows + part.rows <= LONG_ROWS && ns + cost <= OPEN_NS;
      if (!part.isOpen) continue;
      rows += part.rows;
      ns += cost;
    }
    return {
      lines: this.lines,
      rows: this.rows,
      parts,
      first: all.slice(0, this.first?.chunks ?? all.length),
      firstLines: this.first?.lines ?? this.lines,
      warnings: [...this.found.sentences(this.source.place), ...this.lookAlikes.sentences()],
    };
  }

  private part(): Part {
    const part = this.parts.at(-1);
    if (!part) throw new Error('A text has a part before it has lines.');
    return part;
  }

  private begin(line: LineAt, begun: number): void {
    const where = line.kind === 'gap' ? line.text : '';
    const first = this.lines;
    this.parts.push({ chunks: [], first, last: first, begun, rows: 0, added: 0, removed: 0, where, isRisky: false, isOpen: false }); // prettier-ignore
    this.isClosed = true;
  }

  /** A line that is drawn as it is, which nearly every one is. False: it has to be looked at more closely. */
  private ordinary(line: LineAt): boolean {
    if (line.text.length > SHORT_LINE || !isOrdinary(line.text)) return false;
    const ns = NS_ROW + textCost(line.text) + this.marks.count(line.textFrom, line.to) * NS_ELEMENT;
    if (ns > CHUNK_NS) return false;
    // Of many empty lines only a count is drawn.
    const isCounted = this.note(line, new Findings());
    this.whole(line, rowsOf(line.text.length), isCounted ? 0 : ns);
    this.flag(line.textFrom, line.to);
    return true;
  }

  /** A line that may have to be parted, piece by piece. */
  private *pieces(line: LineAt): Generator<number> {
    const { text, textFrom } = line;
    const found = new Findings();
    const walk = new LineWalk(text, 0, found);
    let looked = 0;
    let piece = this.piece(walk, text, textFrom);
    const isWhole = walk.isDone;
    for (let from = 0; ;) {
      if (isWhole) {
        const isCounted = this.note(line, found);
        this.whole(line, rowsOf(piece.columns), isCounted ? 0 : NS_ROW + piece.ns);
      } else this.partial(line, from, walk.at, rowsOf(piece.columns), NS_ROW + piece.ns);
      if (piece.isHiding) this.part().isRisky = true;
      while (looked < walk.at) {
        const end = endOfStretch(text, looked, LOOK_CHARS);
        if (this.lookAlikes.look(text, looked, end)) this.part().isRisky = true;
        looked = end;
      }
      this.flag(textFrom + from, textFrom + walk.at);
      yield costOfLooking(text, from, walk.at);
      if (walk.isDone) break;
      from = walk.at;
      piece = this.piece(walk, text, textFrom);
    }
    if (!isWhole) this.note(line, found);
  }

  private piece(walk: LineWalk, text: string, offset: number): { ns: number; columns: number; isHiding: boolean } {
    const piece = { ns: 0, columns: 0, isHiding: false };
    const most = this.rows < FIRST_ROWS ? FIRST_ROWS * COLUMNS : Infinity;
    while (!walk.isDone && piece.ns < CHUNK_NS * 0.8 && piece.columns < most) {
      const from = walk.at;
      const room = CHUNK_NS - piece.ns;
      // Half for the characters, half for the elements that each of them may be.
      const stride = Math.min(STRIDE, Math.ceil(room / 2 / NS_ELEMENT));
      const dear = from + affordableApart(text.slice(from, from + stride), room / 2);
      const marked = this.marks.end(offset + from, offset + dear, Math.floor(room / NS_ELEMENT / 2)) - offset;
      walk.goOn(Math.min(marked, from + most - piece.columns));
      piece.ns += this.marks.count(offset + from, offset + walk.at) * NS_ELEMENT;
      if (!this.source.isDiff) piece.ns += twinsIn(text, this.source.place, from, walk.at).length * NS_ELEMENT;
      for (const run of walk.take()) {
        piece.ns += priceOf(run);
        piece.columns += run.shown.length;
        if (run.kind === 'escape' || run.kind === 'blank') piece.isHiding = true;
      }
    }
    return piece;
  }

  private whole(line: LineAt, rows: number, ns: number): void {
    if (this.part().rows + rows > PART_ROWS && this.part().rows > 0) this.begin(line, 0);
    const part = this.part();
    const last = part.chunks.at(-1);
    if (last && !this.isClosed && last.ns + ns <= CHUNK_NS) {
      last.to = line.to;
      last.rows += rows;
      last.ns += ns;
    } else part.chunks.push({ start: line.start, to: line.to, line: null, rows, ns });
    this.isClosed = false;
    this.count(line, 0, rows);
  }

  private partial(line: LineAt, from: number, to: number, rows: number, ns: number): void {
    const { kind, textFrom } = line;
    if (this.part().rows + rows > PART_ROWS && this.part().rows > 0) this.begin(line, from);
    const start = { ...line.start, at: textFrom + from };
    this.part().chunks.push({ start, to: textFrom + to, line: { kind, from: textFrom, to: line.to }, rows, ns });
    this.part().last = this.lines;
    this.isClosed = true;
    this.count(line, from, rows);
    if (this.first === null && this.rows >= FIRST_ROWS) this.endFirst();
  }

  private count(line: LineAt, from: number, rows: number): void {
    const part = this.part();
    // A line that is parted counts where it begins.
    if (from === 0 && line.kind === 'added') part.added += 1;
    if (from === 0 && line.kind === 'removed') part.removed += 1;
    part.rows += rows;
    this.rows += rows;
  }

  private endFirst(): void {
    this.first = { chunks: this.parts.reduce((sum, part) => sum + part.chunks.length, 0), lines: this.lines };
    this.isClosed = true;
  }

  private flag(from: number, to: number): void {
    if (this.grave.count(from, to) > 0) this.part().isRisky = true;
  }

  /** Notes what a line holds. Returns whether it is one of those empty lines of which only a count is drawn. */
  private note(line: LineAt, found: Findings): boolean {
    const { blank } = this;
    if (line.kind === 'gap' || line.kind === 'note' || !isBlankLine(line.text)) {
      this.endBlanks();
      this.found.add(found);
      return false;
    }
    if (blank.kind !== line.kind) this.endBlanks();
    this.blank.kind = line.kind;
    this.blank.count += 1;
    if (this.blank.count >= MANY_EMPTY_LINES) this.part().isRisky = true;
    if (this.blank.count > MAX_DRAWN_EMPTY_LINES) return true;
    this.blank.found.add(found);
    return false;
  }

  private endBlanks(): void {
    const { count, found } = this.blank;
    if (count > MAX_DRAWN_EMPTY_LINES) this.found.emptyLines(count);
    else this.found.add(found);
    this.blank = { kind: '', count: 0, found: new Findings() };
  }
}

function costOfLooking(text: string, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7e || code < 0x20) others += 1;
  }
  return others * NS_LOOK + (to - from) * NS_PLAIN;
}

function priceOf({ kind, source, shown }: VisibleRun): number {
  return kind === 'text' ? textCost(source) : NS_ELEMENT + textCost(kind === 'rtl' ? source : '') + shown.length * 500;
}

/** Parts that follow each other as one. */
function joined(parts: readonly Part[]): Part {
  const [first, ...rest] = parts as [Part, ...Part[]];
  for (const part of rest) {
    for (const chunk of part.chunks) first.chunks.push(chunk);
    first.last = part.last;
    first.rows += part.rows;
    first.added += part.added;
    first.removed += part.removed;
    first.isRisky ||= part.isRisky;
  }
  return first;
}
