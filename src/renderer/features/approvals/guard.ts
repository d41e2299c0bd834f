import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ApprovalView } from '@shared/policy/approval';

/** Pixels inside the edge: a border may be rounded. */
const INSET_PX = 8;
const HEIGHTS = [0.25, 0.5, 0.75];

/** Whether something lies over one side of a card from top to bottom, such as a pane that floats: then not all of its text can be read. */
function isCovered(card: HTMLElement): boolean {
  const box = card.getBoundingClientRect();
  const list = card.closest('[data-transcript]')?.getBoundingClientRect();
  const top = Math.max(box.top, list?.top ?? 0, 0);
  const height = Math.min(box.bottom, list?.bottom ?? Number.POSITIVE_INFINITY, window.innerHeight) - top;
  // What is not on screen is nothing that lies below something.
  if (height <= 0) return false;
  return [box.left + INSET_PX, box.right - INSET_PX].some((x) =>
    HEIGHTS.every((part) => !card.contains(document.elementFromPoint(x, top + height * part))),
  );
}

/** How long a card must have stood still before an answer counts: nobody reads and decides in less. */
export const STILL_MS = 500;
const SAMPLE_MS = 100;
/** Rounding of a zoomed window, no movement. */
const SLACK_PX = 3;

/**
 * Whether answers count: the card has been drawn, in its place, with these answers, with nothing over it and in the front window for half
 * a second. A press that was meant for what stood there before, or that was on its way when the text changed, does nothing. `check` says
 * it for this very moment; `isClear`: nothing lies over it.
 */
export function useGuard(
  card: RefObject<HTMLElement | null>,
  isActive: boolean,
  answers: string,
): { isReady: boolean; isClear: boolean; check(): boolean } {
  const [isReady, setReady] = useState(false);
  const [isClear, setClear] = useState(false);
  const since = useRef(Number.POSITIVE_INFINITY);
  const place = useRef<{ left: number; bottom: number } | null>(null);

  /** Looks where the card is and what lies over it; both start the time anew. */
  const look = useCallback((): void => {
    if (!card.current) return;
    const box = card.current.getBoundingClientRect();
    const before = place.current;
    const moved =
      !before || Math.abs(before.left - box.left) > SLACK_PX || Math.abs(before.bottom - box.bottom) > SLACK_PX;
    const covered = isCovered(card.current);
    setClear(!covered);
    if (moved || covered) since.current = performance.now();
    place.current = { left: box.left, bottom: box.bottom };
  }, [card]);

  const check = useCallback((): boolean => {
    look();
    return isActive && performance.now() - since.current >= STILL_MS;
  }, [isActive, look]);

  // Other answers in the place of those that a hand was on its way to: no press comes between them and this.
  useLayoutEffect(() => {
    place.current = null;
    setReady(false);
  }, [answers]);

  useEffect(() => {
    place.current = null;
    setReady(false);
    look();
    const restart = (): void => {
      place.current = null;
      setReady(false);
    };
    const timer = setInterval(() => setReady(check()), SAMPLE_MS);
    window.addEventListener('focus', restart);
    document.addEventListener('visibilitychange', restart);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', restart);
      document.removeEventListener('visibilitychange', restart);
    };
  }, [look, check]);
  return { isReady, isClear, check };
}

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
