import { useEffect, useLayoutEffect, useReducer, useRef, useState, type RefObject } from 'react';

/**
 * Whether an element has room for all that is in it. Once it has not, it may be drawn otherwise: it is tried again when `content`
 * changes, when the window has another size than it was measured in, and once the fonts are there.
 * @param isAside it is drawn otherwise for now, whether or not it has room
 */
export function useFits<E extends HTMLElement>(
  content: string,
  isAside: boolean,
): [ref: RefObject<E | null>, fits: boolean] {
  const ref = useRef<E>(null);
  const [size, resized] = useReducer((count: number) => count + 1, 0);
  const tried = `${size} ${content}`;
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  useEffect(() => {
    // It tells of the size at once: a start may change that before anything listens.
    const observer = new ResizeObserver(resized);
    observer.observe(document.documentElement);
    document.fonts.addEventListener('loadingdone', resized);
    return () => {
      observer.disconnect();
      document.fonts.removeEventListener('loadingdone', resized);
    };
  }, []);
  // Before it is painted: nobody sees it cut off.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element && element.scrollHeight > element.clientHeight + 1) setTooLarge(tried);
  }, [tried, isAside]);
  return [ref, tooLarge !== tried];
}
