import { plural } from '../../state/format';
import { affordable, textCost } from './text-cost';

/** Lines and characters that are made, coloured and laid out together. */
const CHUNK = { lines: 80, characters: 8_000 };
/** A longer line is cut for the eye: one line of a megabyte takes longer to lay out than a frame. Copy gives all of it. */
const MAX_LINE = 2_000;
/** Characters and nanoseconds of layout that are shown before “Show more lines”. */
const PAGE = { characters: 60_000, ns: 200_000_000 };
/** Nanoseconds that one line and one chunk may take to lay out. */
const MAX_NS = 8_000_000;
/** Making a line and laying it out, whatever stands on it. */
const NS_LINE = 4_000;

export interface CodeChunk {
  text: string;
  /** Of its lines, in the whole code. */
  first: number;
  /** Lines that have their colours; 0 where one of them is cut. */
  count: number;
  /** Estimated, to lay it out. */
  ns: number;
}

/** How far a code has been made into chunks. */
interface Place {
  at: number;
  line: number;
  made: number;
  ns: number;
}

const START: Place = { at: 0, line: 0, made: 0, ns: 0 };

/** Code as chunks, made one by one as they are asked for: thousands of short lines are as much work as their layout. */
export class CodeChunks {
  private code = '';
  private place = START;
  /** Where the last chunk begins: more code may go on with it. */
  private last = START;
  private list: readonly CodeChunk[] = [];

  /** Those that have been made. */
  get made(): readonly CodeChunk[] {
    return this.list;
  }

  /** Code that goes on what was there costs its last chunk; other code begins again. Returns how many must be made at once. */
  update(code: string): number {
    if (code === this.code) return this.list.length;
    const count = code.startsWith(this.code) ? this.list.length : Math.min(1, this.list.length);
    const isMore = count === this.list.length && count > 0;
    this.place = isMore ? this.last : START;
    this.list = isMore ? this.list.slice(0, -1) : [];
    this.code = code;
    return count;
  }

  /** Whether all of these pages has been made, and what is left has to be asked for. */
  isFull(pages: number): boolean {
    const { at, made, ns } = this.place;
    return at < this.code.length && (made >= pages * PAGE.characters || ns >= pages * PAGE.ns);
  }

  isWhole(pages: number): boolean {
    return this.place.at >= this.code.length || this.isFull(pages);
  }

  /** Makes the next chunk, each line with its end, and returns what it costs to lay it out. O(what is made). */
  next(pages: number): number {
    const from = this.place;
    const { code } = this;
    const chunk: CodeChunk = { text: '', first: from.line, count: 0, ns: 0 };
    let isClipped = false;
    while (!this.isWhole(pages)) {
      const { at, line, made, ns } = this.place;
      const found = code.indexOf('\n', at);
      const end = found < 0 ? code.length : found;
      const shown = affordable(code.slice(at, Math.min(end, at + MAX_LINE)), 0, MAX_NS);
      const text = clipLine(code, at, at + shown, end);
      const cost = NS_LINE + textCost(text);
      const isFull = chunk.count >= CHUNK.lines || chunk.text.length >= CHUNK.characters || chunk.ns + cost > MAX_NS;
      if (chunk.count > 0 && isFull) break;
      chunk.text += `${text}\n`;
      chunk.count += 1;
      chunk.ns += cost;
      isClipped ||= at + shown < end;
      this.place = { at: end + 1, line: line + 1, made: made + text.length + 1, ns: ns + cost };
    }
    if (chunk.count === 0) return 0;
    this.last = from;
    this.list = [...this.list, isClipped ? { ...chunk, count: 0 } : chunk];
    return chunk.ns;
  }
}

function clipLine(code: string, from: number, to: number, end: number): string {
  const shown = code.slice(from, to);
  return to === end ? shown : `${shown} … ${plural(end - to, 'more character')}`;
}
