import type { NoticeLevel } from './notice';

const READ_MS = 5_000;
const ACT_MS = 10_000;

/**
 * Milliseconds that a toast has on screen (GR25): ten seconds for an error and for what offers something, such as Undo; an error
 * that asks something stays until it is answered.
 */
export function toastMs(toast: { level: NoticeLevel; action?: unknown; durationMs?: number }): number {
  const { level, action, durationMs } = toast;
  if (durationMs !== undefined) return durationMs;
  if (level === 'error') return action ? Infinity : ACT_MS;
  return action ? ACT_MS : READ_MS;
}

/** Calls `onEnd` once after so many milliseconds that it ran. It stands until `run`; `hold` keeps what is left. */
export class Countdown {
  #left: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #since = 0;

  constructor(
    ms: number,
    private readonly onEnd: () => void,
  ) {
    this.#left = ms;
  }

  run(): void {
    if (this.#timer !== undefined || this.#left === Infinity) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.#left = Infinity;
      this.onEnd();
    }, this.#left);
  }

  hold(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }
}
