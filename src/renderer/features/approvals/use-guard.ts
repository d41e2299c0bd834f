import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { isCovered } from './covered';

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
