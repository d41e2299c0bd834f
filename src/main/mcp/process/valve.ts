import type { Readable } from 'node:stream';

/** Lines of one server that are told at once; more come at `LINES_PER_SECOND`. */
const LINE_BURST = 300;
const LINES_PER_SECOND = 20;
const REPORT_MS = 1_000;

/** What a server says of itself, so much at once and per second; of the rest the number is told (EX20). */
export class LineValve {
  private left = LINE_BURST;
  private filledAt = Date.now();
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (line: string) => void) {}

  take(line: string): void {
    const now = Date.now();
    this.left = Math.min(LINE_BURST, this.left + ((now - this.filledAt) / 1000) * LINES_PER_SECOND);
    this.filledAt = now;
    if (this.left >= 1) {
      this.left -= 1;
      return this.tell(line);
    }
    this.dropped += 1;
    this.timer ??= setTimeout(() => this.report(), REPORT_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private report(): void {
    this.timer = undefined;
    this.tell(`… ${this.dropped.toLocaleString('en')} more lines are left out.`);
    this.dropped = 0;
  }
}

/** Tells the last of many changes, no more often than a server's tools are worth reading. */
export class Seldom {
  private timer: NodeJS.Timeout | undefined;
  private toldAt = 0;

  constructor(
    private readonly everyMs: number,
    private readonly tell: () => void,
  ) {}

  take(): void {
    if (this.timer) return;
    const wait = Math.max(0, this.toldAt + this.everyMs - Date.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.toldAt = Date.now();
      this.tell();
    }, wait);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}

/**
 * Reads a pipe no faster than its share: whoever writes more waits until the next second. Servers share this process, and one that writes
 * without end would take the time of all others.
 * @returns tells how much was read
 */
export function shareOf(pipe: Readable, perSecond: number): (amount: number) => void {
  let since = Date.now();
  let taken = 0;
  return (amount) => {
    const now = Date.now();
    if (now - since >= 1000) [since, taken] = [now, 0];
    taken += amount;
    if (taken <= perSecond || pipe.isPaused()) return;
    pipe.pause();
    setTimeout(() => pipe.resume(), since + 1000 - now).unref();
  };
}
