import { useEffect, useRef, type RefObject } from 'react';
import { useApp, useSession } from '../../state/hooks';
import { useTourMark } from '../tour/use-tour-mark';
import type { TranscriptItem } from '../../state/group-rows';

/** A session that was just opened is still read and measured, which takes the list to its end again. */
const SETTLES_MS = 3_000;
const LOOK_MS = 250;

/** The tour opens at its cut line, and each coach mark there is brought into view once (WN18). */
export function useTourStart(
  items: readonly TranscriptItem[],
  isRemembered: boolean,
  scroller: RefObject<HTMLElement | null>,
): void {
  const app = useApp();
  const { id: sessionId } = useSession();
  const mark = useTourMark();
  const isAtCut = mark === 'cut' || mark === 'undo';
  const cut = isAtCut ? items.find((item) => item.kind === 'cut') : undefined;
  const entryId = cut?.kind === 'cut' ? cut.row.id : null;
  /** The mark that was brought into view, and until when it is looked after. */
  const shown = useRef<{ place: string; until: number } | null>(null);
  useEffect(() => {
    const place = entryId && `${mark} ${entryId}`;
    if (!place) return;
    const show = (): void => app.ui.setState({ arrival: { sessionId, entryId, isStart: true } });
    if (shown.current?.place !== place) {
      const isLeft = shown.current === null && isRemembered;
      shown.current = { place, until: isLeft ? 0 : performance.now() + SETTLES_MS };
      if (!isLeft) show();
    }
    const left = shown.current.until - performance.now();
    if (left <= 0) return;
    const onHand = (): void => {
      shown.current = { place, until: 0 };
    };
    return untilTouched(left, onHand, () => {
      if (!isInView(scroller.current)) show();
    });
  }, [app, entryId, isRemembered, mark, scroller, sessionId]);
}

/** Calls `look` for a while, but no longer than the person keeps their hands off. Gives the way to end it. */
function untilTouched(ms: number, onHand: () => void, look: () => void): () => void {
  const timer = setInterval(look, LOOK_MS);
  const end = new AbortController();
  const stop = (): void => {
    clearInterval(timer);
    end.abort();
  };
  const touched = (): void => {
    stop();
    onHand();
  };
  const late = setTimeout(stop, ms);
  end.signal.addEventListener('abort', () => clearTimeout(late));
  for (const hand of ['wheel', 'pointerdown', 'keydown'] as const)
    addEventListener(hand, touched, { capture: true, passive: true, signal: end.signal });
  return stop;
}

function isInView(scroller: HTMLElement | null): boolean {
  const mark = scroller?.querySelector('[data-coach]')?.getBoundingClientRect();
  const frame = scroller?.getBoundingClientRect();
  return mark !== undefined && frame !== undefined && mark.bottom > frame.top && mark.top < frame.bottom;
}
