import { coalesceEvents } from '@shared/ipc/event-batch';
import type { AppEvent, EventBatch } from '@shared/ipc/contract';

const FRAME_MS = 16;

/**
 * Batches events per frame, in order, with a running number so that the window can see a gap (QP6). Until
 * the window says that it is ready, and after it is gone, events are dropped: its snapshot holds what they said.
 */
export class EventChannel {
  #pending: AppEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #seq = 0;
  #send: ((batch: EventBatch) => void) | undefined;

  /** Starts delivery to a page that has just loaded. What came before stands in its snapshot. */
  connect(send: (batch: EventBatch) => void): void {
    if (!this.#send) this.#pending = [];
    this.#send = send;
  }

  /** Whether a page listens. */
  get connected(): boolean {
    return this.#send !== undefined;
  }

  disconnect(): void {
    this.#send = undefined;
    this.#pending = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly emit = (event: AppEvent): void => {
    if (!this.#send) return;
    this.#pending.push(event);
    this.#timer ??= setTimeout(() => this.flush(), FRAME_MS);
  };

  /** Sends what waits for its frame. Returns the number of the next batch: all before it has been sent. */
  flush(): number {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#send && this.#pending.length > 0) {
      const events = coalesceEvents(this.#pending);
      this.#pending = [];
      this.#send({ seq: this.#seq, events });
      this.#seq += 1;
    }
    return this.#seq;
  }
}

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
