import { useSyncExternalStore } from 'react';
import { doesGraphFloat, isGraphShown, isSidebarOpen, searchWidth } from '../state/ui-store';
import { useUi } from '../state/hooks';

function subscribe(onChange: () => void): () => void {
  window.addEventListener('resize', onChange);
  return () => window.removeEventListener('resize', onChange);
}

/** Whether the graph is shown: as the person said, else where the window has room; not where the search needs that. */
export function useGraphOpen(): boolean {
  const layout = useUi((ui) => ui.layout);
  const sidebarInNarrow = useUi((ui) => ui.sidebarInNarrow);
  const searchOpen = useUi((ui) => ui.searchOpen);
  return useSyncExternalStore(subscribe, () =>
    isGraphShown({ layout, sidebarInNarrow, searchOpen }, window.innerWidth),
  );
}

/** Whether it lies over the transcript (WN22). */
export function useGraphFloats(): boolean {
  const layout = useUi((ui) => ui.layout);
  const sidebarInNarrow = useUi((ui) => ui.sidebarInNarrow);
  const searchOpen = useUi((ui) => ui.searchOpen);
  return useSyncExternalStore(subscribe, () =>
    doesGraphFloat({ layout, sidebarInNarrow, searchOpen }, window.innerWidth),
  );
}

/** Pixels of the search of all sessions. */
export function useSearchWidth(): number {
  return useSyncExternalStore(subscribe, () => searchWidth(window.innerWidth));
}

/** Whether the list of sessions is shown. */
export function useSidebarOpen(): boolean {
  const layout = useUi((ui) => ui.layout);
  const sidebarInNarrow = useUi((ui) => ui.sidebarInNarrow);
  return useSyncExternalStore(subscribe, () => isSidebarOpen({ layout, sidebarInNarrow }, window.innerWidth));
}
