import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BranchGraph } from '@shared/graph/branch-graph';
import { GRAPH_FILTERS } from '@shared/graph/filters';
import { outlineRows } from '@shared/graph/outline';
import type { TurnNode } from '@shared/graph/turns';
import type { Row } from '@shared/session-state/state';
import { GraphOracle } from '../../../support/graph-oracle';
import { chain, entriesOf, entry, graphOf, steps } from './support';

function opened(graph: BranchGraph): BranchGraph {
  for (const run of graph.order.runs()) graph.openRun(run, true);
  return graph;
}

const at = (entries: readonly Row[], pick: number): string => (entries[pick % entries.length] as Row).id;

/** What is on the rail, to compare. */
const rowsOf = ({ rail }: BranchGraph): unknown[] =>
  rail.rows.map(({ kind, node, lane, from, count, run }) => [kind, node.index, lane, from, count, run.first.index]);

/** What is on the canvas: where each turn is, and what its cell stands for. */
const cellsOf = ({ turns, layout }: BranchGraph): unknown[] =>
  turns.nodes.map((node) => [
    ...[layout.cellOf(node)?.index, layout.nearest(node)?.index],
    ...(layout.isCell(node) ? [layout.turnsIn(node), layout.manyIn(node)] : []),
  ]);

describe('rail', () => {
  it('GR7: a branch’s rows stand directly under the turn that it leaves, before what goes straight on', () => {
    fc.assert(
      fc.property(steps(150), fc.nat(149), (list, pick) => {
        // Summaries draw edges that take lanes; more than six at one fork are one row: both have tests of their own.
        const entries = entriesOf(list);
        const graph = opened(graphOf(entries, at(entries, pick)));
        const naive = new GraphOracle(graph).rows(null);
        expect(graph.rail.rows.map(({ node }) => node.index)).toEqual(naive.map(({ node }) => node.index));
        const isOneTree = graph.turns.roots.length === 1;
        if (isOneTree) expect(graph.rail.rows.map(({ lane }) => lane)).toEqual(naive.map(({ lane }) => lane));
      }),
      { numRuns: 120 },
    );
  });

  it('GR1, GR3: HEAD’s path is lane 0 from top to bottom, and what is appended to it moves nothing', () => {
    fc.assert(
      fc.property(steps(120), fc.nat(119), fc.nat(5), (list, pick, more) => {
        const entries = entriesOf(list);
        const graph = graphOf(entries, at(entries, pick));
        for (let node = graph.head; node; node = node.parent) {
          const row = graph.rail.rowAt(graph.rail.indexOf(node));
          expect([row?.lane, row?.node]).toEqual([0, node]);
        }
        if (graph.head?.children.length !== 0) return;
        for (let n = 0; n < more; n++) {
          const before = rowsOf(graph);
          const seq = graph.turns.lastSeq + 1;
          graph.append(entry(`n${n}`, graph.head.tailId, 'user', seq));
          graph.setLeaf(`n${n}`);
          expect(rowsOf(graph).slice(0, before.length)).toEqual(before);
        }
        graph.sort();
        expect(graph.rail.rows.at(-1)?.node).toBe(graph.head);
      }),
      { numRuns: 80 },
    );
  });

  it('every entry is reachable: it has a row, or is in the row of its fold, stack, branch, or “N branches”', () => {
    const pick = fc.record({ leaf: fc.nat(299), fold: fc.boolean(), open: fc.array(fc.nat(299), { maxLength: 5 }) });
    fc.assert(
      fc.property(steps(300), pick, (list, { leaf, fold, open }) => {
        const entries = entriesOf(list);
        const graph = graphOf(entries, at(entries, leaf));
        if (fold) graph.foldAll(true);
        for (const one of open) {
          const node = graph.turns.place(at(entries, one))?.node;
          if (node) graph.openRun(graph.order.runOf(node), true);
        }
        for (const node of graph.turns.nodes) {
          const index = graph.rail.indexOf(node);
          const row = graph.rail.rowAt(index);
          expect(row).not.toBeNull();
          if (row?.kind === 'turn') expect(graph.order.variants.frontOf(node)).toBe(row.node);
          if (row?.kind === 'branch') expect(within(graph, node, row.node)).toBe(true);
        }
        for (const node of graph.turns.nodes) {
          graph.reveal(node);
          const row = graph.rail.rowAt(graph.rail.indexOf(node));
          expect(row && [row.kind, graph.shownOn(row.node)]).toEqual(['turn', node]);
        }
      }),
      { numRuns: 40 },
    );
  });

  /** Twelve turns, all but the last one folded, of which one has failed. */
  function failedInFold(): BranchGraph {
    const entries = chain(12).map((row) => (row.id === 'a4' ? { ...row, failed: true as const } : row));
    const graph = graphOf(entries);
    graph.toggleFold(graph.turns.place('u4')!.node);
    graph.setFilter('errors');
    return graph;
  }

  it('GR20: a turn that a filter leaves of a fold is found in its row, its cell, its line', () => {
    const graph = failedInFold();
    const failed = graph.turns.place('u4')!.node;
    expect(graph.rail.rows.map(({ kind, node }) => [kind, node.contentId])).toEqual([
      ['turn', 'u4'],
      ['turn', 'u11'],
    ]);
    expect([graph.rail.indexOf(failed), graph.rail.nearest(failed)]).toEqual([0, 0]);
    expect(graph.layout.cellOf(failed)).toBe(failed);
    expect(outlineRows(graph, new Set()).map(({ node }) => node.contentId)).toEqual(['u4', 'u11']);
    // What the turn gets throws away no rows.
    const { rail, moves } = graph;
    graph.append(entry('more', 'a4', 'thinkingChange', 99));
    expect([graph.rail === rail, graph.moves]).toEqual([true, moves]);
  });

  it('each turn that is shown is in a row, a cell and the outline, whatever is folded and filtered', () => {
    const filters = fc.constantFrom(...GRAPH_FILTERS);
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 4, maxLength: 30 }),
        fc.nat(29),
        filters,
        (fails, leaf, filter) => {
          const entries = chain(fails.length).map((row, n) =>
            n % 2 === 1 && fails[n >> 1] ? { ...row, failed: true as const } : row,
          );
          const graph = graphOf(entries, at(entries, leaf));
          graph.toggleFold(graph.turns.nodes[(leaf + 2) % fails.length] as TurnNode);
          graph.setFilter(filter);
          const lines = new Set(outlineRows(graph, new Set()).map(({ node }) => node));
          for (const node of graph.turns.nodes.filter((one) => graph.isShown(one))) {
            const cell = graph.layout.cellOf(node);
            expect([graph.rail.indexOf(node) >= 0, cell && lines.has(cell)]).toEqual([true, true]);
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  /** Each row is found by the node that it is known by: what is drawn, clicked and walked asks for it so. */
  const areFound = ({ rail }: BranchGraph): void => {
    expect(rail.rows.map(({ node }) => rail.indexOf(node))).toEqual(rail.rows.map((_, row) => row));
    rail.rows.forEach(({ members = [] }, row) => {
      expect(members.map((first) => rail.indexOf(first))).toEqual(members.map(() => row));
    });
  };

  it('GR7, GR20: a branch that begins with what a filter leaves out has its row, so has "N branches"', () => {
    const summary = (at: number) => [
      entry(`s${at}`, 'a1', 'branchSummary', 20 + 3 * at),
      entry(`y${at}`, `s${at}`, 'user', 21 + 3 * at),
      entry(`z${at}`, `y${at}`, 'assistant', 22 + 3 * at),
    ];
    const one = graphOf([...chain(4), ...summary(0)], 'a3');
    one.setFilter('user');
    expect(one.rail.rows.map(({ kind, node }) => [kind, node.contentId])).toContainEqual(['branch', 's0']);
    areFound(one);
    const seven = graphOf([...chain(4), ...[0, 1, 2, 3, 4, 5, 6].flatMap(summary)], 'a3');
    seven.setFilter('user');
    expect(seven.rail.rows.map(({ kind }) => kind)).toContain('many');
    areFound(seven);
  });

  it('GR20: where HEAD was, a filter leaves its turn out once HEAD has gone on', () => {
    const graph = graphOf([...chain(2), entry('b', 'a1', 'bash', 10)], 'b');
    graph.setFilter('user');
    expect([graph.rail.rows.at(-1)?.node.contentId, graph.layout.cells]).toEqual(['b', 3]);
    graph.append(entry('n', 'b', 'user', 11));
    graph.setLeaf('n');
    expect(graph.rail.rows.map(({ node }) => node.contentId)).toEqual(['u0', 'u1', 'n']);
    expect(graph.layout.cells).toBe(3);
    areFound(graph);
  });

  it('every row is found by its node, whatever is filtered and opened', () => {
    const filters = fc.constantFrom(...GRAPH_FILTERS);
    fc.assert(
      fc.property(
        steps(60),
        fc.nat(59),
        filters,
        fc.array(fc.nat(59), { maxLength: 3 }),
        (list, pick, filter, open) => {
          const entries = entriesOf(list);
          const graph = graphOf(entries, at(entries, pick));
          graph.setFilter(filter);
          areFound(graph);
          for (const one of open) graph.reveal(graph.turns.place(at(entries, one))!.node);
          areFound(graph);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('rows are the same whether they are opened in pieces or at once', () => {
    const pick = fc.record({
      ...{ leaf: fc.nat(199), filter: fc.constantFrom(...GRAPH_FILTERS), piece: fc.integer({ min: 1, max: 300 }) },
      ...{ archived: fc.nat(199), open: fc.array(fc.nat(199), { maxLength: 4 }) },
    });
    fc.assert(
      fc.property(steps(200), pick, (list, { leaf, filter, piece, archived, open }) => {
        const entries = entriesOf(list);
        const openRuns = open.map((one) => at(entries, one));
        const opening = {
          ...{ leafId: at(entries, leaf), labels: new Map(), pins: [], archived: new Set([at(entries, archived)]) },
          ...{ keptFrom: null, showsHidden: false, filter, folds: [], openRuns },
        };
        const pieces = new BranchGraph();
        for (const _ of pieces.open(entries, opening, piece));
        const whole = new BranchGraph();
        for (const _ of whole.open(entries, opening));
        expect(rowsOf(pieces)).toEqual(rowsOf(whole));
      }),
      { numRuns: 60 },
    );
  });

  it('GR3: rows and cells that grew entry by entry are those that are made anew, with HEAD following or resting, whatever is opened, filtered and hidden', () => {
    const pick = fc.record({
      ...{ leaf: fc.nat(99), filter: fc.constantFrom(...GRAPH_FILTERS), follows: fc.boolean() },
      ...{ open: fc.array(fc.nat(99), { maxLength: 4 }), every: fc.integer({ min: 1, max: 4 }) },
      ...{ archived: fc.array(fc.nat(99), { maxLength: 3 }), sought: fc.nat(99), isSought: fc.boolean() },
    });
    fc.assert(
      fc.property(steps(60), steps(30), pick, (list, more, { leaf, filter, follows, open, every, ...hides }) => {
        const all = entriesOf([...list, ...more]);
        const before = all.slice(0, list.length);
        const graph = graphOf(before, at(before, leaf));
        graph.setFilter(filter);
        graph.setArchived(new Set(hides.archived.map((one) => at(before, one))));
        if (hides.isSought) graph.spare(graph.turns.place(at(before, hides.sought))!.node);
        for (const one of open) graph.openRun(graph.order.runOf(graph.turns.place(at(before, one))!.node), true);
        all.slice(list.length).forEach((row, n) => {
          void graph.rail;
          void graph.layout;
          graph.append(row);
          if (follows && row.parentId === graph.leafId) graph.setLeaf(row.id);
          if (n % every > 0) return;
          const grown = [rowsOf(graph), cellsOf(graph)];
          areFound(graph);
          graph.rebuild();
          expect(grown).toEqual([rowsOf(graph), cellsOf(graph)]);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('GR7: a filter that finds shows what is in closed branches too, one that thins out leaves them closed', () => {
    const graph = graphOf(
      [...chain(4), ...[entry('x', 'a1', 'user', 20), entry('y', 'x', 'assistant', 21), entry('z', 'y', 'user', 22)]],
      'a3',
    );
    graph.setLabels(new Map([['z', 'later']]));
    const kinds = (): unknown[] => graph.rail.rows.map(({ kind, node }) => [kind, node.contentId]);
    expect(kinds()).toEqual([
      ['turn', 'u0'],
      ['turn', 'u1'],
      ['branch', 'x'],
      ['turn', 'u2'],
      ['turn', 'u3'],
    ]);
    graph.setFilter('labelled');
    expect(kinds()).toEqual([
      ['turn', 'z'],
      ['turn', 'u3'],
    ]);
    graph.setFilter('user');
    expect(kinds()).toHaveLength(5);
  });
});

/** Whether a node stands below another, or is a variant of one that does. */
function within(graph: BranchGraph, node: TurnNode, first: TurnNode): boolean {
  for (let above: TurnNode | null = graph.order.variants.frontOf(node); above; above = above.parent) {
    if (above === first) return true;
  }
  return false;
}
