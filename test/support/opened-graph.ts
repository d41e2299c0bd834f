import { BranchGraph, type GraphOpening } from '../../src/shared/graph/branch-graph';
import type { Row } from '../../src/shared/session-state/state';

/** The graph of some entries as a session opens it: nothing folded, nothing left out but what `more` says. */
export function openedGraph(
  entries: Iterable<Row>,
  leafId: string | null = null,
  more: Partial<GraphOpening> = {},
): BranchGraph {
  const graph = new BranchGraph();
  const opening: GraphOpening = {
    ...{ leafId, labels: new Map(), pins: [], archived: new Set(), keptFrom: null },
    ...{ showsHidden: false, filter: 'all', folds: [] },
    ...more,
  };
  for (const _ of graph.open(entries, opening, Infinity));
  return graph;
}
