/** A window whose database does not open compares nothing: then what stands in the file is shown, and told of when it does. */
const PATIENCE_MS = 3000;

interface Waiting {
  over: Promise<void>;
  end: () => void;
}

/**
 * Sessions whose files are not as they were left, until their copies were compared: what somebody else put there is not shown before
 * the notice about it (docs/specs/safety.md E1).
 */
export class Undecided {
  readonly #waiting = new Map<string, Waiting>();

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  begin(sessionId: string): void {
    if (this.#waiting.has(sessionId)) return;
    const timer = setTimeout(() => this.end(sessionId), this.patienceMs);
    timer.unref();
    let resolve = (): void => undefined;
    const over = new Promise<void>((done) => (resolve = done));
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    this.#waiting.set(sessionId, { over, end });
  }

  /** Null where nothing is waited for. */
  when(sessionId: string): Promise<void> | null {
    return this.#waiting.get(sessionId)?.over ?? null;
  }

  end(sessionId: string): void {
    const waiting = this.#waiting.get(sessionId);
    this.#waiting.delete(sessionId);
    waiting?.end();
  }

  /** A comparison found these alone to differ. */
  endAllBut(differing: ReadonlySet<string>): void {
    for (const sessionId of [...this.#waiting.keys()]) if (!differing.has(sessionId)) this.end(sessionId);
  }
}
