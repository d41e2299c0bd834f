import { startTransition, useEffect, useState } from 'react';
import { useTranscript } from './context';
import { Motion } from './motion';

/** Milliseconds after which rows that stand still are taken to rest. */
const SETTLE_MS = 60;

/** The motion of a transcript that is there from now on; the same object for its whole life. */
export function useMotion(isScrolling: boolean): Motion {
  const [motion] = useState(() => new Motion());
  useEffect(() => {
    if (isScrolling) {
      motion.move();
      return;
    }
    const timer = setTimeout(() => motion.rest(), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      motion.move();
    };
  }, [motion, isScrolling]);
  return motion;
}

/** True once the rows have rested since this one is there: what nobody can use in passing is made then, and stays. */
export function useHasRested(): boolean {
  const { motion } = useTranscript();
  const [hasRested, setHasRested] = useState(() => !motion.isMoving);
  useEffect(
    () => (hasRested ? undefined : motion.whenResting(() => startTransition(() => setHasRested(true)))),
    [motion, hasRested],
  );
  return hasRested;
}
