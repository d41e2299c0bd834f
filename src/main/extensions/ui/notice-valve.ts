import { BOUNDS } from './bounds';

const REFILL_MS = 1_000;

/**
 * Lets a few notices through at once and one more each second; the others are counted, and the count is told once a second for as long as
 * there is one: a loop that calls `notify` a million times fills neither screen nor channel.
 */
export class NoticeValve {
  private left: number = BOUNDS.noticesAtOnce;
  private held = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param tellHeld hears how many were held back since it last did */
  constructor(private readonly tellHeld: (count: number) => void) {}

  /** Whether this one is told. */
  mayTell(): boolean {
    this.timer ??= setInterval(() => this.refill(), REFILL_MS).unref();
    if (this.left === 0) {
      this.held += 1;
      return false;
    }
    this.left -= 1;
    return true;
  }

  close(): void {
    this.stop();
    this.flush();
  }

  private refill(): void {
    const wasHolding = this.held > 0;
    this.flush();
    // Who goes on is only counted.
    if (wasHolding) return;
    this.left += 1;
    if (this.left === BOUNDS.noticesAtOnce) this.stop();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private flush(): void {
    if (this.held > 0) this.tellHeld(this.held);
    this.held = 0;
  }
}
