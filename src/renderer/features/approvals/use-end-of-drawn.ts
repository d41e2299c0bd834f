import { useCallback, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { holdEnd, type EndHold } from '../../parts/hold-end';

/**
 * What the End key does in a text that is drawn in steps: it goes to the end of what is there, and on as more comes, until all of it
 * stands or the person scrolls up. Nothing else goes there: a text that was not asked for its end is not brought to it. Returns what
 * hears the keys.
 */
export function useEndOfDrawn(
  box: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  isBusy: boolean,
): (event: KeyboardEvent) => void {
  const hold = useRef<EndHold>(undefined);
  useLayoutEffect(() => {
    if (!box.current || !content.current) return;
    const made = holdEnd(box.current, { content: content.current, holds: false, thresholdPx: null });
    hold.current = made;
    return () => made.stop();
  }, [box, content]);
  // In the next frame: what was read says only then that it is still to be drawn.
  useLayoutEffect(() => {
    if (isBusy) return;
    const frame = requestAnimationFrame(() => hold.current?.settle());
    return () => cancelAnimationFrame(frame);
  }, [isBusy]);
  return useCallback(
    (event) => {
      const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
      // Once all is drawn the browser's own way misses nothing.
      if (event.key !== 'End' || !isPlain || !isBusy) return;
      hold.current?.toEnd();
      event.preventDefault();
    },
    [isBusy],
  );
}
