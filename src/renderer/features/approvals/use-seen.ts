import { useEffect, useState, type RefObject } from 'react';
import type { ApprovalView } from '@shared/policy/approval-view';

/** Questions whose end was in view: a card that scrolled out of the list and back need not be read again. */
const seenRequests = new WeakSet<ApprovalView>();

/**
 * Whether the end of the text was on screen: inside the card's scroll, inside the transcript, inside the window. The browser measures
 * it, whatever the size and the zoom; what the head covers, which stays at the top of the transcript, is not seen. Until `isWhole` (all of it is drawn, or its sections are) nothing counts.
 */
export function useSeen(
  request: ApprovalView,
  end: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null>,
  isWhole: boolean,
): boolean {
  const [seen, setSeen] = useState(() => seenRequests.has(request));
  useEffect(() => {
    const element = end.current;
    if (seen || !isWhole || !element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // A row of one pixel: half of it is all that rounding may take.
        if (!entries.some((entry) => entry.isIntersecting && entry.intersectionRatio >= 0.5)) return;
        seenRequests.add(request);
        setSeen(true);
      },
      {
        root: element.closest('[data-transcript]'),
        rootMargin: `-${head.current?.offsetHeight ?? 0}px 0px 0px`,
        threshold: [0.5, 1],
      },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [end, head, isWhole, request, seen]);
  return seen;
}
