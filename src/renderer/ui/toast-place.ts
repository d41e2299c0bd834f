import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { visibleString } from '@shared/policy/visible-text';

/** Given to the element that makes room for short messages where nothing is moved by them: above the foot of the sidebar. */
export const TOAST_SLOT = { 'data-toast-slot': '' };

/** Narrower than that, lines of a toast hold two words. */
const MIN_WIDTH_PX = 180;
/** Characters of all of them, some twelve lines: more would take the height of the list of sessions. */
const MAX_CHARS = 320;
const MAX_ITEMS = 3;

/** Where toasts stand in the slot: pixels of the window. */
export interface SlotPlace {
  left: number;
  bottom: number;
  width: number;
}

/** Whether toasts are few and short enough for the slot (GR25), by what is drawn of them: an escape is longer than what it stands for. */
export function fitsSlot(items: readonly { text: string; action?: { label: string } }[]): boolean {
  try {
    const drawn = items.map(({ text, action }) => visibleString(text).length + (action?.label.length ?? 0));
    return items.length <= MAX_ITEMS && drawn.reduce((sum, length) => sum + length, 0) <= MAX_CHARS;
  } catch {
    // Its row says that it can't be drawn; here it would take the window with it.
    return false;
  }
}

/**
 * Where toasts stand (GR25): few and short ones in the slot, others (null) in a strip below the window, which makes everything give
 * way; so do all of them while the slot is folded away or a dialog or the full graph stands above it. Whichever it is gets the room that
 * they take.
 */
export function useToastPlace(region: RefObject<HTMLElement | null>, count: number, fits: boolean): SlotPlace | null {
  const [place, setPlace] = useState<SlotPlace | null>(null);
  /** Where they are about to stand: `place` follows within the same commit. */
  const next = useRef<SlotPlace | null>(null);

  useLayoutEffect(() => {
    const slot = document.querySelector<HTMLElement>('[data-toast-slot]');
    const moveTo = (now: SlotPlace | null): void => {
      next.current = now;
      setPlace((before) => (isSame(before, now) ? before : now));
    };
    if (!slot || !fits || count === 0) {
      moveTo(null);
      return;
    }
    const look = (): void => {
      const { left, bottom, width } = slot.getBoundingClientRect();
      // Popovers have the role of a dialog as well, and leave the sidebar as it is.
      const isFree = width >= MIN_WIDTH_PX && !slot.closest('[inert]') && !document.querySelector('[data-dialog]');
      moveTo(isFree ? { left, bottom: innerHeight - bottom, width } : null);
    };
    look();
    const sizes = new ResizeObserver(look);
    // Its parent says when the window gets higher; `hidden` and `inert` come from further up.
    for (const node of [slot, slot.parentElement, document.body]) if (node) sizes.observe(node);
    const changes = new MutationObserver(look);
    changes.observe(document.body, { childList: true });
    for (let at = slot.parentElement; at && at !== document.body; at = at.parentElement)
      changes.observe(at, { attributeFilter: ['inert', 'hidden'] });
    window.addEventListener('resize', look);
    return () => {
      sizes.disconnect();
      changes.disconnect();
      window.removeEventListener('resize', look);
    };
  }, [fits, count]);

  const isInSlot = place !== null;
  useLayoutEffect(() => {
    const node = region.current;
    const slot = document.querySelector<HTMLElement>('[data-toast-slot]');
    // Room for a place that they leave at once would cost a look at every element twice.
    if (!node || (next.current !== null) !== isInSlot) return;
    const give = (): void => {
      const height = `${node.offsetHeight}px`;
      giveRoom(isInSlot ? '0px' : height);
      slot?.style.setProperty('height', isInSlot ? height : '0px');
    };
    give();
    const observer = new ResizeObserver(give);
    observer.observe(node);
    return () => {
      observer.disconnect();
      slot?.style.removeProperty('height');
    };
  }, [region, isInSlot, count]);
  useLayoutEffect(() => () => giveRoom('0px'), []);

  return place;
}

/** Everything in the window inherits it: each change costs a look at every element, 20 ms for a long conversation. */
function giveRoom(height: string): void {
  const { style } = document.documentElement;
  if ((style.getPropertyValue('--toasts') || '0px') !== height) style.setProperty('--toasts', height);
}

function isSame(a: SlotPlace | null, b: SlotPlace | null): boolean {
  return a?.left === b?.left && a?.bottom === b?.bottom && a?.width === b?.width;
}
