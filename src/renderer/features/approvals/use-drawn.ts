import { useEffect, useLayoutEffect, useState } from 'react';
import { chargeFrame, hasRoom, inNextFrame } from '../markdown';

/**
 * How many of the items are to be drawn: one after the other, as far as the frames have room.
 * @param items the same list as long as it is shown
 * @param atOnce drawn in the first frame
 */
export function useDrawn(items: readonly { ns: number }[], atOnce = 0): number {
  const [count, setCount] = useState(Math.min(atOnce, items.length));
  useEffect(() => {
    if (count >= items.length) return;
    let forget = (): void => undefined;
    const goOn = (): void => {
      let next = count;
      for (; hasRoom() && next < items.length; next += 1) chargeFrame(items[next]?.ns ?? 0);
      if (next > count) setCount(next);
      else forget = inNextFrame(goOn);
    };
    forget = inNextFrame(goOn);
    return () => forget();
  }, [items, count]);
  return count;
}

/** Tells that something is still to be drawn (1), and that it was or went (-1): before the browser could measure what is there. */
export function usePending(isPending: boolean, onPending: ((change: 1 | -1) => void) | undefined): void {
  useLayoutEffect(() => {
    if (!isPending || !onPending) return;
    onPending(1);
    return () => onPending(-1);
  }, [isPending, onPending]);
}
