import type { DeltaEvent } from './types';

/** One frame at 60 Hz. */
const BATCH_MS = 16;

/** Collects deltas, joins neighbours of the same block, and hands them on at most once a frame. */
export class DeltaBatcher {
  private batch: DeltaEvent[] = [];
  private pieces: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private lastFlush = 0;

  constructor(private readonly send: (deltas: DeltaEvent[]) => void) {}

  /** Adds an event; the first after a pause goes out at once, so that the first token isn't delayed. */
  push(event: DeltaEvent): void {
    if (!this.joinWithLast(event)) {
      this.closeLast();
      this.batch.push(event);
      if ('delta' in event) this.pieces = [event.delta];
    }
    if (this.timer) return;
    const wait = BATCH_MS - (Date.now() - this.lastFlush);
    if (wait <= 0) this.flush();
    else this.timer = setTimeout(() => this.flush(), wait);
  }

  /** Sends what there is; called once more at the end. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.closeLast();
    if (this.batch.length === 0) return;
    const deltas = this.batch;
    this.batch = [];
    this.lastFlush = Date.now();
    this.send(deltas);
  }

  private joinWithLast(event: DeltaEvent): boolean {
    const last = this.batch.at(-1);
    if (!last || !('delta' in event) || last.type !== event.type) return false;
    if (!('contentIndex' in last) || last.contentIndex !== event.contentIndex) return false;
    this.pieces.push(event.delta);
    return true;
  }

  private closeLast(): void {
    const last = this.batch.at(-1);
    if (last && 'delta' in last && this.pieces.length > 1) {
      this.batch[this.batch.length - 1] = { ...last, delta: this.pieces.join('') };
    }
    this.pieces = [];
  }
}
