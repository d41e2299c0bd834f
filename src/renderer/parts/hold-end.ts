/** A scroller that is kept at its end. */
export interface EndHold {
  /** Goes to the end and stays there, whatever grows, until the person scrolls up. */
  toEnd(): void;
  /** Goes to the end again if it is held there. */
  again(): void;
  /** What is there now is all that was waited for: goes to its end and lets go. */
  settle(): void;
  /** It is about to be moved at somebody's wish, as the person's hand would. */
  expectMove(): void;
  /** What draws the list has moved it by itself. */
  excuseMove(): void;
  stop(): void;
}

interface EndOptions {
  /** What grows in it. */
  content: Element;
  holds: boolean;
  /** How near to the end counts as being there; null: being there is no wish to stay. */
  thresholdPx: number | null;
  /** Hears how far from the end it stands, whenever that may have changed. */
  onPlace?: (distancePx: number) => void;
}

interface Place {
  top: number;
  /** How far it can be scrolled. */
  most: number;
}

/** How long what a hand began may take to move anything: the browser scrolls smoothly. */
const HAND_MS = 1_000;
const UP_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home', 'Tab']);
const EARLY = { passive: true, capture: true };

/**
 * Holds a scroller at its end. Letting go takes a wish, and a smaller `scrollTop` alone is none: the browser lowers it by itself
 * whenever the list gets shorter or the room for it larger, if only until the next statement (a text field that measures itself, a
 * notice that goes and comes back), and the event that tells of it comes when all has its old size again; and a virtual list writes
 * the place that it knew before the room changed. So a move up counts when a hand was on the wheel, the keys, the scroll bar or the
 * glass, or when nothing that happened since the last frame can have caused it, as where a screen reader scrolls.
 */
export function holdEnd(element: HTMLElement, { content, holds, thresholdPx, onPlace }: EndOptions): EndHold {
  let known = look();
  let handUntil = 0;
  let isPressed = false;
  /** How far something that is nobody's wish can have moved it since the last frame. */
  let excusedPx = 0;

  function look(): Place {
    return { top: element.scrollTop, most: element.scrollHeight - element.clientHeight };
  }
  function pin(): void {
    if (known.most - known.top > 0.5) element.scrollTop = element.scrollHeight;
    known = look();
  }
  const distance = (): number => known.most - known.top;

  /** `isResized`: a change of size is why it is looked at, and may be why it moved. */
  function judge(isResized = false): void {
    noteShapes(shapes.takeRecords());
    const now = look();
    // A list that got shorter, or room that got larger, moved it that far.
    const upPx = Math.min(known.top, now.most) - now.top;
    known = now;
    const isByHand = isPressed || performance.now() < handUntil;
    const isWish = upPx > 0 && (!holds || isByHand || (!isResized && upPx > excusedPx));
    if (isWish) holds = distance() <= 1;
    else if (thresholdPx !== null) holds ||= distance() <= thresholdPx;
    if (holds) pin();
    onPlace?.(distance());
  }

  /** Until the scroll events of the next frame were heard, which come before its callbacks. */
  function excuse(px: number): void {
    if (excusedPx === 0) requestAnimationFrame(() => (excusedPx = 0));
    excusedPx = Math.max(excusedPx, px);
  }
  function noteShapes(records: readonly MutationRecord[]): void {
    if (excusedPx === Infinity) return;
    for (const { target } of records) {
      if (target === content) return excuse(Infinity);
      if (excusedPx === 0 && !element.contains(target)) excuse(Math.max(1, window.innerHeight - element.clientHeight));
    }
  }
  const shapes = new MutationObserver(noteShapes);
  shapes.observe(document.body, { subtree: true, childList: true, attributeFilter: ['style', 'class', 'hidden'] });

  const onResize = new ResizeObserver(() => judge(true));
  onResize.observe(content);
  onResize.observe(element);

  const byHand = (): void => void (handUntil = performance.now() + HAND_MS);
  const onWheel = (event: WheelEvent): void => {
    if (event.deltaY < 0 && !event.ctrlKey) byHand();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (UP_KEYS.has(event.key) || (event.key === ' ' && event.shiftKey)) byHand();
  };
  /** A press on the scroll bar is one on the scroller itself; elsewhere it may select and scroll so. */
  const onPress = (event: PointerEvent): void => {
    isPressed = true;
    const onBar = event.target === element;
    const end = new AbortController();
    const release = (now: PointerEvent): void => {
      if (now.type === 'pointermove' && now.buttons > 0) return;
      end.abort();
      isPressed = false;
      if (onBar) byHand();
    };
    for (const type of ['pointerup', 'pointercancel', 'pointermove'] as const)
      window.addEventListener(type, release, { ...EARLY, signal: end.signal });
    gone.signal.addEventListener('abort', () => end.abort(), { signal: end.signal });
  };
  const gone = new AbortController();
  const listening = { ...EARLY, signal: gone.signal };
  // Before the list moves its rows: what is asked of the element then needs no layout of its own.
  element.addEventListener('scroll', (event) => event.target === element && judge(), listening);
  element.addEventListener('wheel', onWheel, listening);
  element.addEventListener('keydown', onKey, listening);
  element.addEventListener('touchmove', byHand, listening);
  element.addEventListener('pointerdown', onPress, listening);

  const toEnd = (): void => {
    holds = true;
    handUntil = 0;
    known = look();
    pin();
    onPlace?.(distance());
  };
  return {
    toEnd,
    again: () => holds && toEnd(),
    settle() {
      if (holds) toEnd();
      holds = false;
    },
    expectMove() {
      known = look();
      byHand();
    },
    excuseMove: () => excuse(Infinity),
    stop() {
      gone.abort();
      shapes.disconnect();
      onResize.disconnect();
    },
  };
}
