import { BOUNDS } from './bounds';

const REFILL_MS = 1_000;

/**
 * Lets a few notices through at once and one more each second. Of the others the last is kept, and those before it are counted; the count is
 * told once a second for as long as it grows, and what was said last once it is quiet: a loop that calls `notify` a million times fills
 * neither screen nor channel.
 */
export class NoticeValve<T> {
  private left: number = BOUNDS.noticesAtOnce;
  private held = 0;
  private last: { notice: T } | null = null;
  /** Something was held back since the last look. */
  private goesOn = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly port: {
      tell: (notice: T) => void;
      /** So many were held back since it last heard. */
      tellHeld: (count: number) => void;
    },
  ) {}

  take(notice: T): void {
    this.look();
    if (this.left > 0 && this.last === null) {
      this.left -= 1;
      this.port.tell(notice);
      return;
    }
    if (this.last !== null) this.held += 1;
    this.last = { notice };
    this.goesOn = true;
  }

  /** So many more, which were left out before they came here. */
  count(leftOut: number): void {
    this.look();
    this.held += leftOut;
    this.goesOn = true;
  }

  /** Nothing waits any more: what was held back is told. */
  close(): void {
    this.stop();
    this.flush();
    this.tellLast();
  }

  private look(): void {
    this.timer ??= setInterval(() => this.refill(), REFILL_MS).unref();
  }

  private refill(): void {
    const { goesOn } = this;
    this.goesOn = false;
    this.flush();
    // Who goes on is only counted.
    if (goesOn || this.tellLast()) return;
    this.left = Math.min(BOUNDS.noticesAtOnce, this.left + 1);
    if (this.left === BOUNDS.noticesAtOnce) this.stop();
  }

  private tellLast(): boolean {
    const { last } = this;
    this.last = null;
    if (last) this.port.tell(last.notice);
    return last !== null;
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private flush(): void {
    if (this.held > 0) this.port.tellHeld(this.held);
    this.held = 0;
  }
}
