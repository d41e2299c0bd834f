import type { LocalStore } from '../state/local-store';

/**
 * A local store that can be used before the database is open: calls wait for it, and after `fallBack` go to memory. What
 * was put there meanwhile moves into the database when it comes after all; a draft that the database had is told first to who
 * asked for it (CM6).
 */
export class LateStore implements LocalStore {
  readonly #drafts = new Map<string, Parameters<LocalStore['putDraft']>[1]>();
  readonly #ui = new Map<string, unknown>();
  #real: LocalStore | null = null;
  #settle: () => void = () => undefined;
  /** Questions for drafts that only the database can answer. */
  #asked: ((real: LocalStore) => void)[] = [];
  readonly #settled = new Promise<void>((resolve) => (this.#settle = resolve));

  /** The database is open. Never rejects: a draft that it does not take stays where it was typed. */
  async arrive(real: LocalStore): Promise<void> {
    // Before what is moved takes their place.
    for (const answer of this.#asked.splice(0)) answer(real);
    const moves = [
      ...[...this.#drafts].map(([sessionId, draft]) => real.putDraft(sessionId, draft)),
      ...[...this.#ui].map(([key, value]) => real.putUi(key, value)),
    ];
    this.#real = real;
    this.#settle();
    await Promise.allSettled(moves);
  }

  /** The database can't be opened for now: whoever waits goes on without. */
  fallBack(): void {
    this.#settle();
  }

  async getDraft(sessionId: string): ReturnType<LocalStore['getDraft']> {
    await this.#settled;
    if (this.#real) return this.#real.getDraft(sessionId);
    const known = this.#drafts.get(sessionId);
    return known !== undefined
      ? known
      : new Promise((resolve) => this.#asked.push((real) => resolve(real.getDraft(sessionId))));
  }

  async putDraft(sessionId: string, draft: Parameters<LocalStore['putDraft']>[1]): Promise<void> {
    await this.#settled;
    if (this.#real) await this.#real.putDraft(sessionId, draft);
    else this.#drafts.set(sessionId, draft);
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
