import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

const isDark = (): boolean => document.documentElement.dataset.theme === 'dark';

/** Whether the dark theme is on, from `<html data-theme>`. */
export function useDarkTheme(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}
