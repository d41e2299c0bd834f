import type { Page } from '@playwright/test';
import type { Case, FigureInput } from '../../support/figures';
import { median, percentile } from '../harness';
import type { GraphFigures, GraphSide } from '../window/page/graph';
import { openBenchPage } from '../window/open-page';

const SIZES = [1_000, 5_000, 10_000];
const BRANCHES = 200;
const FRAMES = 120;
const REPETITIONS = 3;
const MOVES = 40;
const SIDES = ['rail', 'canvas', 'peer'] as const;

/** QP9, GR30: the graph as rail and as canvas with every turn unfolded, against plain React Flow with the same nodes at the same places. */
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
  const runs: Record<GraphSide, GraphFigures[]> = { rail: [], canvas: [], peer: [] };
  for (const side of ['rail', 'canvas'] as const) await measure(page, side, turns);
  for (let run = 0; run < REPETITIONS; run += 1) {
    for (const side of SIDES) runs[side].push(await measure(page, side, turns));
    const paints = SIDES.map((side) => `${side} ${runs[side].at(-1)?.paint.toFixed(0)} ms`);
    log(`${turns} turns: first paint ${paints.join(', ')}`);
  }
  const p95 = (side: GraphSide): number => median(runs[side].map(({ frames }) => percentile(frames, 0.95)));
  const most = (side: GraphSide): number => Math.max(...runs[side].map(({ elements }) => elements));
  return (['rail', 'canvas'] as const).flatMap((side): FigureInput[] => [
    {
      name: `P9 first paint of ${turns} turns, ${side}`,
      value: median(runs[side].map(({ paint }) => paint)),
      unit: 'ms',
      peer: median(runs.peer.map(({ paint }) => paint)),
      note: `${BRANCHES} branches, none folded; React Flow culls what is off screen, its layout is given`,
      target: { on: 'value', op: '<=', bound: side === 'rail' ? 60 : 250 },
    },
    {
      name: `P9 pan frame of ${turns} turns, p95, ${side}`,
      value: p95(side),
      unit: 'ms',
      peer: p95('peer'),
      note: `${FRAMES} frames of 60 px`,
      target: { on: 'value', op: '<=', bound: side === 'rail' ? 20 : 25 },
      isOfMachine: true,
    },
    {
      name: `P9 DOM elements of the pane, ${turns} turns, ${side}`,
      value: most(side),
      unit: 'elements',
      peer: most('peer'),
      note: 'most while panning, 756 high',
      target: { on: 'value', op: '<=', bound: 600 },
    },
  ]);
}

const measure = (page: Page, side: GraphSide, turns: number) =>
  page.evaluate(([which, size, branches, frames]) => window.bench.measureGraph(which, size, branches, frames), [
    side,
    turns,
    BRANCHES,
    FRAMES,
  ] as const);

/** QP19: HEAD goes from end to end of 10,000 turns with 300 nested branches, in the window. */
const moves: Case = {
  name: 'P19 painted',
  issue: 14,
  times: ['src/renderer/features/graph/graph-pane.tsx:GraphPane'],
  timeoutMinutes: 10,
  async run({ scratch, log }): Promise<FigureInput[]> {
    const { app, page } = await openBenchPage(scratch);
    try {
      const figures: FigureInput[] = [];
      for (const side of ['rail', 'canvas'] as const) {
        const times = await page.evaluate(
          ([which, turns, branches, count]) => window.bench.measureMoves(which, turns, branches, count),
          [side, 10_000, 300, MOVES] as const,
        );
        log(`${side}: ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
        figures.push({
          name: `P19 HEAD moved across 10,000 turns, laid out and painted, ${side}`,
          value: median(times),
          unit: 'ms',
          note: `300 branches, nested 12 deep; ${MOVES} moves, p95 ${percentile(times, 0.95).toFixed(0)} ms`,
          target: { on: 'value', op: '<=', bound: 120 },
        });
      }
      return figures;
    } finally {
      await app.close();
    }
  },
};

export default [graph, moves];
