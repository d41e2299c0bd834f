import { useSyncExternalStore } from 'react';

/** Replies whose earlier attempts are open, while the app runs. */
const MAX_KEPT = 1_000;
/** Attempts that are drawn when a fold opens, and that one press shows more. */
export const PAGE_ATTEMPTS = 20;
/** Of one reply so many are drawn at most: each press lays all of them out. */
export const MOST_ATTEMPTS = 200;

/** Which reply: its session, and the entry of the first of its attempts, whose id other sessions may have too. */
export interface AttemptsKey {
  sessionId: string;
  firstId: string;
}

/** The attempts that are drawn of an open fold, by their places among all: `to` is the first behind them. */
export interface ShownAttempts {
  from: number;
  to: number;
}

const opened = new Map<string, ShownAttempts>();
const listeners = new Set<() => void>();

const keyOf = ({ sessionId, firstId }: AttemptsKey): string => `${sessionId}\n${firstId}`;

/** Opens the earlier attempts of a reply so that the one at `at` (from 0) is drawn; of more than a page the others are not. */
export function openAttempts(key: AttemptsKey, at = 0): void {
  const shown = shownAttempts(key);
  if (shown && at >= shown.from && at < shown.to) return;
  const from = at - (at % PAGE_ATTEMPTS);
  keep(key, { from, to: from + PAGE_ATTEMPTS });
}

/** Draws a page more of an open fold: those before what is drawn, or those behind it. Beyond `MOST_ATTEMPTS` those at the other end go. */
export function showMoreAttempts(key: AttemptsKey, where: 'before' | 'behind'): void {
  const shown = shownAttempts(key);
  if (!shown) return;
  const from = where === 'before' ? Math.max(0, shown.from - PAGE_ATTEMPTS) : shown.from;
  const to = where === 'behind' ? shown.to + PAGE_ATTEMPTS : shown.to;
  if (where === 'before') keep(key, { from, to: Math.min(to, from + MOST_ATTEMPTS) });
  else keep(key, { from: Math.max(from, to - MOST_ATTEMPTS), to });
}

export function closeAttempts(key: AttemptsKey): void {
  keep(key, null);
}

function keep(key: AttemptsKey, shown: ShownAttempts | null): void {
  const name = keyOf(key);
  opened.delete(name);
  if (shown) opened.set(name, shown);
  const oldest = opened.size > MAX_KEPT ? opened.keys().next().value : undefined;
  if (oldest !== undefined) opened.delete(oldest);
  for (const listener of listeners) listener();
}

/** Which of them are drawn; null: they are folded. The same object until that changes. */
export function shownAttempts(key: AttemptsKey): ShownAttempts | null {
  return opened.get(keyOf(key)) ?? null;
}

/** The same, drawn anew when it changes. */
export function useShownAttempts(key: AttemptsKey): ShownAttempts | null {
  return useSyncExternalStore(subscribe, () => shownAttempts(key));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
