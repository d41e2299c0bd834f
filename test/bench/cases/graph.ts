import type { Page } from '@playwright/test';
import type { Case, FigureInput } from '../../support/figures';
import { median, percentile } from '../harness';
import type { GraphFigures } from '../window/page/graph';
import { openBenchPage } from '../window/open-page';

const TURNS = 10_000;
const BRANCHES = 200;
const FRAMES = 120;
const REPETITIONS = 3;

/** P9: the pane of the graph with every turn unfolded, against plain React Flow with the same nodes at the same places. */
const graph: Case = {
  name: 'P9',
  issue: 4,
  timeoutMinutes: 10,
  async run({ scratch, log }): Promise<FigureInput[]> {
    const { app, page } = await openBenchPage(scratch);
    try {
      await measure(page, 'ours');
      const ours: GraphFigures[] = [];
      const peer: GraphFigures[] = [];
      for (let run = 0; run < REPETITIONS; run += 1) {
        ours.push(await measure(page, 'ours'));
        peer.push(await measure(page, 'peer'));
        log(`first paint ours ${ours.at(-1)?.paint.toFixed(0)} ms, React Flow ${peer.at(-1)?.paint.toFixed(0)} ms`);
      }
      const p95 = (side: GraphFigures[]): number => median(side.map(({ frames }) => percentile(frames, 0.95)));
      const note = `${TURNS} turns, ${BRANCHES} branches, none folded; React Flow culls what is off screen, its layout is given`;
      return [
        {
          name: 'P9 first paint of 10,000 nodes',
          value: median(ours.map(({ paint }) => paint)),
          unit: 'ms',
          peer: median(peer.map(({ paint }) => paint)),
          note,
          target: { on: 'value', op: '<=', bound: 250 },
        },
        {
          name: 'P9 pan frame, p95',
          value: p95(ours),
          unit: 'ms',
          peer: p95(peer),
          note: `${FRAMES} frames of 60 px`,
          target: { on: 'value', op: '<=', bound: 25 },
          isOfMachine: true,
        },
        {
          name: 'P9 DOM elements of the pane',
          value: Math.max(...ours.map(({ elements }) => elements)),
          unit: 'elements',
          peer: Math.max(...peer.map(({ elements }) => elements)),
          note: 'most while panning, 1280 × 756',
          target: { on: 'value', op: '<=', bound: 600 },
        },
      ];
    } finally {
      await app.close();
    }
  },
};

const measure = (page: Page, side: 'ours' | 'peer') =>
  page.evaluate(([which, turns, branches, frames]) => window.bench.measureGraph(which, turns, branches, frames), [
    side,
    TURNS,
    BRANCHES,
    FRAMES,
  ] as const);

export default graph;
