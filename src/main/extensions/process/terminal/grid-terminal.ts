import type { Terminal } from '@mariozechner/pi-tui';
import type { Grid } from './grid';

/** The terminal that pi-tui draws in: a grid of cells that the window shows. It has no title, no clipboard, no mouse, no pictures. */
export class GridTerminal implements Terminal {
  /** Keys come as terminals have always sent them. */
  readonly kittyProtocolActive = false;
  private onInput: (data: string) => void = () => undefined;
  private onResize: () => void = () => undefined;

  constructor(
    private readonly grid: Grid,
    private readonly onWrite: (length: number) => void,
  ) {}

  get columns(): number {
    return this.grid.columns;
  }

  get rows(): number {
    return this.grid.rows;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.onInput = onInput;
    this.onResize = onResize;
  }

  /** A program that wants the terminal for itself gets none: what is drawn stays. */
  stop(): void {
    this.onInput = () => undefined;
  }

  drainInput(): Promise<void> {
    return Promise.resolve();
  }

  write(data: string): void {
    this.grid.write(data);
    this.onWrite(data.length);
  }

  input(data: string): void {
    this.onInput(data);
  }

  resize(columns: number, rows: number): void {
    this.grid.resize(columns, rows);
    this.onResize();
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(`\u001b[${Math.abs(lines)}${lines > 0 ? 'B' : 'A'}`);
  }

  clearLine(): void {
    this.write('\u001b[K');
  }

  clearFromCursor(): void {
    this.write('\u001b[J');
  }

  clearScreen(): void {
    this.write('\u001b[2J\u001b[H');
  }

  hideCursor(): void {}
  showCursor(): void {}
  setTitle(): void {}
  setProgress(): void {}
}
