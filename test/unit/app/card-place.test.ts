import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { placeCard } from '../../../src/renderer/features/graph/card-place';

const CARD = { width: 288, height: 250 };
const area = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

type Box = { x: number; y: number; width: number; height: number };
const NONE = { never: [], rather: [] };

describe('where a card stands beside its cell', () => {
  it('GR9: never on the cell, and within the pane, wherever that is', () => {
    const panes = fc.record({
      width: fc.integer({ min: 260, max: 1900 }),
      height: fc.integer({ min: 320, max: 1100 }),
    });
    const places = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(panes, places, fc.boolean(), (pane, [across, down], isRail) => {
        const size = isRail ? { width: pane.width, height: 28 } : { width: Math.min(260, pane.width), height: 92 };
        const cell = { x: across * (pane.width - size.width), y: down * (pane.height - size.height), ...size };
        const { box } = placeCard(cell, isRail ? 62 : cell.x, CARD, pane, NONE);
        expect(area(box, cell)).toBe(0);
        expect(box.x >= 0 && box.y >= 0).toBe(true);
        expect(box.x + box.width <= pane.width && box.y + box.height <= pane.height).toBe(true);
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(96);
      }),
    );
  });

  it('GR9: it goes to another side where it would lie on a hit, and keeps off HEAD if it can', () => {
    const pane = { width: 1200, height: 800 };
    const cell = { x: 400, y: 300, width: 260, height: 92 };
    const right = { x: 688, y: 300, width: 260, height: 92 };
    const below = { x: 400, y: 420, width: 260, height: 92 };
    const at = (never: Box[], rather: Box[] = []) => placeCard(cell, cell.x, CARD, pane, { never, rather }).box;
    expect(at([]).x).toBeGreaterThan(cell.x + cell.width);
    expect(area(at([right]), right)).toBe(0);
    const between = at([right, below], [{ x: 100, y: 200, width: 260, height: 300 }]);
    expect(between.y + between.height).toBeLessThanOrEqual(cell.y);
    // What must be seen comes before what is better seen.
    const all = at([right, below, { ...cell, y: 100 }], [{ x: 100, y: 200, width: 260, height: 300 }]);
    expect(all.x + all.width).toBeLessThan(cell.x);
  });
});
