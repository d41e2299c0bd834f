import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawFirst, takeRoom } from '../../../src/renderer/features/markdown/frame-room';

const FRAME_MS = 16;

describe('what somebody was led to (GR12, QP20)', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
  });

  it('is drawn before what stands above it, in a frame that has no room left, and then the rest has its turn', () => {
    expect(takeRoom('above', 10_000_000)).toBe(true);
    expect(takeRoom('wanted', 1)).toBe(false);
    drawFirst('wanted');
    expect(takeRoom('above', 1)).toBe(false);
    expect(takeRoom('wanted', 1)).toBe(true);
    expect(takeRoom('above', 1)).toBe(true);
  });

  it('is not waited for without end', () => {
    drawFirst('never comes');
    for (let frame = 0; frame < 4; frame += 1) {
      expect(takeRoom('another', 1)).toBe(false);
      vi.advanceTimersByTime(FRAME_MS);
    }
    expect(takeRoom('another', 1)).toBe(true);
  });
});
