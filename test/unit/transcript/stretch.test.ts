import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EDGE_PX,
  heightSums,
  isWellInside,
  STRETCH_ITEMS,
  STRETCH_PX,
  stretchAround,
} from '../../../src/renderer/parts/use-stretch';

const TALLEST = 200_000;
const heights = fc.array(fc.integer({ min: 0, max: TALLEST }), { maxLength: 400 });

describe('TS15: the stretch of a list that is laid out', () => {
  it('is the whole list where that fits, and else about as tall as may be', () => {
    fc.assert(
      fc.property(heights, fc.nat(), (list, pick) => {
        const sums = heightSums(list.length, (at) => list[at]!);
        const total = sums[list.length]!;
        const { from, to } = stretchAround(sums, list.length === 0 ? null : pick % list.length);
        const px = sums[to]! - sums[from]!;
        if (total <= STRETCH_PX) expect([from, to]).toEqual([0, list.length]);
        else expect(Math.abs(px - STRETCH_PX)).toBeLessThanOrEqual(TALLEST);
      }),
    );
  });

  it('has its item with room around it, so that it does not move again at once', () => {
    fc.assert(
      fc.property(heights.filter((list) => list.length > 0), fc.nat(), (list, pick) => {
        const sums = heightSums(list.length, (at) => list[at]!);
        const item = pick % list.length;
        expect(isWellInside(sums, stretchAround(sums, item), item, item)).toBe(true);
      }),
    ); // prettier-ignore
  });

  it('goes to the end of the list where nothing else is asked', () => {
    fc.assert(
      fc.property(heights, (list) => {
        expect(
          stretchAround(
            heightSums(list.length, (at) => list[at]!),
            null,
          ).to,
        ).toBe(list.length);
      }),
    );
  });

  it('has the end of a tall list also where nothing is drawn of the last items', () => {
    for (const px of [4_000, 4_000.1]) {
      const sums = heightSums(3_000, (at) => (at < 2_990 ? px : 0));
      expect(stretchAround(sums, null).to).toBe(3_000);
      expect(stretchAround(sums, 2_999).to).toBe(3_000);
      expect(isWellInside(sums, stretchAround(sums, 2_995), 2_990, 2_999)).toBe(true);
    }
  });

  it('is to be moved on where the reader nears an edge that is not the list’s own', () => {
    const sums = heightSums(40_000, () => 1_000);
    const stretch = stretchAround(sums, 20_000);
    expect(stretch).toEqual({ from: 16_000, to: 24_000 });
    const rows = EDGE_PX / 1_000;
    expect(isWellInside(sums, stretch, 16_000 + rows, 16_001 + rows)).toBe(true);
    expect(isWellInside(sums, stretch, 15_999 + rows, 16_001 + rows)).toBe(false);
    expect(isWellInside(sums, stretch, 20_000, 23_999 - rows)).toBe(true);
    expect(isWellInside(sums, stretch, 20_000, 24_000 - rows)).toBe(false);
    expect(isWellInside(sums, stretchAround(sums, 0), 0, 1)).toBe(true);
    expect(isWellInside(sums, stretchAround(sums, null), 39_998, 39_999)).toBe(true);
  });

  it('holds no more than so many items, however low they are, with room around its own', () => {
    for (const px of [0, 34]) {
      const sums = heightSums(100_000, () => px);
      for (const item of [0, 5_000, 50_000, 99_999, null]) {
        const stretch = stretchAround(sums, item);
        expect(stretch.to - stretch.from).toBe(STRETCH_ITEMS);
        const at = item ?? 99_999;
        expect(isWellInside(sums, stretch, at, at)).toBe(true);
      }
      const stretch = stretchAround(sums, 50_000);
      expect(isWellInside(sums, stretch, stretch.from + 100, stretch.from + 130)).toBe(false);
      expect(isWellInside(sums, stretch, stretch.to - 130, stretch.to - 100)).toBe(false);
    }
  });
});
