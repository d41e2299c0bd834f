import { useSyncExternalStore } from 'react';
import { formatMoment } from '../../state/format';

const TICK_MS = 60_000;

/** When something was, in words that stay true: past midnight a row that nothing else changes gets its day (TS12). Unix milliseconds. */
export function useMoment(then: number): string {
  return useSyncExternalStore(subscribe, () => formatMoment(then, Date.now()));
}

/** A computer that slept has no tick behind it when somebody comes back. */
function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, TICK_MS);
  window.addEventListener('focus', onChange);
  return () => {
    clearInterval(timer);
    window.removeEventListener('focus', onChange);
  };
}
