import fc from 'fast-check';
import { expect, it } from 'vitest';
import { largestZoom } from '../../../src/main/app/window-rules';

it('WN22: a window is zoomed no further than 480 × 320 pixels of the page', () => {
  expect(largestZoom({ width: 960, height: 640 })).toBe(3.5);
  expect(largestZoom({ width: 720, height: 520 })).toBe(2);
  expect(largestZoom({ width: 400, height: 300 })).toBe(0);
  const side = fc.integer({ min: 480, max: 8000 });
  fc.assert(
    fc.property(side, side, (width, height) => {
      const level = largestZoom({ width, height });
      const room = (zoom: number): boolean => width / 1.2 ** zoom >= 480 - 1e-6 && height / 1.2 ** zoom >= 320 - 1e-6;
      return room(level) && !room(level + 0.5);
    }),
  );
});
