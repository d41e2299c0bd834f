import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { ChosenFile } from '@shared/types';
import { AppError } from './failure';

/** Long enough for the last of many large files, which are imported one after the other. Milliseconds. */
const LIFE_MS = 60 * 60_000;
const MOST = 1000;

/**
 * Paths that a person chose, in a dialog of main or by dropping files, each under a handle for the page to speak of it. A handle
 * can't be guessed, works once and not for ever; the page never gives a path (docs/specs/safety.md C3).
 */
export class ChosenFiles {
  readonly #held = new Map<string, { path: string; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Keeps the paths; of more than 1,000 the newest. */
  offer(paths: readonly string[]): ChosenFile[] {
    const until = this.now() + LIFE_MS;
    const files = paths.slice(0, MOST).map((path) => {
      const handle = randomUUID();
      this.#held.set(handle, { path, until });
      return { handle, name: basename(path) };
    });
    for (const handle of [...this.#held.keys()].slice(0, Math.max(0, this.#held.size - MOST)))
      this.#held.delete(handle);
    return files;
  }

  /** The path behind a handle, which is used up. @throws AppError */
  take(handle: string): string {
    const file = this.#held.get(handle);
    this.#held.delete(handle);
    if (!file || file.until < this.now())
      throw new AppError('refused', 'Espalier no longer knows which file that was. Nothing was read; choose it again.');
    return file.path;
  }
}
