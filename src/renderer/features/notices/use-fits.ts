import { useEffect, useLayoutEffect, useReducer, useRef, useState, type RefObject } from 'react';

/**
 * Whether an element has room for all that is in it. Once it has not, it may be drawn otherwise: it is tried again when `content`
 * changes, and when the window gets another size.
 */
export function useFits<E extends HTMLElement>(content: string): [ref: RefObject<E | null>, fits: boolean] {
  const ref = useRef<E>(null);
  const [size, resized] = useReducer((count: number) => count + 1, 0);
  const tried = `${size} ${content}`;
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  useEffect(() => {
    window.addEventListener('resize', resized);
    return () => window.removeEventListener('resize', resized);
  }, []);
  // Before it is painted: nobody sees it cut off.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element && element.scrollHeight > element.clientHeight + 1) setTooLarge(tried);
  }, [tried]);
  return [ref, tooLarge !== tried];
}
