import { useLayoutEffect, useRef } from 'react';
import { announceMove } from '../../parts/hold-end';

interface KeptPlaceOptions {
  /** So far from the edges of the list it is brought, if it is not seen; none: it stays where it is. Pixels. */
  edgePx?: number;
  /** Not where somebody reads at the end: the list itself keeps that. */
  exceptAtEnd?: boolean;
}

/** Keeps an element where it is on screen over the next commit, which makes what is above it shorter: what is read below it stays. */
export function useKeptPlace({
  edgePx = -Infinity,
  exceptAtEnd = false,
}: KeptPlaceOptions): (element: Element) => void {
  const kept = useRef<{ element: Element; top: number }>(undefined);
  useLayoutEffect(() => {
    const { element, top } = kept.current ?? {};
    kept.current = undefined;
    const scroller = element?.closest('[data-transcript]');
    if (!element || !scroller || top === undefined) return;
    if (exceptAtEnd && scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= 1) return;
    const bounds = scroller.getBoundingClientRect();
    const wanted = Math.min(bounds.bottom - edgePx, Math.max(bounds.top + edgePx, top));
    const movedPx = element.getBoundingClientRect().top - wanted;
    if (Math.abs(movedPx) < 0.5) return;
    announceMove(element);
    scroller.scrollTop += movedPx;
  });
  return (element) => (kept.current = { element, top: element.getBoundingClientRect().top });
}
