import type { LocalStore } from '../state/local-store';

/**
 * A local store that can be used before the database is open: calls wait for it, and after `fallBack` go to memory. What
 * was put there meanwhile moves into the database when it comes after all. Drafts are not kept here: their stores hold them until
 * they are told what the database has (CM6).
 */
export class LateStore implements LocalStore {
  readonly #ui = new Map<string, unknown>();
  #real: LocalStore | null = null;
  #settle: () => void = () => undefined;
  #open: (real: LocalStore) => void = () => undefined;
  readonly #opened = new Promise<LocalStore>((resolve) => (this.#open = resolve));
  readonly #settled = new Promise<void>((resolve) => (this.#settle = resolve));

  /** The database is open. Never rejects: what it does not take is remembered until the window closes. */
  async arrive(real: LocalStore): Promise<void> {
    this.#open(real);
    const moves = [...this.#ui].map(([key, value]) => real.putUi(key, value));
    this.#real = real;
    this.#settle();
    await Promise.allSettled(moves);
  }

  /** The database can't be opened for now: whoever waits goes on without. */
  fallBack(): void {
    this.#settle();
  }

  async getDraft(sessionId: string): ReturnType<LocalStore['getDraft']> {
    // Only the database knows.
    return (await this.#opened).getDraft(sessionId);
  }

  async putDraft(sessionId: string, draft: Parameters<LocalStore['putDraft']>[1]): Promise<void> {
    await (await this.#opened).putDraft(sessionId, draft);
  }

  async draftsAlone(): Promise<string[]> {
    return (await this.#opened).draftsAlone();
  }

  async getUi(key: string): Promise<unknown> {
    await this.#settled;
    return this.#real ? this.#real.getUi(key) : this.#ui.get(key);
  }

  async putUi(key: string, value: unknown): Promise<void> {
    await this.#settled;
    if (this.#real) await this.#real.putUi(key, value);
    else this.#ui.set(key, value);
  }

  async loadEntries(...wanted: Parameters<LocalStore['loadEntries']>): ReturnType<LocalStore['loadEntries']> {
    await this.#settled;
    return this.#real ? this.#real.loadEntries(...wanted) : [];
  }
}
