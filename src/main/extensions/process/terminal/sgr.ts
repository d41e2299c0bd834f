/** How a cell is drawn. */
interface Style {
  /** Of 1 bold, 2 dim, 3 italic, 4 underlined, 7 inverse, 9 struck through. */
  marks: Set<number>;
  /** As SGR has it, `31` or `38;5;208`; empty: the terminal's own. */
  fg: string;
  bg: string;
}

/** What ends a mark. */
const ENDS = new Map<number, readonly number[]>([
  [22, [1, 2]],
  [23, [3]],
  [24, [4]],
  [27, [7]],
  [29, [9]],
]);
const MARKS = new Set([1, 2, 3, 4, 7, 9]);

/** The style of a terminal as SGR sequences change it. */
export class Sgr {
  private style: Style = plain();
  /** The whole style as one sequence's parameters; empty: none. */
  code = '';

  /** The parameters of a sequence, as `1;38;5;208`. What is unknown is left out. */
  take(parameters: string): void {
    const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
    for (let at = 0; at < codes.length; at += 1) at += this.apply(codes, at);
    const { marks, fg, bg } = this.style;
    this.code = [...[...marks].sort(), fg, bg].filter((part) => part !== '').join(';');
  }

  reset(): void {
    this.style = plain();
    this.code = '';
  }

  /** How many parameters belong to the one at a place besides. */
  private apply(codes: readonly number[], at: number): number {
    const code = codes[at] ?? 0;
    const { style } = this;
    if (code === 0) this.style = plain();
    else if (MARKS.has(code)) style.marks.add(code);
    else if (ENDS.has(code)) ENDS.get(code)?.forEach((mark) => style.marks.delete(mark));
    else if (code === 39) style.fg = '';
    else if (code === 49) style.bg = '';
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) style.fg = String(code);
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) style.bg = String(code);
    else if (code === 38 || code === 48) return this.extended(codes, at, code);
    return 0;
  }

  private extended(codes: readonly number[], at: number, code: 38 | 48): number {
    const many = codes[at + 1] === 5 ? 1 : codes[at + 1] === 2 ? 3 : -1;
    if (many < 0) return 0;
    const values = codes.slice(at + 2, at + 2 + many);
    const isColour =
      values.length === many && values.every((value) => Number.isInteger(value) && value >= 0 && value < 256);
    if (isColour) this.style[code === 38 ? 'fg' : 'bg'] = [code, codes[at + 1], ...values].join(';');
    return 1 + many;
  }
}

function plain(): Style {
  return { marks: new Set(), fg: '', bg: '' };
}
