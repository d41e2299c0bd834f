import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Motion } from '../../../src/renderer/features/transcript/context';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A motion with ten rows that note their number once they may. */
function rows(): { motion: Motion; came: number[]; takeBack: (() => void)[] } {
  const motion = new Motion();
  const came: number[] = [];
  const takeBack = Array.from({ length: 10 }, (_, row) => motion.whenResting(() => came.push(row)));
  return { motion, came, takeBack };
}

test('nothing comes while the rows move; then a few at a time, the lowest first', () => {
  const { motion, came } = rows();
  vi.runAllTimers();
  expect(came).toEqual([]);
  motion.rest();
  expect(came).toEqual([9, 8]);
  vi.advanceTimersToNextTimer();
  expect(came).toEqual([9, 8, 7, 6]);
  vi.runAllTimers();
  expect(came).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('a movement stops it, and the next rest goes on', () => {
  const { motion, came } = rows();
  motion.rest();
  motion.move();
  vi.runAllTimers();
  expect(came).toEqual([9, 8]);
  expect(motion.isMoving).toBe(true);
  motion.rest();
  vi.runAllTimers();
  expect(came).toHaveLength(10);
});

test('a row that went does not come, and one that asks while all rest comes soon', () => {
  const { motion, came, takeBack } = rows();
  takeBack[4]?.();
  motion.rest();
  vi.runAllTimers();
  expect(came).toEqual([9, 8, 7, 6, 5, 3, 2, 1, 0]);
  const late = vi.fn();
  motion.whenResting(late);
  expect(late).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(late).toHaveBeenCalledOnce();
});
