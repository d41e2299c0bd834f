import { useSyncExternalStore } from 'react';
import { formatMoment } from '../../state/format';

const TICK_MS = 60_000;

/** When something was, in words that stay true: past midnight a row that nothing else changes gets its day (TS12). Unix milliseconds. */
export function useMoment(then: number): string {
  return useSyncExternalStore(subscribe, () => formatMoment(then, Date.now()));
}

/** One clock for all rows. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(onChange: () => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(tell, TICK_MS);
    // A computer that slept has no tick behind it when somebody comes back.
    window.addEventListener('focus', tell);
  }
  listeners.add(onChange);
  return () => {
    listeners.delete(onChange);
    if (listeners.size > 0) return;
    clearInterval(timer);
    window.removeEventListener('focus', tell);
  };
}

/** A length of time in words: `0.2 s`, `14 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
