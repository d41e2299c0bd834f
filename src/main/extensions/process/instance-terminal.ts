import { isRecord } from '@shared/checks';
import { TERMINAL } from '@shared/extensions/terminal';
import type { MainLink } from './links';
import type { Stage } from './terminal/stage';
import type { WireFacts } from './wire';

/** What an extension draws in one session. pi-tui is loaded when the first component is there. */
export class InstanceTerminal {
  private stage: Stage | undefined;
  private loading: Promise<Stage> | undefined;

  constructor(
    private readonly link: MainLink,
    private readonly facts: () => WireFacts,
    private readonly mode: 'tui' | 'rpc',
  ) {}

  /** `ctx.ui.custom`. Without a terminal nothing is chosen, as in pi's RPC mode. */
  async custom(factory: unknown, options: unknown): Promise<unknown> {
    this.link.assertFresh();
    if (this.mode === 'rpc') return undefined;
    return (await this.ready()).custom(factory, options);
  }

  /** `ctx.ui.onTerminalInput` */
  onInput(listener: unknown): () => void {
    this.link.assertFresh();
    let stop: () => void = () => undefined;
    let isOver = false;
    void this.ready().then((stage) => {
      if (!isOver) stop = stage.onInput(listener);
    });
    return () => {
      isOver = true;
      stop();
    };
  }

  /** A key, a paste, or a new size of one view. */
  take(view: string, what: unknown): void {
    const { input, columns, rows } = isRecord(what) ? what : {};
    if (typeof input === 'string') this.stage?.input(view, input);
    else if (typeof columns === 'number' && typeof rows === 'number') this.stage?.resize(view, { columns, rows });
  }

  private ready(): Promise<Stage> {
    return (this.loading ??= this.load());
  }

  private async load(): Promise<Stage> {
    const { Stage: Made } = await import('./terminal/stage');
    const { link } = this;
    this.stage = new Made({
      open: (view, isOverlay, signal) => link.ask('ui', 'view', [view, isOverlay], signal),
      draw: (view, frame) => link.draw(view, frame),
      report: (error) => link.report('ctx.ui.custom', error),
      size: () => this.facts().terminal ?? { columns: 80, rows: TERMINAL.minRows * 4 },
    });
    return this.stage;
  }
}
