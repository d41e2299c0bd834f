import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  closeAttempts,
  MOST_ATTEMPTS,
  openAttempts,
  PAGE_ATTEMPTS,
  showMoreAttempts,
  shownAttempts,
} from '../../../src/renderer/features/transcript/attempts';

let keys = 0;
const key = (sessionId = 'a') => ({ sessionId, firstId: `first-${keys++}` });

describe('TS6: which earlier attempts are drawn', () => {
  it('is known by session: another one may have entries of the same ids', () => {
    const here = key();
    openAttempts(here);
    expect(shownAttempts(here)).toEqual({ from: 0, to: PAGE_ATTEMPTS });
    expect(shownAttempts({ ...here, sessionId: 'b' })).toBeNull();
    closeAttempts({ ...here, sessionId: 'b' });
    expect(shownAttempts(here)).not.toBeNull();
    closeAttempts(here);
    expect(shownAttempts(here)).toBeNull();
  });

  it('whoever is led through them: the one that is to be seen is drawn, and only presses make it more than a page', () => {
    const step = fc.oneof(fc.nat({ max: 5_000 }), fc.constantFrom('before' as const, 'behind' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const reply = key();
        let presses = 0;
        openAttempts(reply);
        for (const one of steps) {
          if (typeof one === 'number') openAttempts(reply, one);
          else showMoreAttempts(reply, one);
          if (typeof one !== 'number') presses += 1;
          const { from, to } = shownAttempts(reply)!;
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to - from).toBeGreaterThanOrEqual(PAGE_ATTEMPTS);
          expect(to - from).toBeLessThanOrEqual(Math.min(MOST_ATTEMPTS, PAGE_ATTEMPTS * (1 + presses)));
          if (typeof one === 'number') expect(from <= one && one < to).toBe(true);
        }
      }),
    );
  });

  it('nothing is opened by asking for more of what is folded', () => {
    const reply = key();
    showMoreAttempts(reply, 'behind');
    expect(shownAttempts(reply)).toBeNull();
  });
});
