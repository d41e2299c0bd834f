import { useSyncExternalStore } from 'react';

const read = (): boolean => document.documentElement.dataset.theme === 'dark';

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The theme on screen: what is painted must be painted anew when it changes. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, read);
}
