import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';

/** Sessions whose reading place is kept while the app runs. */
const MAX_KEPT = 20;

interface Reading {
  /** The row at the upper edge, and how many pixels of it are above that. */
  key: string;
  into: number;
  sizes: VirtualItem[];
}

const views = new Map<string, Reading>();

interface RememberedView extends Reading {
  /** Where the row is now. */
  index: number;
  heights: ReadonlyMap<unknown, number>;
}

/** Where the person was reading, unless that was the end or is no longer there. */
export function rememberedView(sessionId: string, items: readonly { key: string }[]): RememberedView | null {
  const view = views.get(sessionId);
  const index = view ? items.findIndex((item) => item.key === view.key) : -1;
  if (!view || index < 0) return null;
  return { ...view, index, heights: new Map(view.sizes.map(({ key, size }) => [key, size])) };
}

/** Keeps place and measured heights of a list that goes away. */
export function rememberView(
  sessionId: string,
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>,
  isAtEnd: boolean,
): void {
  views.delete(sessionId);
  const { scrollOffset } = virtualizer;
  const first = scrollOffset === null || isAtEnd ? undefined : virtualizer.getVirtualItemForOffset(scrollOffset);
  if (scrollOffset === null || typeof first?.key !== 'string') return;
  views.set(sessionId, { key: first.key, into: scrollOffset - first.start, sizes: virtualizer.takeSnapshot() });
  const oldest = views.size > MAX_KEPT ? views.keys().next().value : undefined;
  if (oldest !== undefined) views.delete(oldest);
}
