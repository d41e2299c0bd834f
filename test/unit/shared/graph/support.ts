import fc from 'fast-check';
import { openedGraph } from '../../../support/opened-graph';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { Row, RowKind } from '@shared/session-state/state';

const KINDS: readonly RowKind[] = [
  'user',
  'user',
  'assistant',
  'assistant',
  'toolResult',
  'bash',
  'custom',
  'compaction',
  'branchSummary',
  'modelChange',
  'thinkingChange',
  'unknown',
  'prune',
];

/** `back`: how many entries before the newest the parent is; more than there are: none. */
export type Step = {
  kind: RowKind;
  back: number;
  failed: boolean;
  /** What a message begins: a branch of its own, or a version of the last one that did; else it simply hangs there. */
  begins: 'branch' | 'version' | null;
};

export const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(60) }),
      failed: fc.boolean(),
      begins: fc.constantFrom(null, null, 'branch' as const, 'version' as const),
    }),
    { maxLength, minLength: 1 },
  );

/** Entries of a session that grew by these steps. */
export function entriesOf(list: readonly Step[]): Row[] {
  const entries: Row[] = [];
  let branchId = 'e0';
  list.forEach(({ kind, back, failed, begins }, at) => {
    const parent = entries[at - 1 - back];
    if (begins === 'branch') branchId = `e${at}`;
    entries.push({
      ...entry(`e${at}`, parent?.id ?? null, kind, at + 1),
      ...(failed ? { failed } : {}),
      ...(begins && kind === 'user' ? { branchId } : {}),
    });
  });
  return entries;
}

export function entry(id: string, parentId: string | null, kind: RowKind, seq: number): Row {
  return { id, parentId, seq, kind, time: seq * 1000, tokens: 10 };
}

/** `turns` turns of prompt and answer in a row; ids `u0`, `a0`, ... */
export function chain(turns: number): Row[] {
  const entries: Row[] = [];
  for (let at = 0; at < turns; at++) {
    entries.push(entry(`u${at}`, at === 0 ? null : `a${at - 1}`, 'user', entries.length + 1));
    entries.push(entry(`a${at}`, `u${at}`, 'assistant', entries.length + 1));
  }
  return entries;
}

export function graphOf(entries: readonly Row[], leafId = entries.at(-1)?.id ?? null): BranchGraph {
  return openedGraph(entries, leafId);
}

/** Where every cell is: lane and row by the index of its node. */
export function placesOf(graph: BranchGraph): Map<number, string> {
  const places = new Map<number, string>();
  for (const node of graph.turns.nodes) {
    const { layout } = graph;
    if (layout.isCell(node)) places.set(node.index, `${layout.laneOf(node)}:${layout.rowOf(node)}`);
  }
  return places;
}
