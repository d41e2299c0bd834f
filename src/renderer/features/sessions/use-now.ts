import { useEffect, useState } from 'react';
import type { App } from '../../state/app-type';

const TICK_MS = 30_000; // times in the list show whole minutes

/** The current time in Unix milliseconds, renewed twice a minute. */
export function useNow(app: App): number {
  const [now, setNow] = useState(app.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(app.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [app]);
  return now;
}
