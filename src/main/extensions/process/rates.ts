/** Messages that may be told at once; more come at `PER_SECOND`. */
const BURST = 100;
const PER_SECOND = 25;
/** State is told at most so often. Milliseconds. */
const SHOW_EVERY_MS = 50;

/** So much and no more, at once and per second. */
export class RateBound {
  private left = BURST;
  private filledAt = Date.now();
  private hasReported = false;

  constructor(private readonly onFirstDrop: () => void) {}

  take(): boolean {
    const now = Date.now();
    this.left = Math.min(BURST, this.left + ((now - this.filledAt) / 1000) * PER_SECOND);
    this.filledAt = now;
    if (this.left >= 1) {
      this.left -= 1;
      return true;
    }
    if (!this.hasReported) this.onFirstDrop();
    this.hasReported = true;
    return false;
  }
}

/** Tells the last of many changes, by key, in the order in which the keys came. */
export class LastOnly {
  private readonly due = new Map<string, () => void>();
  private timer: NodeJS.Timeout | undefined;

  set(key: string, tell: () => void): void {
    this.due.delete(key);
    this.due.set(key, tell);
    this.timer ??= setTimeout(() => this.flush(), SHOW_EVERY_MS);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const due = [...this.due.values()];
    this.due.clear();
    for (const tell of due) tell();
  }
}
