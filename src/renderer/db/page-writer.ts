import type { SyncMark } from '@shared/types';
import type { EspalierDatabase } from './database';
import { applyPages, type Page } from './session-records';

/** Pages of one transaction: an import of ten thousand records is five of them. */
const PAGES_A_WRITE = 20;
/** Characters after which a transaction is closed earlier, so that it stays far from its time limit. */
const CHARACTERS_A_WRITE = 8_000_000;

/** Writes the pages of one session as they come, in order, several in one transaction when they come faster. */
export class PageWriter {
  readonly #waiting: Page[] = [];
  #writing: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;
  /** Called once when a write fails; what comes after it is not written. */
  onFailure: (() => void) | null = null;

  constructor(
    private readonly db: EspalierDatabase,
    private readonly sessionId: string,
    private replace: boolean,
    private readonly onWritten: (mark: SyncMark) => void,
  ) {}

  /** Resolves when there is room for more. Never rejects; `settle` tells of failures. */
  async push(page: Page): Promise<void> {
    if (page.lines.length === 0 || this.#failure) return;
    this.#waiting.push(page);
    this.#writing ??= this.#writeAll();
    if (this.#waiting.length > PAGES_A_WRITE) await this.#writing;
  }

  /** Waits for the last write. Rejects with what made one fail. */
  async settle(): Promise<void> {
    await this.#writing;
    if (this.#failure) throw this.#failure.error;
  }

  async #writeAll(): Promise<void> {
    // What arrives in the same moment shares the first transaction.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const mark = await applyPages(this.db, this.sessionId, this.#takeSome(), { replace: this.replace });
        this.replace = false;
        this.onWritten(mark);
      }
    } catch (error) {
      this.#failure = { error };
      this.#waiting.length = 0;
      this.onFailure?.();
    } finally {
      this.#writing = null;
    }
  }

  #takeSome(): Page[] {
    let characters = 0;
    let count = 0;
    for (const { lines } of this.#waiting) {
      if (count === PAGES_A_WRITE || characters > CHARACTERS_A_WRITE) break;
      for (const { line } of lines) characters += line.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
