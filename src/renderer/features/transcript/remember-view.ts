import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';

/** Sessions whose reading place is kept while the app runs. */
const MAX_KEPT = 20;

interface RememberedView {
  offset: number;
  sizes: VirtualItem[];
}

const views = new Map<string, RememberedView>();

/** Where the person was reading, unless that was the end. */
export function rememberedView(sessionId: string): RememberedView | null {
  return views.get(sessionId) ?? null;
}

/** Keeps place and measured heights of a list that goes away. */
export function rememberView(
  sessionId: string,
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>,
  thresholdPx: number,
): void {
  views.delete(sessionId);
  if (virtualizer.scrollOffset === null || virtualizer.isAtEnd(thresholdPx)) return;
  views.set(sessionId, { offset: virtualizer.scrollOffset, sizes: virtualizer.takeSnapshot() });
  const oldest = views.size > MAX_KEPT ? views.keys().next().value : undefined;
  if (oldest !== undefined) views.delete(oldest);
}
