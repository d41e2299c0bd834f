import { useSyncExternalStore } from 'react';

/** Replies whose earlier attempts are open, by the first of these, while the app runs. */
const MAX_KEPT = 1_000;
const opened = new Set<string>();
const listeners = new Set<() => void>();

/** Opens or closes the earlier attempts of a reply, drawn or not. `firstId`: the entry of the first of them. */
export function keepAttemptsOpen(firstId: string, isOpen: boolean): void {
  opened.delete(firstId);
  if (isOpen) opened.add(firstId);
  const oldest = opened.size > MAX_KEPT ? opened.values().next().value : undefined;
  if (oldest !== undefined) opened.delete(oldest);
  for (const listener of listeners) listener();
}

/** Whether they are open; drawn anew when that changes. */
export function useAttemptsOpen(firstId: string): boolean {
  return useSyncExternalStore(subscribe, () => opened.has(firstId));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
