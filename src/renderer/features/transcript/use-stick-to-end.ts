import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { elementScroll, type Virtualizer } from '@tanstack/react-virtual';
import { holdEnd, type EndHold } from '../../parts/hold-end';

interface StickToEnd {
  /** Goes to the end and stays there. */
  toEnd(): void;
  /** The list is about to be moved at somebody's wish. */
  expectMove(): void;
  /** How the list moves its element. */
  scrollToFn: (offset: number, options: Parameters<typeof elementScroll>[1], list: List) => void;
}

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

interface StickOptions {
  scroller: RefObject<HTMLElement | null>;
  /** How near to the end counts as reading there. */
  thresholdPx: number;
  /** The list opens at its end. */
  startsAtEnd: boolean;
  /** Changes when all rows were read anew; who read the newest reads the newest again. */
  readings: number;
  /** Whether the end of the list is the end of what is laid out (TS15); the same function each time. */
  hasEnd: () => boolean;
  /** Hears whether the reader stays where they are though that is the end; the same function each time. */
  onStay: (stays: boolean) => void;
  /** Hears whether the reader is at the end; the same function each time. */
  onAtEnd: (isAtEnd: boolean) => void;
}

/**
 * Keeps the newest in view while the person reads there, whatever changes height: a card that opens, a row that goes, a
 * window made smaller, rows that are higher than they were taken for (TS1).
 */
export function useStickToEnd({
  scroller,
  thresholdPx,
  startsAtEnd,
  readings,
  hasEnd,
  onStay,
  onAtEnd,
}: StickOptions): StickToEnd {
  const hold = useRef<EndHold>(undefined);
  const mover = useRef<List>(undefined);
  // Before the effects that go to the end.
  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const onPlace = (distancePx: number): void => onAtEnd(distancePx <= thresholdPx);
    // What the list was told to do ends where a hand comes in: its last correction would stop a scroll that has just begun.
    const onHand = (): void => mover.current?.cancelScroll();
    const made = holdEnd(element, { content, thresholdPx, holds: startsAtEnd, hasEnd, onHand, onStay, onPlace });
    hold.current = made;
    return () => made.stop();
  }, [scroller, thresholdPx, startsAtEnd, hasEnd, onStay, onAtEnd]);
  // The list keeps the row that was at the end where it was, and that move up is nobody's wish.
  useLayoutEffect(() => hold.current?.again(), [readings]);
  return useState<StickToEnd>(() => ({
    toEnd: () => hold.current?.toEnd(),
    expectMove: () => hold.current?.expectMove(),
    scrollToFn(offset, options, list) {
      mover.current = list;
      hold.current?.excuseMove();
      elementScroll(offset, options, list);
    },
  }))[0];
}
