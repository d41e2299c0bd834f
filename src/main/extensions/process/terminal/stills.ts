import { type Component, TUI, visibleWidth } from '@mariozechner/pi-tui';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { Grid } from './grid';
import { GridTerminal } from './grid-terminal';
import { fittingLines } from './guard';
import type { Size } from './screen';

export type Still = Component & { dispose?: () => void };

/** Milliseconds between two pictures of one component. */
const EVERY_MS = 100;

/** The program that components outside a view are made with: asked to draw, it draws all of them soon. */
class StillTui extends TUI {
  constructor(
    size: Size,
    private readonly onRequest: () => void,
  ) {
    super(new GridTerminal(new Grid(size.columns, size.rows, visibleWidth), () => undefined));
  }

  override requestRender(): void {
    // The base calls it before this one is made.
    this.onRequest?.();
  }
}

/** Lines as a frame, each from its beginning in no colour. */
export function stillFrame(drawn: unknown, columns: number): TerminalFrame {
  const lines = fittingLines(drawn, columns);
  const grid = new Grid(columns, Math.max(1, lines.length), visibleWidth);
  grid.write(lines.map((line) => line.replace(/[\r\n]/g, ' ')).join('\u001b[0m\r\n'));
  const pieces = grid.pieces().filter(({ row }) => row < lines.length);
  return { columns, rows: Math.max(1, lines.length), isOverlay: false, pieces, cursor: null, hearsRelease: false };
}

interface Shown {
  component: Still;
  show: (frame: TerminalFrame | undefined) => void;
}

/** Components that stand in the window and hear no keys: widgets, header, footer (EX24). */
export class Stills {
  private readonly shown = new Map<string, Shown>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly size: () => Size,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Shows what a factory makes, in place of what was shown there. */
  set(place: string, make: (tui: TUI) => Still, show: Shown['show']): void {
    this.end(place);
    try {
      const component = make(new StillTui(this.size(), () => this.soon()));
      this.shown.set(place, { component, show });
      this.draw(place);
    } catch (error) {
      this.report(error);
    }
  }

  end(place: string): void {
    const known = this.shown.get(place);
    if (!known) return;
    this.shown.delete(place);
    known.show(undefined);
    try {
      known.component.dispose?.();
    } catch (error) {
      this.report(error);
    }
  }

  /** What they are drawn from may be something else now. */
  soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const place of [...this.shown.keys()]) this.draw(place);
    }, EVERY_MS);
  }

  private draw(place: string): void {
    const shown = this.shown.get(place);
    if (!shown) return;
    const { columns } = this.size();
    try {
      shown.show(stillFrame(shown.component.render(columns), columns));
    } catch (error) {
      this.report(error);
      this.end(place);
    }
  }
}
