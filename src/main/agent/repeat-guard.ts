/** Identical calls with identical results in a row that show a model which has lost its thread (TG17). */
const MAX_REPEATS = 3;
/** Results after a compaction among which they count: later repetitions may have a purpose. */
const WATCHED_RESULTS = 6;

/** Watches a run for a model that does the same over and over right after a compaction took its thread. */
export class RepeatGuard {
  private left = 0;
  private last = '';
  private count = 0;

  /** A compaction ended: the next results are watched. */
  arm(): void {
    this.left = WATCHED_RESULTS;
    this.last = '';
    this.count = 0;
  }

  /** A person spoke, or the run ended. */
  disarm(): void {
    this.left = 0;
    this.count = 0;
  }

  /** Takes one call with its result, in order. */
  note(toolName: string, args: unknown, result: unknown): void {
    if (this.left === 0) return;
    this.left--;
    const what = JSON.stringify([toolName, args, result]);
    this.count = what === this.last ? this.count + 1 : 1;
    this.last = what;
  }

  /** The model repeats itself: the run should end. */
  get isStuck(): boolean {
    return this.count >= MAX_REPEATS;
  }
}
