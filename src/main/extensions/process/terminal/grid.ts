import type { TerminalPiece } from '@shared/extensions/terminal';
import { Sgr } from './sgr';

interface Cell {
  /** Empty: the second half of a wide one. */
  text: string;
  width: number;
  style: string;
}

/** Stands where nothing is drawn, so that what lies under the terminal is seen. Of the private use area: no text holds it. */
export const HOLE = '\uF8FE';

/** At the place where it begins: a control sequence; a string up to its end (titles, links, pictures); another escape. */
const SEQUENCE =
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|\u009b[0-?]*[ -/]*[@-~]?/y;
/** What draws nothing by itself: control, format and surrogate code points, but for the joiner within an emoji. */
const INVISIBLE = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Code points of one cell: more are marks piled on each other. */
const MAX_OF_CELL = 12;
/** Rows that are kept: those before them have scrolled away. */
const MAX_LINES = 1_000;
/** What all fonts of terminals draw in one column. Others are pieces of their own, so that none of them moves its neighbours. */
const EVEN = /^[\x20-\x7e\u00a0-\u017f\u2010-\u2027\u2190-\u2193\u2500-\u259f]$/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The cells that a terminal shows, as far as pi-tui draws in one: text, colours, moves of the cursor, erasing. All else is read over. What
 * does not fit into its row is cut: nothing that is written can leave the grid.
 */
export class Grid {
  private lines: Cell[][] = [[]];
  /** The line that the screen begins with. */
  top = 0;
  private row = 0;
  private column = 0;
  private readonly sgr = new Sgr();
  /** The beginning of a sequence that came without its end. */
  private rest = '';

  constructor(
    public columns: number,
    public rows: number,
    private readonly widthOf: (text: string) => number,
  ) {}

  /** What was drawn for another size is drawn anew by whoever draws. */
  resize(columns: number, rows: number): void {
    [this.columns, this.rows] = [columns, rows];
    this.clear();
  }

  write(data: string): void {
    const text = this.rest + data;
    this.rest = '';
    for (let at = 0; at < text.length;) {
      const end = nextControl(text, at);
      if (end > at) this.print(text.slice(at, end));
      if (end >= text.length) return;
      at = this.control(text, end);
    }
  }

  /** Where the cursor stands, from the first line that is kept. */
  get cursor(): { row: number; at: number } {
    return { row: this.top + this.row, at: Math.min(this.column, this.columns - 1) };
  }

  /** How many rows there are, without empty ones at the end. */
  get height(): number {
    let height = this.lines.length;
    while (height > 0 && isBlank(this.lines[height - 1] ?? [])) height -= 1;
    return height;
  }

  /** Everything that is drawn, from a line on. O(cells). */
  pieces(from = 0): TerminalPiece[] {
    return this.lines.slice(from).flatMap((cells, row) => piecesOf(cells, row));
  }

  private clear(): void {
    this.lines = [[]];
    [this.top, this.row, this.column] = [0, 0, 0];
    this.sgr.reset();
  }

  private print(text: string): void {
    if (/^[\x20-\x7e]*$/.test(text)) for (const character of text) this.put(character, 1);
    else
      for (const { segment } of graphemes.segment(text)) {
        const shown = [...segment.replace(INVISIBLE, '')].slice(0, MAX_OF_CELL).join('');
        const width = shown === '' ? 0 : Math.min(2, this.widthOf(shown));
        if (width > 0) this.put(shown, width);
      }
  }

  private put(text: string, width: number): void {
    const { column } = this;
    this.column += width;
    if (this.column > this.columns) return;
    const line = this.line();
    while (line.length < column) line.push(BLANK);
    // Half of a wide one is none.
    if (line[column]?.text === '' && column > 0) line[column - 1] = BLANK;
    line[column] = { text, width, style: this.sgr.code };
    if (width === 2) line[column + 1] = { text: '', width: 0, style: '' };
    if (line[column + width]?.text === '') line[column + width] = BLANK;
  }

  private line(): Cell[] {
    const at = this.top + this.row;
    while (this.lines.length <= at) this.lines.push([]);
    return this.lines[at] as Cell[];
  }

