import type { TerminalFrame } from '@shared/extensions/terminal';

/** What one extension of one session may ask of main, and tell it. Throws and rejects with “stale” once its session or code was replaced. */
export interface MainLink {
  /** An action on the session (`SessionDoor`), or a question to the person. */
  ask(what: 'door' | 'ui', method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /** A notice for the person. Of many some are told, the last among them, and the others counted. */
  notify(text: unknown, level: unknown): void;
  /** What needs no answer. Bounded in its rate: what is told too often is left out and reported once. */
  tell(what: 'ui', method: string, args: readonly unknown[]): void;
  /**
   * State that only its last value matters of: many changes are a few.
   * @param isGone nothing is shown under this key any more
   */
  show(key: string, method: string, args: readonly unknown[], isGone?: boolean): void;
  /** What is held back is told now. */
  settle(): void;
  /** What a terminal view shows now. Its owner bounds how often. */
  draw(view: string, frame: TerminalFrame): void;
  /** What went wrong where no event can say so. */
  report(event: string, error: unknown): void;
  /** Its handlers, tools or commands are others now. */
  registered(): void;
  assertFresh(): void;
}
