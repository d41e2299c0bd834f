import type { EventChannel } from './event-channel';

/** Milliseconds that a window gets to write drafts and pane sizes; one that hangs must still close. */
const LIMIT_MS = 2000;

/** Asks the window, before it closes, to write what it holds in memory. */
export class LastWrites {
  readonly #channel: EventChannel;
  #answered: (() => void) | undefined;

  constructor(channel: EventChannel) {
    this.#channel = channel;
  }

  /**
   * Resolves when the window has written, at once where none listens, and after two seconds in any case: with false where it
   * listens and gave no answer.
   */
  async wait(): Promise<boolean> {
    if (!this.#channel.connected) return true;
    let timer: NodeJS.Timeout | undefined;
    const hasAnswered = await new Promise<boolean>((resolve) => {
      this.#answered = () => resolve(true);
      timer = setTimeout(() => resolve(false), LIMIT_MS);
      this.#channel.emit({ type: 'closing' });
      this.#channel.flush();
    });
    clearTimeout(timer);
    return hasAnswered;
  }

  /** The window's answer. */
  readonly written = (): void => this.#answered?.();
}
