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
