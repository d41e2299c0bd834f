/** Failures are counted for so long. Milliseconds. */
const WINDOW_MS = 10 * 60_000;
/** Process ends of one extension, in that time, after which it rests. */
const MAX_OF_ONE = 3;
/** Process ends that nobody can be blamed for, after which all of the scope rest. */
const MAX_UNKNOWN = 5;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** Counts how often a process ended, and says what follows from it: a wait, or rest (EX12). */
export class Failures {
  private ends: { at: number; extensionId: string | null }[] = [];

  constructor(private readonly now: () => number) {}

  /** @returns milliseconds until it is started again, and whether the one to blame (null: everyone) rests from now on */
  note(extensionId: string | null): { waitMs: number; rests: boolean } {
    const at = this.now();
    this.ends = [...this.ends.filter((end) => at - end.at < WINDOW_MS), { at, extensionId }];
    const same = this.ends.filter((end) => end.extensionId === extensionId).length;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.ends.length - 1));
    return { waitMs, rests: same >= (extensionId === null ? MAX_UNKNOWN : MAX_OF_ONE) };
  }

  /** The person had it loaded again, or its files have changed. */
  forget(): void {
    this.ends = [];
  }
}
