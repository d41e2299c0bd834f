import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isInView,
  NODE,
  openingView,
  toPane,
  xOf,
  yOf,
  type Size,
} from '../../../src/renderer/features/graph/geometry';
import { ZOOM, type GraphViewport } from '../../../src/renderer/state/graph-memory';
import { chain, entriesOf, graphOf, steps } from '../shared/graph/support';

const size = fc.record({ width: fc.integer({ min: 260, max: 2000 }), height: fc.integer({ min: 300, max: 1400 }) });
const place = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const viewport = fc.record({ x: place, y: place, zoom: fc.double({ min: ZOOM.min, max: ZOOM.max, noNaN: true }) });

describe('GR34: where the graph is opened', () => {
  const opened = (turns: number, remembered: GraphViewport | null, follows: boolean, pane: Size) => {
    const { layout, head } = graphOf(chain(turns));
    if (!head) throw new Error('There is no HEAD.');
    return { layout, head, view: openingView(layout, head, { viewport: remembered, follows }, pane) };
  };
  const pane = { width: 300, height: 600 };

  it('is where it was, if HEAD is there, or something where HEAD is not followed', () => {
    const there = { x: 20, y: 40, zoom: 1 };
    expect(opened(5, there, true, pane).view).toBe(there);
    expect(opened(500, there, false, pane).view).toBe(there);
  });

  it('is at HEAD where it was is empty now, as after a fold of what was above, or is not where HEAD went', () => {
    const below = { x: 20, y: -20_000, zoom: 0.8 };
    for (const follows of [true, false]) {
      const { layout, head, view } = opened(100, below, follows, pane);
      expect(isInView(layout, head, view, pane)).toBe(true);
      expect(view.zoom).toBe(0.8);
    }
    const { layout, head, view } = opened(500, { x: 20, y: 40, zoom: 1 }, true, pane);
    expect(isInView(layout, head, view, pane)).toBe(true);
  });

  it('shows HEAD where it is followed, and else something, whatever was remembered', () => {
    fc.assert(
      fc.property(steps(60), fc.option(viewport), fc.boolean(), size, (list, remembered, follows, pane) => {
        const { layout, head } = graphOf(entriesOf(list));
        if (!head || !layout.isCell(head)) return;
        const view = openingView(layout, head, { viewport: remembered, follows }, pane);
        const shows = [...layout.within(0, Infinity, 0, Infinity)].filter((cell) => {
          const { x, y } = toPane({ x: xOf(layout.laneOf(cell)), y: yOf(layout.rowOf(cell)) }, view);
          const [right, bottom] = [x + NODE.width * view.zoom, y + NODE.height * view.zoom];
          return x < pane.width && y < pane.height && right > 0 && bottom > 0;
        });
        expect(shows.length).toBeGreaterThan(0);
        if (follows || !remembered) expect(shows).toContain(head);
      }),
    );
  });
});
