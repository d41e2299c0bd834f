import type { Page } from '@playwright/test';
import type { Case, FigureInput } from '../../support/figures';
import { median, percentile } from '../harness';
import type { GraphFigures } from '../window/page/graph';
import { openBenchPage } from '../window/open-page';

const SIZES = [1_000, 5_000, 10_000];
const BRANCHES = 200;
const FRAMES = 120;
const REPETITIONS = 3;

/** QP9, GR30: the pane of the graph with every turn unfolded, against plain React Flow with the same nodes at the same places. */
const graph: Case = {
  name: 'P9',
  issue: 14,
  times: ['src/renderer/features/graph/graph-pane.tsx:GraphPane'],
  timeoutMinutes: 10,
  async run({ scratch, log }): Promise<FigureInput[]> {
    const { app, page } = await openBenchPage(scratch);
    try {
      const figures: FigureInput[] = [];
      for (const turns of SIZES) figures.push(...(await figuresOf(page, turns, log)));
      return figures;
    } finally {
      await app.close();
    }
  },
};

async function figuresOf(page: Page, turns: number, log: (text: string) => void): Promise<FigureInput[]> {
  await measure(page, 'ours', turns);
  const ours: GraphFigures[] = [];
  const peer: GraphFigures[] = [];
  for (let run = 0; run < REPETITIONS; run += 1) {
    ours.push(await measure(page, 'ours', turns));
    peer.push(await measure(page, 'peer', turns));
    const [mine, theirs] = [ours.at(-1)?.paint.toFixed(0), peer.at(-1)?.paint.toFixed(0)];
    log(`${turns} turns: first paint ours ${mine} ms, React Flow ${theirs} ms`);
  }
  const p95 = (side: GraphFigures[]): number => median(side.map(({ frames }) => percentile(frames, 0.95)));
  return [
    {
      name: `P9 first paint of ${turns} turns`,
      value: median(ours.map(({ paint }) => paint)),
      unit: 'ms',
      peer: median(peer.map(({ paint }) => paint)),
      note: `${BRANCHES} branches, none folded; React Flow culls what is off screen, its layout is given`,
      target: { on: 'value', op: '<=', bound: 250 },
    },
    {
      name: `P9 pan frame of ${turns} turns, p95`,
      value: p95(ours),
      unit: 'ms',
      peer: p95(peer),
      note: `${FRAMES} frames of 60 px`,
      target: { on: 'value', op: '<=', bound: 25 },
      isOfMachine: true,
    },
    {
      name: `P9 DOM elements of the pane, ${turns} turns`,
      value: Math.max(...ours.map(({ elements }) => elements)),
      unit: 'elements',
      peer: Math.max(...peer.map(({ elements }) => elements)),
      note: 'most while panning, 1280 × 756',
      target: { on: 'value', op: '<=', bound: 600 },
    },
  ];
}

const measure = (page: Page, side: 'ours' | 'peer', turns: number) =>
  page.evaluate(([which, size, branches, frames]) => window.bench.measureGraph(which, size, branches, frames), [
    side,
    turns,
    BRANCHES,
    FRAMES,
  ] as const);

export default graph;
