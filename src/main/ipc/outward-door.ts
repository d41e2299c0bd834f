/** Milliseconds without another call after which a window of the system may be opened again. */
const QUIET_MS = 1_000;

/**
 * Calls that open a window of another program: one, until they have been quiet for a second. A key that is held, or a page that has gone wrong,
 * opens one window and not a hundred. Who is refused gets no error: the window that they want is on its way.
 */
export class OutwardDoor {
  private last = -Infinity;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether to open it. */
  mayOpen(): boolean {
    const before = this.last;
    this.last = this.now();
    return this.last - before >= QUIET_MS;
  }
}
