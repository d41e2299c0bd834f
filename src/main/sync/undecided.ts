/**
 * How long is waited, in milliseconds. `first`: a window whose database does not open compares nothing; then what stands in the file is
 * shown, and told of when it does. `next`: for the next part of a comparison that goes on.
 */
const PATIENCE = { first: 3000, next: 30_000 };

interface Waiting {
  over: Promise<void>;
  end: () => void;
  timer?: NodeJS.Timeout;
  /** It is being decided: no time is too long. */
  isHeld?: boolean;
}

/**
 * Sessions whose files are not as they were left, until their copies were compared: what somebody else put there is not shown before
 * the notice about it (docs/specs/safety.md E1).
 */
export class Undecided {
  readonly #waiting = new Map<string, Waiting>();
  #isComparing = false;

  constructor(private readonly patience = PATIENCE) {}

  begin(sessionId: string): void {
    if (this.#waiting.has(sessionId)) return;
    let end = (): void => undefined;
    const over = new Promise<void>((done) => (end = done));
    this.#waiting.set(sessionId, { over, end });
    this.#wait(sessionId, this.#isComparing ? this.patience.next : this.patience.first);
  }

  /** A window asks for all copies to be compared. */
  compareAll(): void {
    this.#isComparing = true;
    this.goesOn();
  }

  /** Part of what a session is compared with has come, or is on its way: the others follow it. */
  goesOn(): void {
    for (const sessionId of this.#waiting.keys()) this.#wait(sessionId, this.patience.next);
  }

  /** All has come: what becomes of it is decided here, however long that takes. */
  hold(sessionId: string): void {
    const waiting = this.#waiting.get(sessionId);
    if (!waiting) return;
    waiting.isHeld = true;
    clearTimeout(waiting.timer);
    this.goesOn();
  }

  #wait(sessionId: string, ms: number): void {
    const waiting = this.#waiting.get(sessionId);
    if (!waiting || waiting.isHeld) return;
    clearTimeout(waiting.timer);
    waiting.timer = setTimeout(() => this.end(sessionId), ms).unref();
  }

  /** Null where nothing is waited for. */
  when(sessionId: string): Promise<void> | null {
    return this.#waiting.get(sessionId)?.over ?? null;
  }

  end(sessionId: string): void {
    const waiting = this.#waiting.get(sessionId);
    this.#waiting.delete(sessionId);
    clearTimeout(waiting?.timer);
    waiting?.end();
  }

  /** A comparison failed: what stands in the files is shown soon. */
  giveUp(): void {
    this.#isComparing = false;
    for (const sessionId of this.#waiting.keys()) this.#wait(sessionId, this.patience.first);
  }

  /** A comparison found these alone to differ: what the database has of them is on its way. */
  endAllBut(differing: ReadonlySet<string>): void {
    this.#isComparing = false;
    for (const sessionId of [...this.#waiting.keys()]) if (!differing.has(sessionId)) this.end(sessionId);
    this.goesOn();
  }
}
