import { useEffect, useRef, useState } from 'react';

/** For a summary as it comes: drawing every frame of it would take the time of the person's own keys; eight a second still look alive. */
export const SUMMARY_PACE_MS = 120;

/** The value, taken over at most once in so many milliseconds; the last one always arrives. */
export function usePaced<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<number | null>(null);
  useEffect(() => {
    latest.current = value;
    timer.current ??= window.setTimeout(() => {
      timer.current = null;
      setShown(latest.current);
    }, ms);
  }, [value, ms]);
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return shown;
}
