import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { openedGraph } from '../../support/opened-graph';
import type { BranchGraph } from '../../../src/shared/graph/branch-graph';
import { branchyEntries } from '../../support/branchy-entries';
import { nestedSession } from '../../support/graph-sessions';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { compare, median } from '../harness';

const BRANCHES = 200;
const SIZES = [1000, 5000, 10_000] as const;
/** The size of QP10. */
const BAR = 5000;
/** dagre takes most of a minute for 10,000: once is enough there. */
const DAGRE_RUNS = { 1000: 3, 5000: 2, 10_000: 1 } as const;
const DAGRE_STACK_MB = 240;
const APPENDS = 500;

/** P10: canvas and rail of 200 branches, from entries to places, against dagre on the same nodes; one turn more costs the same in all. */
const graphLayout: Case = {
  name: 'P10',
  issue: 14,
  times: [
    'src/shared/graph/branch-graph.ts:BranchGraph.rebuild',
    'src/shared/graph/branch-graph.ts:BranchGraph.append',
  ],
  async run(context): Promise<FigureInput[]> {
    const figures: FigureInput[] = [];
    const appends: number[] = [];
    for (const turns of SIZES) {
      figures.push(...(await layoutOf(turns, context)));
      appends.push(appendTo(turns));
    }
    const [small = 0, bar = 0, large = 0] = appends;
    context.log(`append ${appends.map((ms) => `${(ms * 1000).toFixed(1)} µs`).join(', ')}`);
    return [
      ...figures,
      {
        name: `P10 append a turn to ${BAR}`,
        value: bar,
        unit: 'ms',
        note: `mean of ${APPENDS}, two entries each`,
        target: { on: 'value', op: '<=', bound: 0.2 },
      },
      {
        name: 'P10 append to 10,000 against 1,000 turns',
        value: large / small,
        unit: 'x',
        note: `${(small * 1000).toFixed(1)} and ${(large * 1000).toFixed(1)} µs`,
        target: { on: 'value', op: '<=', bound: 3 },
        isOfMachine: true,
      },
    ];
  },
};

