import type { Notice } from '@shared/types';
import type { AskConsent, ShowConsent } from './consent';

const WINDOW_MS = 60_000;

/** How many cancelled questions of one kind, and of all kinds together, are enough for a minute. */
export interface Patience {
  ofKind: number;
  inAll: number;
}

/**
 * Counts the questions that a person cancelled. A page that has gone wrong must not ask until somebody tired says yes: after two
 * of a kind, or four of any, within a minute nothing is asked for a minute (docs/specs/safety.md C3).
 */
export class AskLimit {
  #cancelled: { kind: string; at: number }[] = [];
  readonly #restUntil = new Map<string, number>();

  constructor(
    private readonly patience: Patience = { ofKind: 2, inAll: 4 },
    private readonly now: () => number = Date.now,
  ) {}

  mayAsk(kind: string): boolean {
    return Math.max(this.#restUntil.get(kind) ?? 0, this.#restUntil.get('') ?? 0) <= this.now();
  }

  /** A question of this kind was cancelled. */
  cancelled(kind: string): void {
    const now = this.now();
    this.#cancelled = [...this.#cancelled.filter(({ at }) => at > now - WINDOW_MS), { kind, at: now }];
    const ofKind = this.#cancelled.filter((one) => one.kind === kind).length;
    if (ofKind >= this.patience.ofKind) this.#restUntil.set(kind, now + WINDOW_MS);
    if (this.#cancelled.length >= this.patience.inAll) this.#restUntil.set('', now + WINDOW_MS);
  }
}

/** For boxes and dialogs of the system, which people open and close themselves: links, files. */
export const DIALOG_PATIENCE: Patience = { ofKind: 3, inAll: 6 };

/** Asks something of a kind: null is a "no", undefined was never shown. Resolves to null where nothing is asked any more. */
export type Patiently = <T>(kind: string, ask: () => Promise<T | null | undefined>) => Promise<T | null>;

/**
 * Asks no more than a person has patience for. While it rests the answer is null, and `onRest` is told so that it can be said. A
 * question that was never shown tried nobody's patience.
 */
export function patience(onRest: () => void, limit = new AskLimit()): Patiently {
  let told = false;
  return async (kind, ask) => {
    if (!limit.mayAsk(kind)) {
      if (!told) onRest();
      told = true;
      return null;
    }
    told = false;
    const answer = await ask();
    if (answer === null) limit.cancelled(kind);
    return answer ?? null;
  };
}

/** The same for main's own questions. */
export function limitQuestions(ask: ShowConsent, onRest: () => void, limit = new AskLimit()): AskConsent {
  const patiently = patience(onRest, limit);
  return (question) => patiently(question.kind, () => ask(question));
}

/** What the window says while nothing is asked. */
export const RESTING: Notice = {
  level: 'info',
  code: 'asking-rests',
  text: 'Espalier won’t ask again for a minute',
  detail: 'You cancelled several times. Nothing was changed. If you do want this, try again in a minute.',
};
