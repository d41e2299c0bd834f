import type { AppEvent, EventBatch } from '@shared/ipc/contract';
import { coalesceEvents } from '@shared/ipc/coalesce';

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
