import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { elementScroll, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { announceMove, type EndHold, holdEnd } from '../../parts/hold-end';

interface StickToEnd {
  /** Goes to the end and stays there. */
  toEnd(): void;
  /** The list is about to be moved at somebody's wish. */
  expectMove(): void;
  /** The row that somebody was led to stays where it is, whatever heights come out around it, until they do something there. */
  keep(key: string): void;
  /** What changes height above the reader moves nothing of what they read, also where it comes while they go up (TS14). */
  isAbove(item: VirtualItem, list: List): boolean;
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
  /** The key of the row that it opens for, to be read; null: there is none. */
  startsAt: string | null;
  /** Changes when all rows were read anew; who read the newest reads the newest again. */
  readings: number;
  /** Whether the end of the list is the end of what is laid out (TS15); the same function each time. */
  hasEnd: () => boolean;
  /** Hears whether the reader stays where they are though that is the end; the same function each time. */
  onStay: (stays: boolean) => void;
  /** Hears whether the reader is at the end; the same function each time. */
  onAtEnd: (isAtEnd: boolean) => void;
}

const HANDS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Keeps the newest in view while the person reads there, whatever changes height: a card that opens, a row that goes, a
 * window made smaller, rows that are higher than they were taken for (TS1).
 */
export function useStickToEnd({
  scroller,
  thresholdPx,
  startsAtEnd,
  startsAt,
  readings,
  hasEnd,
  onStay,
  onAtEnd,
}: StickOptions): StickToEnd {
  const hold = useRef<EndHold>(undefined);
  const mover = useRef<List>(undefined);
  const kept = useRef(startsAt);
  const isLed = useState(startsAt !== null)[0];
  // Before the effects that go to the end.
  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const onPlace = (distancePx: number): void => onAtEnd(distancePx <= thresholdPx);
    // What the list was told to do ends where a hand comes in: its last correction would stop a scroll that has just begun.
    const onHand = (): void => mover.current?.cancelScroll();
    const holds = { content, thresholdPx, holds: startsAtEnd, stays: isLed };
    const made = holdEnd(element, { ...holds, hasEnd, onHand, onStay, onPlace });
    hold.current = made;
    // What they open there themselves is read from its beginning.
    const letGo = (): void => void (kept.current = null);
    for (const type of HANDS) element.addEventListener(type, letGo, { capture: true, passive: true });
    return () => {
      made.stop();
      for (const type of HANDS) element.removeEventListener(type, letGo, { capture: true });
    };
  }, [scroller, thresholdPx, startsAtEnd, isLed, hasEnd, onStay, onAtEnd]);
  // The list keeps the row that was at the end where it was, and that move up is nobody's wish.
  useLayoutEffect(() => hold.current?.again(), [readings]);
  return useState<StickToEnd>(() => ({
    toEnd() {
      kept.current = null;
      hold.current?.toEnd();
    },
    expectMove: () => hold.current?.expectMove(),
    keep: (key) => void (kept.current = key),
    isAbove(item, { itemSizeCache, scrollOffset, getVirtualItems }) {
      const top = scrollOffset ?? 0;
      const led = kept.current === null ? undefined : getVirtualItems().find(({ key }) => key === kept.current);
      if (led && led.end > top) return item.index < led.index;
      return (itemSizeCache.has(item.key) ? item.end : item.start + 1) <= top;
    },
    scrollToFn(offset, options, list) {
      mover.current = list;
      hold.current?.excuseMove();
      elementScroll(offset, options, list);
    },
  }))[0];
}

/**
 * To be called where rows came in above. A list that was to go further down than its end keeps that place in mind until it is tall enough
 * (virtual-core 3.19, `_clampedAdjustment`), but counts it from its old beginning: grown at the top, it would go there, far above what is
 * read. It offers no other way to forget it.
 */
export function forgetBeyondEnd(list: List): void {
  if ('_clampedAdjustment' in list) Object.assign(list, { _clampedAdjustment: null });
}

/** Sessions whose reading place is kept while the app runs. */
const MAX_KEPT = 20;

interface Reading {
  /** The row at the upper edge, and how many pixels of it are above that. */
  key: string;
  into: number;
  sizes: VirtualItem[];
}

const views = new Map<string, Reading>();

interface RememberedView extends Reading {
  /** Where the row is now. */
  index: number;
  heights: ReadonlyMap<unknown, number>;
}

/** Where the person was reading, unless that was the end or is no longer there. */
export function rememberedView(sessionId: string, items: readonly { key: string }[]): RememberedView | null {
  const view = views.get(sessionId);
  const index = view ? items.findIndex((item) => item.key === view.key) : -1;
  if (!view || index < 0) return null;
  return { ...view, index, heights: new Map(view.sizes.map(({ key, size }) => [key, size])) };
}

/** Keeps place and measured heights of a list that goes away. */
export function rememberView(
  sessionId: string,
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>,
  isAtEnd: boolean,
): void {
  views.delete(sessionId);
  const { scrollOffset } = virtualizer;
  const first = scrollOffset === null || isAtEnd ? undefined : virtualizer.getVirtualItemForOffset(scrollOffset);
  if (scrollOffset === null || typeof first?.key !== 'string') return;
  views.set(sessionId, { key: first.key, into: scrollOffset - first.start, sizes: virtualizer.takeSnapshot() });
  const oldest = views.size > MAX_KEPT ? views.keys().next().value : undefined;
  if (oldest !== undefined) views.delete(oldest);
}

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
