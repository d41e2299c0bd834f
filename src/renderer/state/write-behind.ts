/** Milliseconds from a change until it is written; a crash loses at most this much, once what was stored is read. */
const WRITE_DELAY_MS = 300;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 5 * 60_000;

/** What is kept elsewhere; both may reject at any time, and neither throws. */
export interface Kept {
  read(): Promise<void>;
  /** Writes what is there when it is called. */
  write(): Promise<void>;
}

/**
 * Keeps something in memory and in a place that is slow or fails. Nothing is written before what is stored there was read, or it would
 * be overwritten unseen; a read or write that fails is tried again, later and later, and with the next change.
 *
 * So what was typed before the first read is lost if the window has to close before that read succeeds. A write that puts the stored part
 * aside unread would keep no more: the database lets it wait behind the read of the same rows, and fails it for the same reasons.
 */
export class WriteBehind {
  #isRead = false;
  #changes = 0;
  #written = 0;
  #failures = 0;
  #running: Promise<void> | null = null;
  #next: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** `onRest`: all is read and written. */
  constructor(
    private readonly kept: Kept,
    private readonly onRest: () => void,
  ) {}

  get isRead(): boolean {
    return this.#isRead;
  }

  get isAtRest(): boolean {
    return this.#isRead && this.#changes === this.#written && !this.#running;
  }

  /** Nothing was read and nothing is to be written. */
  get isEmpty(): boolean {
    return !this.#isRead && this.#changes === this.#written;
  }

  /** Something is to be written, soon. Not put off by the next change: who types on would have nothing written. */
  changed(): void {
    this.#changes += 1;
    this.#next ??= setTimeout(() => void this.run(), WRITE_DELAY_MS);
  }

  /** Writes at once what is not written yet. Resolves when that is done or failed; never rejects. */
  flush(): Promise<void> {
    return this.#changes === this.#written ? Promise.resolve() : this.run();
  }

  /** The same, and reads what is not read yet. */
  run(): Promise<void> {
    clearTimeout(this.#next);
    clearTimeout(this.#retry);
    this.#next = undefined;
    if (this.isAtRest) return Promise.resolve();
    this.#running ??= this.#sync();
    return this.#running;
  }

  /** What is stored is read again before anything is written. */
  forget(): void {
    this.#isRead = false;
  }

  async #sync(): Promise<void> {
    try {
      if (!this.#isRead) await this.kept.read();
      this.#isRead = true;
      while (this.#written < this.#changes) {
        const changes = this.#changes;
        await this.kept.write();
        this.#written = changes;
      }
      this.#failures = 0;
    } catch {
      const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
      this.#failures += 1;
      this.#retry = setTimeout(() => void this.run(), wait);
    }
    // With no step in between: a change that comes now starts the next one.
    this.#running = null;
    if (this.isAtRest) this.onRest();
  }
}
