import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import { canvasPicture } from '../../../src/renderer/features/graph/canvas';
import {
  type Box,
  boxToPane,
  isInView,
  openingView,
  type Picture,
  type Size,
  within,
} from '../../../src/renderer/features/graph/picture';
import { railPicture } from '../../../src/renderer/features/graph/rail';
import { aroundHead, headView } from '../../../src/renderer/features/graph/use-camera';
import { ZOOM, type GraphViewport } from '../../../src/renderer/state/graph-memory';
import { chain, entriesOf, graphOf, steps } from '../shared/graph/support';

const size = fc.record({ width: fc.integer({ min: 260, max: 2000 }), height: fc.integer({ min: 300, max: 1400 }) });
const place = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const viewport = fc.record({ x: place, y: place, zoom: fc.double({ min: ZOOM.min, max: ZOOM.max, noNaN: true }) });

const PICTURES: Record<'rail' | 'canvas', (graph: BranchGraph, pane: Size) => Picture> = {
  rail: ({ rail }, { width }) => railPicture(rail, width, null),
  canvas: ({ layout }) => canvasPicture(layout),
};

const touches = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && a.x + a.width > b.x && a.y < b.y + b.height && a.y + a.height > b.y;

/** Cells of which something is in the pane. */
function seen(picture: Picture, view: GraphViewport, pane: Size): TurnNode[] {
  const all = picture.within({ x: 0, y: 0, ...picture.size });
  return all.filter((cell) => touches(boxToPane(picture.boxOf(cell), view), { x: 0, y: 0, ...pane }));
}

for (const [kind, pictureOf] of Object.entries(PICTURES)) {
  describe(`GR34: where the ${kind} is opened`, () => {
    const pane = { width: 300, height: 600 };
    const opened = (turns: number, remembered: GraphViewport | null, follows: boolean) => {
      const graph = graphOf(chain(turns));
      const { head } = graph;
      if (!head) throw new Error('There is no HEAD.');
      const picture = pictureOf(graph, pane);
      return { picture, head, view: openingView(picture, head, { viewport: remembered, follows }, pane) };
    };

    it('is where it was, if HEAD is there, or something where HEAD is not followed', () => {
      for (const [turns, follows] of [
        [5, true],
        [500, false],
      ] as const) {
        const there = { x: kind === 'rail' ? 0 : 20, y: turns === 5 ? 0 : -40, zoom: 1 };
        expect(opened(turns, there, follows).view).toEqual(there);
      }
    });

    it('is at HEAD where it was is empty now, as after a fold of what was above, or is not where HEAD went', () => {
      const below = { x: 20, y: -20_000, zoom: 0.8 };
      for (const follows of [true, false]) {
        const { picture, head, view } = opened(100, below, follows);
        expect(isInView(picture, head, view, pane)).toBe(true);
        expect(view.zoom).toBe(kind === 'rail' ? 1 : 0.8);
      }
      const { picture, head, view } = opened(500, { x: 0, y: 0, zoom: 1 }, true);
      expect(isInView(picture, head, view, pane)).toBe(true);
    });

    it('shows HEAD where it is followed, and else something, whatever was remembered', () => {
      fc.assert(
        fc.property(steps(60), fc.option(viewport), fc.boolean(), size, (list, remembered, follows, room) => {
          const graph = graphOf(entriesOf(list));
          const picture = pictureOf(graph, room);
          const { head } = graph;
          if (!head || !picture.isCell(head)) return;
          const view = openingView(picture, head, { viewport: remembered, follows }, room);
          const shows = seen(picture, view, room);
          expect(shows.length).toBeGreaterThan(0);
          if (follows || !remembered) expect(shows).toContain(head);
        }),
      );
    });
  });

  describe(`GR10: what is kept in view of HEAD on the ${kind}`, () => {
    it('is HEAD, what is above it and the lane beside it, as far as they fit; and once there, nothing moves', () => {
      fc.assert(
        fc.property(steps(60), viewport, size, (list, from, pane) => {
          const graph = graphOf(entriesOf(list));
          const picture = pictureOf(graph, pane);
          const { head } = graph;
          if (!head) return;
          const [first] = aroundHead(picture, head);
          const view = headView(picture, head, within(picture, { ...from, zoom: 1 }, pane), pane);
          if (!first) return;
          const box = boxToPane(first, view);
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height).toBeLessThanOrEqual(pane.height);
          expect(headView(picture, head, view, pane)).toBe(view);
        }),
      );
    });
  });
}

describe('GR7: rows of the rail', () => {
  const rows = fc.tuple(steps(40), fc.nat(20), fc.nat(2000));

  it('are 28 pixels high, one below the other, and found where they are drawn; one can be kept free', () => {
    fc.assert(
      fc.property(rows, ([list, gapAt, y]) => {
        const { rail } = graphOf(entriesOf(list));
        const gap = gapAt % 2 === 0 || rail.count === 0 ? null : gapAt % rail.count;
        const picture = railPicture(rail, 396, gap);
        expect(picture.size.height).toBe((rail.count + (gap === null ? 0 : 1)) * 28);
        for (let row = 0; row < rail.count; row++) {
          const { node } = rail.rowAt(row)!;
          const box = picture.boxOf(node);
          expect(box).toEqual({ x: 0, y: (row + (gap !== null && row > gap ? 1 : 0)) * 28, width: 396, height: 28 });
          expect(picture.at({ x: 200, y: box.y + 14 })).toBe(node);
          expect(picture.isCell(node)).toBe(true);
        }
        if (gap !== null) expect(picture.at({ x: 200, y: (gap + 1) * 28 + 14 })).toBeNull();
        const some = picture.within({ x: 0, y, width: 396, height: 100 });
        for (const node of some) expect(picture.isCell(node)).toBe(true);
        expect(some.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});
