import { useEffect, useState, type RefObject } from 'react';
import type { ApprovalView } from '@shared/policy/approval';

type Side = 'start' | 'end';

/** Milliseconds that the start must stand in view: a list that goes to its end shows it for a frame, and nobody sees it. */
const START_MS = 60;

/** What of a question was in view: a card that scrolled out of the list and back need not be read again. */
const seenOf = new WeakMap<ApprovalView, Set<Side>>();

/**
 * Whether both ends of the text were on screen: inside the card's scroll, inside the transcript, inside the window. The browser measures
 * it, whatever the size and the zoom; what the head covers, which stays at the top of the transcript, is not seen.
 * @param isBegun its beginning is drawn, and nothing lies over it
 * @param isWhole all of it is drawn, or its sections are: the end does not count before
 * @returns which end is missing; null: none
 */
export function useUnseen(
  request: ApprovalView,
  start: RefObject<HTMLElement | null>,
  end: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null>,
  isBegun: boolean,
  isWhole: boolean,
): Side | null {
  const isStartSeen = useSide('start', request, start, head, isBegun);
  const isEndSeen = useSide('end', request, end, head, isWhole);
  return !isStartSeen ? 'start' : isEndSeen ? null : 'end';
}

function useSide(
  side: Side,
  request: ApprovalView,
  place: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null>,
  counts: boolean,
): boolean {
  const [seen, setSeen] = useState(() => seenOf.get(request)?.has(side) ?? false);
  useEffect(() => {
    const element = place.current;
    if (seen || !counts || !element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = (): void => {
      seenOf.set(request, (seenOf.get(request) ?? new Set()).add(side));
      setSeen(true);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        // A row of one pixel: half of it is all that rounding may take.
        const isSeen = last?.isIntersecting === true && last.intersectionRatio >= 0.5;
        if (isSeen && side === 'end') note();
        else if (isSeen) timer ??= setTimeout(note, START_MS);
        else {
          clearTimeout(timer);
          timer = undefined;
        }
      },
      {
        root: element.closest('[data-transcript]'),
        rootMargin: `-${head.current?.offsetHeight ?? 0}px 0px 0px`,
        threshold: [0.5, 1],
      },
    );
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [place, head, counts, request, seen, side]);
  return seen;
}