async function layoutOf(turns: (typeof SIZES)[number], { log }: CaseContext): Promise<FigureInput[]> {
  const { entries, leafId } = branchyEntries(turns, BRANCHES);
  const graph = openedGraph(entries);
  graph.setLeaf(leafId);
  const layOut = (): number => {
    graph.rebuild();
    return graph.layout.cells;
  };
  const layOutRail = (): number => {
    graph.rebuild();
    return graph.rail.count;
  };
  const { ours } = await compare({
    ours: layOut,
    peer: () => graph.turns.nodes.length,
    // Of branches of one turn some are variants, which stand in one cell.
    equal: (_cells, nodes) => graph.turns.nodes.filter((node) => graph.layout.cellOf(node) !== null).length === nodes,
  });
  const { ours: rail } = await compare({
    ours: layOutRail,
    peer: layOutRail,
    equal: (a, b) => a === b && a > BRANCHES,
  });
  const dagre: number[] = [];
  for (let run = 0; run < DAGRE_RUNS[turns]; run++) dagre.push(await dagreOf(graph));
  log(`${turns} turns: ours ${ours.median.toFixed(2)} ms, dagre ${dagre.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  const figure = {
    name: `P10 layout of ${turns} nodes`,
    value: ours.median,
    unit: 'ms',
    peer: median(dagre),
    note: `${BRANCHES} branches, against dagre, ${dagre.length} run(s) of it`,
  };
  const ratio: FigureInput = { ...figure, target: { on: 'ratio', op: '>=', bound: 280 } };
  const rows = { ...ratio, name: `P10 rail of ${turns} nodes`, value: rail.median };
  return turns === BAR ? [ratio, rows, { ...figure, target: { on: 'value', op: '<=', bound: 10 } }] : [ratio, rows];
}

/** The same nodes and edges; milliseconds. */
async function dagreOf({ turns }: BranchGraph): Promise<number> {
  const worker = new Worker(new URL('../dagre-worker.mjs', import.meta.url), {
    workerData: turns.nodes.map(({ index, parent }) => ({ id: `${index}`, parent: parent && `${parent.index}` })),
    resourceLimits: { stackSizeMb: DAGRE_STACK_MB, maxOldGenerationSizeMb: 8_000 },
  });
  const [{ ms, placed }] = (await once(worker, 'message')) as [{ ms: number; placed: number }];
  if (placed !== turns.nodes.length) throw new Error(`dagre placed ${placed} of ${turns.nodes.length} nodes.`);
  return ms;
}

function appendTo(turns: number): number {
  const { entries, leafId } = branchyEntries(turns, BRANCHES);
  const graph = openedGraph(entries);
  graph.setLeaf(leafId);
  graph.rebuild();
  void [graph.rail, graph.layout];
  const grow = (count: number, prefix: string): void => {
    for (let at = 0; at < count; at++) {
      const seq = graph.turns.lastSeq + 1;
      const parentId = graph.leafId;
      const common = { time: seq, tokens: 400 };
      graph.append({ id: `${prefix}u${at}`, parentId, seq, kind: 'user', ...common });
      graph.setLeaf(`${prefix}u${at}`);
      graph.append({ id: `${prefix}a${at}`, parentId: `${prefix}u${at}`, seq: seq + 1, kind: 'assistant', ...common });
      graph.setLeaf(`${prefix}a${at}`);
      // What is on screen is read after each: what had to be made anew counts.
      void [graph.rail, graph.layout];
    }
  };
  grow(APPENDS, 'warm');
  const start = performance.now();
  grow(APPENDS, 'new');
  return (performance.now() - start) / APPENDS;
}

/** How often HEAD goes from one branch to another. */
const MOVES = 60;

/** P19, the layout of it: HEAD goes across 10,000 turns with 300 branches nested 12 deep, against dagre that places them all again. */
const movingHead: Case = {
  name: 'P19 layout',
  issue: 14,
  times: [
    'src/shared/graph/branch-graph.ts:BranchGraph.setLeaf',
    'src/shared/graph/branch-graph.ts:BranchGraph.rail',
    'src/shared/graph/branch-graph.ts:BranchGraph.layout',
  ],
  async run({ log }): Promise<FigureInput[]> {
    const session = nestedSession();
    const graph = openedGraph(session.entries);
    graph.setLeaf(session.leafId);
    const tips = graph.order.runs().map(({ tip }) => tip.tailId);
    const moves = (look: () => unknown): number => {
      const times: number[] = [];
      for (let at = 0; at < MOVES; at++) {
        const start = performance.now();
        graph.setLeaf(tips[(at * 97) % tips.length] ?? null);
        look();
        times.push(performance.now() - start);
      }
      // The first ones warm up.
      return median(times.slice(MOVES / 3));
    };
    const rail = moves(() => graph.rail);
    const canvas = moves(() => graph.layout);
    const fit = moves(() => graph.layouts.fitting(8, 40));
    const peer = await dagreOf(graph);
    log(
      `HEAD moved: rail ${rail.toFixed(1)}, canvas ${canvas.toFixed(1)}, chapters that fit ${fit.toFixed(1)} ms; dagre ${peer.toFixed(0)} ms`,
    );
    const figure = {
      unit: 'ms',
      peer,
      note: `median of ${(MOVES * 2) / 3} moves between branch ends, against dagre, once`,
    };
    const most = (bound: number) => ({ on: 'value', op: '<=', bound }) as const;
    return [
      { ...figure, name: 'P19 HEAD moved in 10,000 turns: rail laid out', value: rail, target: most(20) },
      { ...figure, name: 'P19 HEAD moved in 10,000 turns: canvas laid out', value: canvas, target: most(40) },
      { ...figure, name: 'P19 HEAD moved in 10,000 turns: chapters that fit', value: fit, target: most(80) },
    ];
  },
};

export default [graphLayout, movingHead];
