import { useSyncExternalStore } from 'react';
import { isGraphOpen } from '../state/ui-store';
import { useUi } from '../state/hooks';

function subscribe(onChange: () => void): () => void {
  window.addEventListener('resize', onChange);
  return () => window.removeEventListener('resize', onChange);
}

/** Whether the graph is shown: as the person said, else where the window has room. */
export function useGraphOpen(): boolean {
  const layout = useUi((ui) => ui.layout);
  return useSyncExternalStore(subscribe, () => isGraphOpen(layout, window.innerWidth));
}
