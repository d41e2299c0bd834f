import { useSyncExternalStore } from 'react';

/** As in the style sheets: CSS pixels, so that a zoomed window counts as the smaller one that it is. */
const LOW = '(max-height: 700px)';

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(LOW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the window has so little height that what stands around the transcript has to fold. */
export function useLowWindow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(LOW).matches);
}
