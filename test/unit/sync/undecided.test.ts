import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Undecided } from '../../../src/main/sync/undecided';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const later = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1000);
const isOpen = (undecided: Undecided, id = 'a'): boolean => undecided.when(id) !== null;

describe('E1: a file that is not as it was left is not shown before its notice', () => {
  it('a window that compares nothing is waited for three seconds', () => {
    const undecided = new Undecided();
    undecided.begin('a');
    later(2.9);
    expect(isOpen(undecided)).toBe(true);
    later(0.2);
    expect(isOpen(undecided)).toBe(false);
  });

  it('a comparison that goes on is waited for, part by part', () => {
    const undecided = new Undecided();
    undecided.begin('a');
    undecided.compareAll();
    undecided.begin('b');
    later(29);
    expect([isOpen(undecided), isOpen(undecided, 'b')]).toEqual([true, true]);
    undecided.endAllBut(new Set(['a']));
    expect([isOpen(undecided), isOpen(undecided, 'b')]).toEqual([true, false]);
    for (let part = 0; part < 5; part += 1) {
      later(29);
      undecided.goesOn();
    }
    expect(isOpen(undecided)).toBe(true);
    // The window is gone.
    later(31);
    expect(isOpen(undecided)).toBe(false);
  });

  it('of several the later ones are waited for while the first is handed in and decided', () => {
    const undecided = new Undecided();
    for (const id of ['a', 'b', 'c']) undecided.begin(id);
    undecided.compareAll();
    undecided.endAllBut(new Set(['a', 'b', 'c']));
    for (let part = 0; part < 5; part += 1) {
      later(29);
      undecided.goesOn();
    }
    undecided.hold('a');
    later(29);
    undecided.end('a');
    undecided.goesOn();
    later(29);
    expect(['a', 'b', 'c'].map((id) => isOpen(undecided, id))).toEqual([false, true, true]);
  });

  it('a comparison that failed is waited for no longer than none', () => {
    const undecided = new Undecided();
    undecided.begin('a');
    undecided.compareAll();
    undecided.giveUp();
    undecided.begin('b');
    later(4);
    expect(['a', 'b'].map((id) => isOpen(undecided, id))).toEqual([false, false]);
  });

  it('what main decides is waited for however long it takes', async () => {
    const undecided = new Undecided();
    undecided.begin('a');
    const told = undecided.when('a');
    undecided.goesOn();
    undecided.hold('a');
    later(600);
    expect(isOpen(undecided)).toBe(true);
    undecided.end('a');
    await told;
    expect(isOpen(undecided)).toBe(false);
  });

  it('of one that nobody waits for nothing begins', () => {
    const undecided = new Undecided();
    undecided.goesOn();
    undecided.hold('a');
    undecided.end('a');
    expect(isOpen(undecided)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
