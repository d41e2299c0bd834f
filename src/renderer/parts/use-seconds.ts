import { useEffect, useState } from 'react';

/** Whole seconds until a moment in Unix milliseconds, counted down. */
export function useSecondsUntil(until: number, now: () => number): number {
  const left = (): number => Math.max(0, Math.ceil((until - now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const tick = (): void => setSeconds(Math.max(0, Math.ceil((until - now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [until, now]);
  return seconds;
}
