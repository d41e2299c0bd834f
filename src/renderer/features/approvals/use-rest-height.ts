import { useLayoutEffect, type RefObject } from 'react';

/**
 * Keeps, as `--rest` of the card, the pixels that it takes beside its text: head, what stands out, answers. The text gets what is left of
 * the transcript, so that its start and the answers are in view together.
 */
export function useRestHeight(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    const measure = (): void => {
      const text = element.querySelector<HTMLElement>(':scope > [role="region"]');
      if (text) element.style.setProperty('--rest', `${element.offsetHeight - text.offsetHeight}px`);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [card]);
}
