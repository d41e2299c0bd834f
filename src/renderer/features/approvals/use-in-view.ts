import { useEffect, useSyncExternalStore, type RefObject } from 'react';

/** Pixels of a card that must be seen for it to count as on screen: its title. */
const SEEN_PX = 40;

/** Questions whose card is on screen. */
const inView = new Set<string>();
const listeners = new Set<() => void>();

function note(id: string, isSeen: boolean): void {
  if (inView.has(id) === isSeen) return;
  if (isSeen) inView.add(id);
  else inView.delete(id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notes whether the card of a question is on screen. A row that the list has taken away is not. */
export function useNoteInView(id: string, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = card.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => note(id, entries.at(-1)?.isIntersecting === true), {
      root: element.closest('[data-transcript]'),
      rootMargin: `-${SEEN_PX}px 0px`,
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      note(id, false);
    };
  }, [id, card]);
}

export function useIsInView(id: string | undefined): boolean {
  return useSyncExternalStore(subscribe, () => id !== undefined && inView.has(id));
}
