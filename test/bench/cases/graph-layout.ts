import { Graph, layout as layoutWithDagre } from '@dagrejs/dagre';
import { BranchGraph } from '../../../src/shared/graph/branch-graph';
import { branchyEntries } from '../../support/branchy-entries';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { compare } from '../harness';

const BRANCHES = 200;
const SIZES = [1000, 5000, 10_000] as const;
/** The size of quality.md P10. */
const BAR = 5000;
/** A trunk deeper than a few thousand turns is more than dagre's recursion can walk. */
const DAGRE_MOST = 1000;
const APPENDS = 500;

/** P10: lanes of 200 branches, from entries to places, against dagre on the same nodes; one turn more costs the same in all. */
const graphLayout: Case = {
  name: 'P10',
  issue: 4,
  async run(context): Promise<FigureInput[]> {
    const figures: FigureInput[] = [];
    const appends: number[] = [];
    for (const turns of SIZES) {
      figures.push(await layoutOf(turns, context));
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

async function layoutOf(turns: number, { log }: CaseContext): Promise<FigureInput> {
  const { entries, leafId } = branchyEntries(turns, BRANCHES);
  const graph = new BranchGraph();
  graph.load(entries);
  graph.setLeaf(leafId);
  const layOut = (): number => {
    graph.rebuild();
    return graph.layout.cells;
  };
  const name = `P10 layout of ${turns} nodes`;
  if (turns > DAGRE_MOST) {
    const { ours } = await compare({ ours: layOut, peer: () => graph.turns.nodes.length, equal: (a, b) => a === b });
    log(`${turns} turns: ${ours.median.toFixed(2)} ms`);
    const note = `${BRANCHES} branches; dagre walks recursively and overflows its stack here`;
    return { name, value: ours.median, unit: 'ms', note, target: { on: 'value', op: '<=', bound: turns / 500 } };
  }
  const { ours, peer, note } = await compare({
    ours: layOut,
    peer: () => dagreOf(graph),
    equal: (a, b) => a === b,
    repetitions: 3,
    warmups: 1,
  });
  log(`${turns} turns: ${note}`);
  return {
    name,
    value: ours.median,
    unit: 'ms',
    peer: peer.median,
    note: `${BRANCHES} branches, against dagre; ${note}`,
    target: { on: 'ratio', op: '>=', bound: 280 },
  };
}

/** The same nodes and edges, laid out as React Flow's own examples do it. */
function dagreOf({ turns }: BranchGraph): number {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'TB' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { index } of turns.nodes) graph.setNode(String(index), { width: 156, height: 46 });
  for (const { index, parent } of turns.nodes) if (parent) graph.setEdge(String(parent.index), String(index));
  layoutWithDagre(graph);
  return graph.nodes().length;
}

function appendTo(turns: number): number {
  const { entries, leafId } = branchyEntries(turns, BRANCHES);
  const graph = new BranchGraph();
  graph.load(entries);
  graph.setLeaf(leafId);
  graph.rebuild();
  const grow = (count: number, prefix: string): void => {
    for (let at = 0; at < count; at++) {
      const seq = graph.turns.lastSeq + 1;
      const parentId = graph.leafId;
      const common = { time: seq, tokens: 400 };
      graph.append({ id: `${prefix}u${at}`, parentId, seq, kind: 'user', ...common });
      graph.setLeaf(`${prefix}u${at}`);
      graph.append({ id: `${prefix}a${at}`, parentId: `${prefix}u${at}`, seq: seq + 1, kind: 'assistant', ...common });
      graph.setLeaf(`${prefix}a${at}`);
    }
  };
  grow(APPENDS, 'warm');
  const start = performance.now();
  grow(APPENDS, 'new');
  return (performance.now() - start) / APPENDS;
}

export default graphLayout;
