/** Notices that are told at once, and how often one more is; main shows fewer of them (`ui/notice-valve.ts`). */
const AT_ONCE = 10;
const EVERY_MS = 250;

export interface Notice {
  text: unknown;
  level: unknown;
}

/**
 * Lets a few notices through at once and some each second. Of the others the last is held until then, and those before it are counted: what was
 * said last is heard, and a loop that calls `notify` a million times costs a few messages. The clock is looked at with each notice, so that
 * code that never gives the thread back is heard too.
 */
export class NoticeBound {
  private left = AT_ONCE;
  private at = Date.now();
  private held: Notice | null = null;
  private leftOut = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly port: {
      tell: (notice: Notice) => void;
      /** So many before the next one are told to nobody. */
      tellLeftOut: (count: number) => void;
    },
  ) {}

  notify(notice: Notice): void {
    this.refill();
    if (this.held === null && this.left > 0) {
      this.left -= 1;
      return this.port.tell(notice);
    }
    if (this.held !== null) this.leftOut += 1;
    this.held = notice;
    if (this.left > 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), EVERY_MS);
  }

  /** What is held is told now. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { held, leftOut } = this;
    this.held = null;
    this.leftOut = 0;
    if (held === null) return;
    this.left = Math.max(0, this.left - 1);
    if (leftOut > 0) this.port.tellLeftOut(leftOut);
    this.port.tell(held);
  }

  private refill(): void {
    const now = Date.now();
    const more = Math.floor((now - this.at) / EVERY_MS);
    if (more === 0) return;
    // A clock that was set back gives nothing, once.
    this.at = now;
    this.left = Math.min(AT_ONCE, this.left + Math.max(0, more));
  }
}
