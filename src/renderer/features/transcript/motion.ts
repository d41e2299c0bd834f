/** Milliseconds between two handfuls: the frame after each is painted first. */
const PAUSE_MS = 16;
/** Rows of a handful. A whole screen of them at once took up to 60 ms of one task. */
const HANDFUL = 2;

/**
 * Whether the rows of a transcript move: while they first come, and while they are scrolled. What a row needs only where
 * it stays waits here for the rest, and then comes a few rows at a time, the lowest first: people read at the end.
 */
export class Motion {
  #isMoving = true;
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** Who still waits goes on waiting. */
  move(): void {
    this.#isMoving = true;
    clearTimeout(this.#timer);
  }

  rest(): void {
    this.#isMoving = false;
    this.#release();
  }

  /** Calls `callback` once, soon after the rows rest. The function it returns takes it back. */
  whenResting(callback: () => void): () => void {
    this.#waiting.push(callback);
    if (!this.#isMoving && this.#waiting.length === 1) this.#releaseLater();
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== callback);
    };
  }

  #release(): void {
    for (const callback of this.#waiting.splice(-HANDFUL).reverse()) callback();
    if (this.#waiting.length > 0) this.#releaseLater();
  }

  #releaseLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#release(), PAUSE_MS);
  }
}
