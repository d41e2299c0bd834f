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
  /** Hears that a hand is about to scroll. */
  onHand?: () => void;
  /** Whether the end of what is drawn is the end of all that there is; default: it is. */
  hasEnd?: () => boolean;
  /** It begins with a reader who stays where they are, as after `stayInPlace`. */
  stays?: boolean;
  /** Hears whether the reader stays where they are though that is the end (`stayInPlace`). */
  onStay?: (stays: boolean) => void;
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
const UP_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);
const DOWN_KEYS: ReadonlySet<string> = new Set(['ArrowDown', 'PageDown', 'End']);
/** How far from its end a scroller can stand that is at its end: a part of a pixel is rounded. */
const ROUNDING_PX = 0.5;
const EARLY = { passive: true, capture: true };
const WISHED_MOVE = 'espalier:wished-move';
const STAY = 'espalier:stay';

/** Tells whoever holds a scroller around an element at its end that the element is about to be brought into view at somebody's wish. */
export function announceMove(element: Element): void {
  element.dispatchEvent(new Event(WISHED_MOVE, { bubbles: true }));
}

/**
 * Tells whoever holds a scroller around an element at its end that the element is about to grow at somebody's wish, who reads it from
 * its beginning: the end takes them along no more until they scroll.
 */
export function stayInPlace(element: Element): void {
  element.dispatchEvent(new Event(STAY, { bubbles: true }));
}

/**
 * Holds a scroller at its end. Letting go takes a wish, and a smaller `scrollTop` alone is none: the browser lowers it by itself
 * whenever the list gets shorter or the room for it larger, if only until the next statement (a text field that measures itself, a
 * notice that goes and comes back), and the event that tells of it comes when all has its old size again; and a virtual list writes
 * the place that it knew before the room changed. So a move up counts when a hand was on the wheel, the keys, the scroll bar or the
 * glass, or when nothing that happened since the last frame can have caused it, as where a screen reader scrolls.
 */
export function holdEnd(
  element: HTMLElement,
  { content, holds, thresholdPx, hasEnd, onHand, stays = false, onStay, onPlace }: EndOptions,
): EndHold {
  let known = look();
  /** Until when what a hand began moves it up, and down. */
  let up = 0;
  let down = 0;
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
  const distance = (): number => (hasEnd?.() === false ? Infinity : known.most - known.top);

  /** `isResized`: a change of size is why it is looked at, and may be why it moved. */
  function judge(isResized = false): void {
    noteShapes(shapes.takeRecords());
    const now = look();
    const before = known;
    known = now;
    // A list that got shorter, or room that got larger, moved it that far.
    const upPx = Math.min(before.top, now.most) - now.top;
    const downPx = now.top - before.top;
    const isNobodys = (px: number): boolean => isResized || px <= excusedPx;
    if (upPx > 0 && (!holds || isByHand(up) || !isNobodys(upPx))) {
      holds = distance() <= (isByHand(up) ? ROUNDING_PX : 1);
    } else if (thresholdPx !== null && !stays) {
      // Who went up, however little, comes back by going down: what grows or shrinks meanwhile takes nobody along.
      const isNearer = now.most - now.top < before.most - before.top;
      const isDown = downPx > 0 && isNearer && (isByHand(down) || !isNobodys(downPx));
      holds ||= distance() <= (isDown ? thresholdPx : ROUNDING_PX);
    }
    if (holds) pin();
    onPlace?.(distance());
  }

  function setStays(value: boolean): void {
    if (value) holds = false;
    if (value !== stays) onStay?.(value);
    stays = value;
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

  const isByHand = (until: number): boolean => isPressed || performance.now() < until;
  function hand(isUp: boolean, isDown: boolean): void {
    const until = performance.now() + HAND_MS;
    up = isUp ? until : 0;
    down = isDown ? until : 0;
    setStays(false);
    onHand?.();
  }
  const eitherWay = (): void => hand(true, true);
  const onWheel = (event: WheelEvent): void => {
    if (event.deltaY !== 0 && !event.ctrlKey) hand(event.deltaY < 0, event.deltaY > 0);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') eitherWay();
    else if (UP_KEYS.has(event.key) || (event.key === ' ' && event.shiftKey)) hand(true, false);
    else if (DOWN_KEYS.has(event.key) || event.key === ' ') hand(false, true);
  };
  /** A press on the scroll bar is one on the scroller itself; elsewhere it may select and scroll so. */
  const onPress = (event: PointerEvent): void => {
    isPressed = true;
    const onBar = event.target === element;
    if (onBar) onHand?.();
    const end = new AbortController();
    const release = (now: PointerEvent): void => {
      if (now.type === 'pointermove' && now.buttons > 0) return;
      end.abort();
      isPressed = false;
      if (onBar) eitherWay();
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
  element.addEventListener('touchmove', eitherWay, listening);
  element.addEventListener('pointerdown', onPress, listening);

  const expectMove = (): void => {
    known = look();
    up = down = performance.now() + HAND_MS;
  };
  element.addEventListener(WISHED_MOVE, expectMove, listening);
  element.addEventListener(STAY, () => setStays(true), listening);

  const toEnd = (): void => {
    setStays(false);
    holds = true;
    up = 0;
    known = look();
    pin();
    onPlace?.(distance());
  };
  return {
    toEnd,
    // Nothing is handed back: an effect would take it for what ends it.
    again() {
      if (holds) toEnd();
    },
    settle() {
      if (holds) toEnd();
      holds = false;
    },
    expectMove,
    excuseMove: () => excuse(Infinity),
    stop() {
      gone.abort();
      shapes.disconnect();
      onResize.disconnect();
    },
  };
}
