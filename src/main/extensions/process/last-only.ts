/** State is told at most so often. Milliseconds. */
const EVERY_MS = 100;
/** Places of one extension in one session: its statuses, widgets and the like. The window shows fewer. */
const MAX_KEYS = 64;

interface Due {
  tell: () => void;
  /** Nothing is shown under its key any more. */
  isGone: boolean;
}

/**
 * Of what is shown under a key only the last is told, in the order of the last changes, some times a second. What is set in one go is told
 * as one, right behind it. The clock is looked at with each change: code that never gives the thread back is bounded, and seen, all the same.
 */
export class LastOnly {
  private readonly due = new Map<string, Due>();
  /** Keys under which main was told something that was not taken away since. */
  private readonly there = new Set<string>();
  /** How many of what is due are not there. */
  private fresh = 0;
  /** Of those, what was taken away again. */
  private readonly passing = new Set<string>();
  private toldAt = Number.NEGATIVE_INFINITY;
  /** When it was first wanted to be told at once; null: it is not. */
  private wantedAt: number | null = null;
  private timer: NodeJS.Timeout | undefined;

  /** @param onTooMany there is no place left: this one is not shown */
  constructor(private readonly onTooMany: () => void) {}

  set(key: string, tell: () => void, isGone = false): void {
    const isThere = this.there.has(key);
    if (!this.due.delete(key) && !isThere) {
      if (!this.hasRoom(isGone)) return;
      this.fresh += 1;
    }
    this.due.set(key, { tell, isGone });
    if (isGone && !isThere) this.passing.add(key);
    else this.passing.delete(key);
    const now = Date.now();
    const since = now - this.toldAt;
    if (since >= 0 && since < EVERY_MS) {
      this.timer ??= setTimeout(() => this.flush(), EVERY_MS - since);
    } else if (this.wantedAt === null) {
      this.wantedAt = now;
      queueMicrotask(() => this.wantedAt !== null && this.flush());
    } else if (Math.abs(now - this.wantedAt) >= EVERY_MS) this.flush();
  }

  /** What waits is told now. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.wantedAt = null;
    if (this.due.size === 0) return;
    this.toldAt = Date.now();
    const due = [...this.due];
    this.due.clear();
    this.passing.clear();
    this.fresh = 0;
    for (const [key, { tell, isGone }] of due) {
      if (isGone) this.there.delete(key);
      else this.there.add(key);
      tell();
    }
  }

  /** One more key. What was taken away and never told gives way to it. */
  private hasRoom(isGone: boolean): boolean {
    if (this.there.size + this.fresh < MAX_KEYS) return true;
    const [oldest] = this.passing;
    if (oldest === undefined) {
      if (!isGone) this.onTooMany();
      return false;
    }
    this.passing.delete(oldest);
    this.due.delete(oldest);
    this.fresh -= 1;
    return true;
  }
}
