import { useEffect, type RefObject } from 'react';

/**
 * Keeps the newest in view while the person reads there, whatever changes height: a card that opens, a row that goes, a
 * window made smaller. `thresholdPx`: how near to the end counts as reading there. Only scrolling moves away from it.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, thresholdPx: number): void {
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const distance = (): number => element.scrollHeight - element.clientHeight - element.scrollTop;
    let sticks = distance() <= thresholdPx;
    let last = { top: element.scrollTop, height: element.scrollHeight };
    const onScroll = (): void => {
      const now = { top: element.scrollTop, height: element.scrollHeight };
      // Up by hand, however little, is a wish to stay there; a list that shrank is not.
      const isUp = now.top < last.top && now.height >= last.height;
      sticks = distance() <= (isUp ? 1 : thresholdPx);
      last = now;
    };
    const observer = new ResizeObserver(() => {
      if (sticks && distance() > 0) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener('scroll', onScroll, { passive: true });
    observer.observe(content);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [scroller, thresholdPx]);
}