  /** Reads the control at a place. Returns where it ends. */
  private control(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === 0x1b || code === 0x9b) {
      SEQUENCE.lastIndex = at;
      const found = SEQUENCE.exec(text);
      const isCut = found === null || SEQUENCE.lastIndex === text.length;
      if (isCut && !isWhole(text.slice(at))) {
        this.rest = text.slice(at, at + MAX_REST);
        return text.length;
      }
      const [all = '', parameters, final] = found ?? ['\u001b'];
      if (final !== undefined) this.sequence(parameters ?? '', final);
      return at + all.length;
    }
    if (code === 0x0a) this.down();
    else if (code === 0x0d) this.column = 0;
    else if (code === 0x08) this.column = Math.max(0, this.column - 1);
    else if (code === 0x09) this.column = Math.min(this.columns - 1, (Math.floor(this.column / 8) + 1) * 8);
    return at + 1;
  }

  private down(): void {
    this.row += 1;
    if (this.row < this.rows) return;
    this.row = this.rows - 1;
    this.top += 1;
    this.line();
    if (this.lines.length <= MAX_LINES) return;
    this.lines.shift();
    this.top -= 1;
  }

  private sequence(parameters: string, final: string): void {
    if (final === 'm') return this.sgr.take(parameters);
    const [first = 0, second = 0] = parameters.split(';').map((value) => Math.min(9_999, Number(value) || 0));
    const by = Math.max(1, first);
    const rowTo = (row: number): void => void (this.row = Math.max(0, Math.min(this.rows - 1, row)));
    const columnTo = (column: number): void => void (this.column = Math.max(0, Math.min(this.columns - 1, column)));
    if (final === 'A') rowTo(this.row - by);
    else if (final === 'B') rowTo(this.row + by);
    else if (final === 'C') columnTo(this.column + by);
    else if (final === 'D') columnTo(this.column - by);
    else if (final === 'E' || final === 'F') {
      rowTo(this.row + (final === 'E' ? by : -by));
      this.column = 0;
    } else if (final === 'G') columnTo(by - 1);
    else if (final === 'd') rowTo(by - 1);
    else if (final === 'H' || final === 'f') {
      rowTo(by - 1);
      columnTo(Math.max(1, second) - 1);
    } else if (final === 'K') this.eraseLine(first);
    else if (final === 'J') this.eraseScreen(first);
  }

  private eraseLine(which: number): void {
    const line = this.line();
    if (which === 0) line.length = Math.min(line.length, this.column);
    else if (which === 2) line.length = 0;
    else for (let at = 0; at <= this.column && at < line.length; at += 1) line[at] = BLANK;
  }

  private eraseScreen(which: number): void {
    const at = this.top + this.row;
    if (which === 3) {
      this.lines.splice(0, this.top);
      this.top = 0;
    } else if (which === 2) this.lines.length = this.top;
    else if (which === 0) {
      this.eraseLine(0);
      this.lines.length = Math.min(this.lines.length, at + 1);
    } else for (let line = this.top; line < at; line += 1) this.lines[line] = [];
    this.line();
  }
}

const BLANK: Cell = { text: ' ', width: 1, style: '' };
/** Characters of a sequence without an end that are kept: it is dropped then. */
const MAX_REST = 4_096;

/** Where text ends: at the next control character. */
function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return at;
  }
  return text.length;
}

/** Whether what begins with an escape needs nothing more. */
function isWhole(sequence: string): boolean {
  if (sequence.length >= MAX_REST) return true;
  if (/^\u001b[\]PX^_]/.test(sequence)) return /(?:\u0007|\u001b\\|\u009c)$/.test(sequence);
  return /^(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]$|^\u001b[ -/]*[0-Z\\`-~]$/.test(sequence);
}

function isBlank(cells: readonly Cell[]): boolean {
  return cells.every(({ text, style }) => text === HOLE || (text === ' ' && style === ''));
}

function piecesOf(cells: readonly Cell[], row: number): TerminalPiece[] {
  const pieces: TerminalPiece[] = [];
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === ' ' && cells[end - 1]?.style === '' && !isInBox(cells)) end -= 1;
  let piece: TerminalPiece | null = null;
  let style = '';
  for (let at = 0; at < end; at += 1) {
    const cell = cells[at] as Cell;
    if (cell.text === '') continue;
    if (cell.text === HOLE) {
      piece = null;
      continue;
    }
    const isEven = cell.width === 1 && EVEN.test(cell.text);
    if (!piece || !isEven) {
      piece = { row, at, width: 0, text: '' };
      pieces.push(piece);
      style = '';
    }
    if (cell.style !== style) piece.text += `\u001b[0;${cell.style}m`;
    style = cell.style;
    piece.text += cell.text;
    piece.width += cell.width;
    if (!isEven) piece = null;
  }
  return pieces;
}

/** Blanks at the end of a row count where what lies under them would be seen. */
function isInBox(cells: readonly Cell[]): boolean {
  return cells.some(({ text }) => text === HOLE);
}
