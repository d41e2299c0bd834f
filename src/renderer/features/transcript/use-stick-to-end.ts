import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

const EARLY = { passive: true, capture: true };

/**
 * Keeps the newest in view while the person reads there, whatever changes height: a card that opens, a row that goes, a
 * window made smaller, rows that are higher than they were taken for. `thresholdPx`: how near to the end counts as reading
 * there. Only scrolling up moves away from it. `readings`: changes when all rows were read anew; who read the newest reads the newest
 * again. Returns what goes to the end and stays there.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  thresholdPx: number,
  readings: number,
): () => void {
  const sticks = useRef(false);
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const distance = (): number => element.scrollHeight - element.clientHeight - element.scrollTop;
    sticks.current = distance() <= thresholdPx;
    let last = { top: element.scrollTop, height: element.scrollHeight };
    const onScroll = (): void => {
      const now = { top: element.scrollTop, height: element.scrollHeight };
      // Up by hand, however little, is a wish to stay there; a list that shrank is not.
      const isUp = now.top < last.top && now.height >= last.height;
      if (isUp) sticks.current = distance() <= 1;
      // Farther away without going up: rows were measured on the way, and the observer catches up.
      else sticks.current ||= distance() <= thresholdPx;
      last = now;
    };
    const observer = new ResizeObserver(() => {
      if (sticks.current && distance() > 0) element.scrollTop = element.scrollHeight;
    });
    // Before the list moves its rows: what is asked of the element then needs no layout of its own.
    element.addEventListener('scroll', onScroll, EARLY);
    observer.observe(content);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll, EARLY);
      observer.disconnect();
    };
  }, [scroller, thresholdPx]);

  const toEnd = useCallback(() => {
    sticks.current = true;
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller]);
  // The list keeps the row that was at the end where it was, and that move up is nobody's wish.
  useLayoutEffect(() => {
    if (sticks.current) toEnd();
  }, [readings, toEnd]);
  return toEnd;
}
