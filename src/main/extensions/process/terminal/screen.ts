import {
  type Component,
  type OverlayHandle,
  type OverlayOptions,
  setCapabilities,
  TUI,
  visibleWidth,
} from '@mariozechner/pi-tui';
import { TERMINAL, type TerminalFrame } from '@shared/extensions/terminal';
import { Grid, HOLE } from './grid';
import { GridTerminal } from './grid-terminal';
import { guard } from './guard';

export interface Size {
  columns: number;
  rows: number;
}

interface ScreenPorts {
  draw(frame: TerminalFrame): void;
  /** What a component threw. It is over. */
  fail(error: unknown): void;
}

/** Of frames, as JSON: larger ones come less often. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;

class GuardedTui extends TUI {
  constructor(
    terminal: GridTerminal,
    private readonly fail: (error: unknown) => void,
  ) {
    super(terminal);
    // Frames that are seen one by one, not a history of them.
    this.setClearOnShrink(true);
  }

  override addChild(component: Component): void {
    super.addChild(guard(component, this.fail));
  }

  override showOverlay(component: Component, options?: OverlayOptions): OverlayHandle {
    return super.showOverlay(guard(component, this.fail), options);
  }
}

/** What lies under overlays: nothing, as large as the terminal. */
class Nothing implements Component {
  constructor(private readonly size: Size) {}
  invalidate(): void {}
  render(): string[] {
    return Array<string>(this.size.rows).fill(HOLE.repeat(this.size.columns));
  }
}

/** One terminal view: pi-tui's own program for components, drawing in a grid that the window is told of, 30 times a second at most. */
export class Screen {
  readonly tui: GuardedTui;
  private readonly grid: Grid;
  private readonly terminal: GridTerminal;
  private readonly nothing: Nothing;
  private readonly shown: Component[] = [];
  private timer: NodeJS.Timeout | undefined;
  private nextAt = 0;
  private last = '';
  private isOver = false;

  constructor(
    size: Size,
    private readonly ports: ScreenPorts,
  ) {
    setCapabilities({ images: null, trueColor: true, hyperlinks: false });
    this.grid = new Grid(size.columns, size.rows, visibleWidth);
    this.terminal = new GridTerminal(this.grid, () => this.soon());
    const fail = (error: unknown): void => this.fail(error);
    this.tui = new GuardedTui(this.terminal, fail);
    this.nothing = new Nothing(this.grid);
    this.tui.addChild(this.nothing);
    this.tui.start();
  }

  /** Shows a component in place of those that are shown so already. */
  show(component: Component): void {
    this.shown.push(component);
    this.arrange();
  }

  /** It is over: the one before it is shown again. */
  hide(component: Component): void {
    const at = this.shown.indexOf(component);
    if (at >= 0) this.shown.splice(at, 1);
    this.arrange();
  }

  input(data: string): void {
    this.within(() => this.terminal.input(data));
  }

  resize({ columns, rows }: Size): void {
    // Also where it is the same: whoever asks has no frame yet.
    this.last = '';
    this.within(() => this.terminal.resize(columns, rows));
    this.tui.requestRender(true);
    this.soon();
  }

  close(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.within(() => this.tui.stop());
  }

  private arrange(): void {
    if (this.isOver) return;
    const shown = this.shown.at(-1);
    this.tui.clear();
    this.tui.addChild(shown ?? this.nothing);
    if (shown) this.tui.setFocus(shown);
    this.tui.requestRender(true);
  }

  /** Whatever an extension's code throws is its failure, not this process's. */
  private within(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (!this.isOver) this.ports.fail(error);
  }

  private soon(): void {
    if (this.isOver) return;
    this.timer ??= setTimeout(() => this.draw(), Math.max(TERMINAL.frameMs / 2, this.nextAt - Date.now()));
  }

  private draw(): void {
    this.timer = undefined;
    if (this.isOver) return;
    const frame = this.frame();
    const text = JSON.stringify(frame);
    this.nextAt = Date.now() + Math.max(TERMINAL.frameMs, (text.length / BYTES_PER_SECOND) * 1000);
    if (text === this.last) return;
    this.last = text;
    this.ports.draw(frame);
  }

  private frame(): TerminalFrame {
    const { grid } = this;
    const isOverlay = this.shown.length === 0;
    const from = isOverlay ? grid.top : Math.max(0, grid.height - TERMINAL.maxFrameRows);
    const rows = isOverlay ? grid.rows : Math.max(1, grid.height - from);
    const { row, at } = grid.cursor;
    const isSeen = row >= from && row - from < rows;
    return {
      columns: grid.columns,
      rows,
      isOverlay,
      pieces: within(grid.pieces(from).filter((piece) => piece.row < rows)),
      cursor: isSeen ? { row: row - from, at } : null,
      hearsRelease: this.shown.some(({ wantsKeyRelease }) => wantsKeyRelease === true),
    };
  }
}

/** So many as can be shown. */
function within(pieces: TerminalFrame['pieces']): TerminalFrame['pieces'] {
  let chars = 0;
  const end = pieces.findIndex(
    ({ text }, index) => index >= TERMINAL.maxPieces || (chars += text.length) > TERMINAL.maxChars,
  );
  return end < 0 ? pieces : pieces.slice(0, end);
}
