import { startTransition, useEffect, useState } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { useTranscript } from './context';

/** Whether the rows move: while they first come, and while they are scrolled. */
export type Motion = StoreApi<{ isMoving: boolean }>;

/** Milliseconds after which rows that stand still are taken to rest. */
const SETTLE_MS = 60;

export function useMotion(isScrolling: boolean): Motion {
  const [motion] = useState<Motion>(() => createStore(() => ({ isMoving: true })));
  useEffect(() => {
    if (isScrolling) {
      motion.setState({ isMoving: true });
      return;
    }
    const timer = setTimeout(() => motion.setState({ isMoving: false }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [motion, isScrolling]);
  return motion;
}

/** True once the rows have rested since this one is there: what nobody can use in passing is made then, and stays. */
export function useHasRested(): boolean {
  const { motion } = useTranscript();
  const [hasRested, setHasRested] = useState(() => !motion.getState().isMoving);
  useEffect(() => {
    if (hasRested) return;
    const look = (): void => {
      if (!motion.getState().isMoving) startTransition(() => setHasRested(true));
    };
    look();
    return motion.subscribe(look);
  }, [motion, hasRested]);
  return hasRested;
}
