import { useCallback, useEffect, useRef, useState } from 'react';
import type { PointerEvent, RefObject } from 'react';

/** Nearer than this to an edge of the list a drag scrolls it, pixels. */
const EDGE_PX = 28;
/** Pixels a frame: at first, and at most after a while at the edge, so that long sessions can be crossed. */
const SLOW_PX = 4;
const FAST_PX = 400;
const DOUBLES_MS = 600;

export interface Drag {
  isDragging: boolean;
  /** The pointer was pressed elsewhere: the drag goes on here. @param y where it is, from the top of the window */
  begin: (element: HTMLElement, pointerId: number, y: number) => void;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  onPointerUp: (event: PointerEvent<HTMLElement>) => void;
}

/**
 * Drags something up and down in a scrolled list; at the edges the list scrolls along.
 * @param onMove gets the pointer's place in the list's content, pixels from its top
 */
export function useDrag(scroller: RefObject<HTMLElement | null>, onMove: (y: number) => void): Drag {
  const [isDragging, setDragging] = useState(false);
  const pointerY = useRef(0);
  const move = useRef(onMove);
  useEffect(() => void (move.current = onMove));

  const tell = useCallback(() => {
    const list = scroller.current;
    if (!list) return;
    const { top, bottom } = list.getBoundingClientRect();
    const y = Math.max(top, Math.min(bottom, pointerY.current));
    move.current(y - top + list.scrollTop);
  }, [scroller]);

  useEffect(() => {
    if (!isDragging) return;
    let frame = 0;
    let since: number | null = null;
    const step = (now: number): void => {
      frame = requestAnimationFrame(step);
      const list = scroller.current;
      const by = list ? pull(list.getBoundingClientRect(), pointerY.current) : 0;
      if (!list || by === 0) {
        since = null;
        return;
      }
      since ??= now;
      const speed = Math.min(FAST_PX, SLOW_PX * 2 ** ((now - since) / DOUBLES_MS));
      list.scrollTop += by * speed;
      tell();
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [isDragging, scroller, tell]);

  const begin = useCallback((element: HTMLElement, pointerId: number, y: number): void => {
    element.setPointerCapture(pointerId);
    pointerY.current = y;
    setDragging(true);
  }, []);

  return {
    isDragging,
    begin,
    onPointerDown(event) {
      if (event.button === 0) begin(event.currentTarget, event.pointerId, event.clientY);
    },
    onPointerMove(event) {
      if (!isDragging) return;
      pointerY.current = event.clientY;
      tell();
    },
    onPointerUp: () => setDragging(false),
  };
}

/** −1 to 1: how strongly a pointer near or beyond an edge pulls. */
function pull({ top, bottom }: DOMRect, y: number): number {
  const over = y < top + EDGE_PX ? y - (top + EDGE_PX) : y > bottom - EDGE_PX ? y - (bottom - EDGE_PX) : 0;
  return Math.max(-1, Math.min(1, over / EDGE_PX));
}
