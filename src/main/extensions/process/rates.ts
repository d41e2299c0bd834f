/** So much and no more, at once and per second. */
export class RateBound {
  private left: number;
  private filledAt = Date.now();
  private hasReported = false;

  /** @param onFirstDrop hears once that something is left out */
  constructor(
    private readonly onFirstDrop: () => void,
    private readonly burst = 100,
    private readonly perSecond = 25,
  ) {
    this.left = burst;
  }

  take(): boolean {
    const now = Date.now();
    this.left = Math.min(this.burst, this.left + ((now - this.filledAt) / 1000) * this.perSecond);
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
