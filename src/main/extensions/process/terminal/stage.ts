import type { Component, KeybindingsManager, OverlayHandle, OverlayOptions, TUI } from '@mariozechner/pi-tui';
import { isRecord } from '@shared/checks';
import type { TerminalFrame } from '@shared/extensions/terminal';
import type { InputListeners } from './listeners';
import { theme } from './theme';
import { keybindings } from './keys';
import { guard } from './guard';
import { Screen, type Size } from './screen';

type Shown = Component & { dispose?: () => void };
type Factory = (
  tui: TUI,
  styles: typeof theme,
  keys: KeybindingsManager,
  done: (result: unknown) => void,
) => Shown | Promise<Shown>;

export interface StagePorts {
  /** Resolves when the person closes the view, or its session ends; `signal` closes it from here. */
  open(view: string, isOverlay: boolean, signal: AbortSignal): Promise<unknown>;
  draw(view: string, frame: TerminalFrame): void;
  report(error: unknown): void;
  size(): Size;
}

interface Running {
  key: string;
  screen: Screen;
  closing: AbortController;
  /** Ends each component that is shown, without a result. */
  ends: Set<() => void>;
}

let lastView = 0;

/** What `ctx.ui.custom` shows, of one extension in one session (EX24): one view for all that is shown at a time. */
export class Stage {
  private running: Running | null = null;

  constructor(
    private readonly ports: StagePorts,
    private readonly listeners: InputListeners,
  ) {}

  /** Shows a component until it is done. Resolves with its result; undefined: the person closed it, or it failed. */
  custom(factory: unknown, options: unknown): Promise<unknown> {
    if (typeof factory !== 'function') throw new TypeError('ctx.ui.custom takes a function that makes a component.');
    const { overlay, overlayOptions, onHandle } = isRecord(options) ? options : {};
    const running = this.running ?? this.open(overlay === true);
    let leave: () => void = () => undefined;
    let isOver = false;
    return new Promise((resolve, reject) => {
      const settle = (say: () => void): void => {
        if (isOver) return;
        isOver = true;
        running.ends.delete(end);
        leave();
        say();
        if (running.ends.size === 0) this.close(running);
      };
      const done = (value?: unknown): void => settle(() => resolve(value));
      const end = (): void => done();
      running.ends.add(end);
      const make = async (): Promise<void> => {
        const component = await (factory as Factory)(running.screen.tui, theme, keybindings(), done);
        // It was closed before there was anything to see.
        if (isOver) return this.dispose(component);
        const place = overlay === true && placeOf(overlayOptions);
        leave = this.show(
          running,
          guard(component, (error) => this.fail(running, error)),
          place,
          onHandle,
        );
      };
      make().catch((error: unknown) => settle(() => reject(error)));
    });
  }

  /** A key, or pasted text. */
  input(view: string, data: string): void {
    const { running } = this;
    if (running?.key !== view) return;
    const given = this.listeners.pass(data);
    if (given !== null) running.screen.input(given);
  }

  resize(view: string, size: Size): void {
    if (this.running?.key === view) this.running.screen.resize(size);
  }

  private open(isOverlay: boolean): Running {
    const key = String(++lastView);
    const closing = new AbortController();
    const screen = new Screen(this.ports.size(), {
      draw: (frame) => this.ports.draw(key, frame),
      fail: (error) => this.fail(running, error),
    });
    const running: Running = { key, screen, closing, ends: new Set() };
    this.running = running;
    const close = (): void => this.close(running);
    this.ports.open(key, isOverlay, closing.signal).then(close, close);
    return running;
  }

  private show(running: Running, component: Shown, overlay: false | OverlayOptions, onHandle: unknown): () => void {
    const { screen } = running;
    if (overlay === false) {
      screen.show(component);
      return () => {
        screen.hide(component);
        this.dispose(component);
      };
    }
    const handle: OverlayHandle = screen.tui.showOverlay(component, overlay);
    if (typeof onHandle === 'function') onHandle(handle);
    return () => {
      handle.hide();
      this.dispose(component);
    };
  }

  private dispose(component: Shown | undefined): void {
    try {
      component?.dispose?.();
    } catch (error) {
      this.ports.report(error);
    }
  }

  private fail(running: Running, error: unknown): void {
    this.ports.report(error);
    // Not from within what draws.
    setImmediate(() => this.close(running));
  }

  private close(running: Running): void {
    if (this.running === running) this.running = null;
    if (running.closing.signal.aborted) return;
    running.closing.abort();
    for (const end of [...running.ends]) end();
    running.screen.close();
  }
}

function placeOf(options: unknown): OverlayOptions {
  const given: unknown = typeof options === 'function' ? (options as () => unknown)() : options;
  return isRecord(given) ? (given as OverlayOptions) : {};
}
