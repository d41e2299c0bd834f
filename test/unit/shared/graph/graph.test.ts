import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BranchGraph } from '@shared/graph/branch-graph';
import type { CanvasLayout } from '@shared/graph/canvas';
import { GRAPH_FILTERS } from '@shared/graph/filters';
import { GRAPH_PIECE } from '@shared/graph/pieces';
import type { TurnNode } from '@shared/graph/turns';
import type { Row } from '@shared/session-state/state';
import { openedGraph } from '../../../support/opened-graph';
import { chain, entriesOf, entry, graphOf, placesOf, type Step, steps } from './support';

describe('turns', () => {
  it('every entry is in exactly one turn, whatever the order of the file', () => {
    fc.assert(
      fc.property(steps(200), fc.integer(), (list, seed) => {
        const entries = entriesOf(list);
        const shuffled = entries
          .map((item, at) => ({ item, key: Math.sin(seed + at * 7919) }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
        for (const order of [entries, shuffled]) {
          const graph = graphOf(order);
          expect(graph.turns.entryCount).toBe(entries.length);
          const total = graph.turns.nodes.reduce((sum, node) => sum + node.entryCount, 0);
          expect(total).toBe(entries.length);
          for (const { id } of entries) expect(graph.turns.nodes).toContain(graph.turns.place(id)?.node);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('GR26: a turn is a prompt with all that follows it; settings fold into their neighbours', () => {
    const graph = graphOf([
      entry('m', null, 'modelChange', 1),
      entry('u1', 'm', 'user', 2),
      entry('a1', 'u1', 'assistant', 3),
      entry('t1', 'a1', 'toolResult', 4),
      entry('a2', 't1', 'assistant', 5),
      entry('th', 'a2', 'thinkingChange', 6),
      entry('u2', 'th', 'user', 7),
    ]);
    expect(
      graph.turns.nodes.map(({ kind, promptId, tailId, entryCount }) => [kind, promptId, tailId, entryCount]),
    ).toEqual([
      ['turn', 'u1', 'th', 6],
      ['turn', 'u2', 'u2', 1],
    ]);
  });

  it('another first message stands beside the first, not below it', () => {
    const graph = graphOf([
      entry('m', null, 'modelChange', 1),
      entry('u1', 'm', 'user', 2),
      entry('m2', 'm', 'modelChange', 3),
      entry('u2', 'm2', 'user', 4),
    ]);
    expect(graph.turns.roots.map((node) => node.promptId)).toEqual(['u1', 'u2']);
    expect(graph.turns.nodeAt('m2')).toBeNull();
  });

  it('GR27: an answer tried again stands beside its turn and splits nothing', () => {
    const graph = graphOf([
      entry('u', null, 'user', 1),
      entry('a', 'u', 'assistant', 2),
      entry('b', 'u', 'assistant', 3),
      entry('next', 'b', 'user', 4),
    ]);
    const [turn, again, next] = graph.turns.nodes;
    expect([turn?.kind, again?.kind, next?.kind]).toEqual(['turn', 'answer', 'turn']);
    expect([again?.parent, again?.hangsAt]).toEqual([null, turn]);
    expect(again?.promptId).toBe('u');
    expect(next?.parent).toBe(again);
  });

  it('GR28: an entry whose parent is nowhere stands at the top', () => {
    const graph = graphOf([entry('a', 'lost', 'user', 1), entry('b', 'a', 'user', 2)]);
    expect(graph.turns.roots.map((node) => node.contentId)).toEqual(['a']);
    expect(graph.turns.nodes).toHaveLength(2);
  });
});

describe('layout', () => {
  it('no two cells overlap, and each stands one row below the cell that it hangs at', () => {
    fc.assert(
      fc.property(steps(300), fc.constantFrom(...GRAPH_FILTERS), fc.boolean(), (list, filter, folded) => {
        const graph = graphOf(entriesOf(list));
        if (folded) graph.foldAll(true);
        graph.setFilter(filter);
        const places = placesOf(graph);
        expect(new Set(places.values()).size).toBe(places.size);
        const { layout } = graph;
        for (const node of graph.turns.nodes) {
          if (!layout.isCell(node)) continue;
          const above = layout.above(node);
          expect(layout.rowOf(node)).toBe(above ? layout.rowOf(above) + 1 : 0);
          expect(layout.at(layout.laneOf(node), layout.rowOf(node))).toBe(node);
        }
        expect(layout.within(0, Infinity, 0, Infinity)).toHaveLength(places.size);
      }),
      { numRuns: 80 },
    );
  });

  it('GR8: each entry is in a cell of canvas and chapters, whatever the tree; in room for what begins at the top all of it fits', () => {
    // HEAD's path, six branches and "N branches" may all begin at the top.
    const room = fc.record({ lanes: fc.integer({ min: 8, max: 12 }), rows: fc.integer({ min: 1, max: 30 }) });
    const said = (back: number): Step => ({ kind: 'user', back, failed: false, begins: null });
    fc.assert(
      fc.property(
        steps(300),
        fc.nat(299),
        room,
        fc.array(fc.nat(299), { maxLength: 8 }),
        (list, leaf, size, labels) => {
          const entries = entriesOf(list);
          const idAt = (pick: number): string => (entries[pick % entries.length] as Row).id;
          const graph = graphOf(entries, idAt(leaf));
          graph.setLabels(new Map(labels.map((pick) => [idAt(pick), 'here'])));
          const fitted = graph.layouts.fitting(size.lanes, size.rows);
          expect([fitted.lanes.length <= size.lanes, fitted.rows <= size.rows]).toEqual([true, true]);
          for (const layout of [graph.layout, fitted]) {
            const places = new Set<string>();
            for (const { id } of entries) {
              const node = graph.turns.place(id)?.node;
              const cell = node && layout.cellOf(node);
              expect(cell && layout.at(layout.laneOf(cell), layout.rowOf(cell))).toBe(cell ?? node);
              if (cell) places.add(`${layout.laneOf(cell)}:${layout.rowOf(cell)}`);
            }
            expect(places.size).toBe(layout.cells);
          }
          for (let node = graph.head; node; node = node.parent) {
            const cell = fitted.cellOf(node);
            expect(cell && fitted.laneOf(cell)).toBe(0);
          }
        },
      ),
      // A variant whose front a chapter took in.
      { numRuns: 80, examples: [[[said(0), said(0), said(1)], 0, { lanes: 8, rows: 2 }, []]] },
    );
  });

  it('lanes are consistent: rows rise in a lane, and every bend that crosses a window has its line', () => {
    fc.assert(
      fc.property(steps(300), fc.nat(12), fc.nat(12), (list, from, width) => {
        const { layout, turns } = graphOf(entriesOf(list));
        for (const cells of layout.lanes) {
          const rows = cells.map((cell) => layout.rowOf(cell));
          expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
        }
        // What is seen of a line within the lanes: where it comes from and where it ends or goes out of sight.
        const to = from + width;
        const seen = (nodes: readonly TurnNode[]): string[] =>
          nodes.flatMap((node) => {
            const above = layout.above(node);
            if (!above || layout.laneOf(above) === layout.laneOf(node)) return [];
            if (layout.laneOf(above) > to || layout.laneOf(node) < from) return [];
            return `${above.index}: ${Math.min(layout.laneOf(node), to + 1)}`;
          });
        for (let row = 0; row < layout.rows; row++) {
          const across = layout.bendsAcross(row, from, to);
          const all = turns.nodes.filter((node) => layout.isCell(node) && layout.rowOf(node) === row);
          expect(new Set(seen(across))).toEqual(new Set(seen(all)));
          expect(seen(across)).toHaveLength(across.length);
          expect(new Set(seen(across)).size).toBe(across.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('opened in pieces it is what the setters make of it', () => {
    const pick = fc.record({
      filter: fc.constantFrom(...GRAPH_FILTERS),
      showsHidden: fc.boolean(),
      keepsFolds: fc.boolean(),
      leaf: fc.nat(299),
      cut: fc.nat(299),
      piece: fc.integer({ min: 1, max: 400 }),
      seed: fc.integer(),
    });
    fc.assert(
      fc.property(steps(300), pick, (list, { filter, showsHidden, keepsFolds, leaf, cut, piece, seed }) => {
        const entries = entriesOf(list).sort((a, b) => ((a.seq * seed) % 7) - ((b.seq * seed) % 7));
        const idAt = (at: number): string => (entries[at % entries.length] as Row).id;
        const labels = new Map([[idAt(leaf + cut), 'here']]);
        const pins = [...new Set([idAt(leaf), idAt(cut), idAt(leaf + 2 * cut)])];
        const archived = new Set([idAt(cut)]);
        const set = new BranchGraph();
        for (const row of entries) set.append(row);
        set.setLabels(labels);
        set.setPins(pins);
        set.setLeaf(idAt(leaf));
        set.sort();
        set.setKept(idAt(cut + 1));
        set.setArchived(archived);
        if (showsHidden) set.showHidden(true);
        set.foldAll(true);
        const folds = set.keptFolds();
        if (filter !== 'all') set.setFilter(filter);
        const opened = new BranchGraph();
        const opening = {
          ...{ leafId: idAt(leaf), keptFrom: idAt(cut + 1), labels, pins, archived, showsHidden, filter },
          folds: keepsFolds ? folds : null,
        };
        for (const _ of opened.open(entries, opening, piece));
        expect(placesOf(opened)).toEqual(placesOf(set));
        expect(opened.keptFolds()).toEqual(folds);
        expect(opened.head?.index).toBe(set.head?.index);
        for (const node of opened.turns.nodes) {
          const other = set.turns.nodes[node.index] as TurnNode;
          expect(opened.pinsOf(node)).toEqual(set.pinsOf(other));
          expect(opened.isHidden(node)).toBe(set.isHidden(other));
          expect(opened.regionOf(node)).toBe(set.regionOf(other));
          expect(opened.layout.cellOf(node)?.index).toBe(set.layout.cellOf(other)?.index);
        }
      }),
      { numRuns: 80 },
    );
  });

  it.each([['kept'], ['made']])(
    'rests between pieces of bounded work: 20,000 turns in a row, their folds %s',
    (how) => {
      const entries = chain(20_000);
      const kept: [string, string][] = [['u1', 'u19900']];
      const graph = new BranchGraph();
      const opening = { leafId: 'a19999', keptFrom: null, labels: new Map(), pins: [], archived: new Set<string>() };
      const folds = how === 'kept' ? kept : null;
      const work = (): number => graph.turns.steps + graph.order.steps + graph.folds.steps;
      let [before, most, rests] = [0, 0, 0];
      for (const _ of graph.open(entries, { ...opening, showsHidden: false, filter: 'all', folds })) {
        most = Math.max(most, work() - before);
        before = work();
        rests++;
      }
      most = Math.max(most, work() - before);
      expect(graph.folds.of(graph.turns.place('u9000')!.node)?.count).toBeGreaterThan(19_000);
      expect(most).toBeLessThanOrEqual(2 * GRAPH_PIECE);
      // All of it was counted: the entries, the order in three passes and the path, the fold in two.
      expect(before).toBeGreaterThan(entries.length + 6 * 19_000);
      expect(rests).toBeGreaterThan((entries.length + 7 * 19_000) / (2 * GRAPH_PIECE));
    },
  );

  const wide = (parentId: string | null): Row[] =>
    Array.from({ length: 100_000 }, (_, at) => entry(`c${at}`, parentId, 'bash', at + 3));
  it.each([
    ['100,000 children of one turn', () => [...chain(1), ...wide('a0')]],
    ['100,000 children of one turn that comes last', () => [...wide('a0'), ...chain(1)]],
    ['100,000 children of a turn that never comes', () => wide('nowhere')],
    ['100,000 turns at the top', () => wide(null)],
  ])('rests between pieces of bounded work: %s', (_name, make) => {
    const graph = new BranchGraph();
    const entries = make();
    const opening = { leafId: 'c99999', keptFrom: null, labels: new Map(), pins: [], archived: new Set<string>() };
    const work = (): number => graph.turns.steps + graph.order.steps;
    let before = 0;
    let most = 0;
    for (const _ of graph.open(entries, { ...opening, showsHidden: false, filter: 'all', folds: null })) {
      most = Math.max(most, work() - before);
      before = work();
    }
    most = Math.max(most, work() - before);
    const { nodes } = graph.turns;
    for (const kind of ['canvas', 'rail'] as const) {
      const rests = [...graph.layouts.making(kind)].length;
      expect(rests).toBeGreaterThanOrEqual(Math.floor(nodes.length / GRAPH_PIECE));
      // It is there.
      expect([...graph.layouts.making(kind)]).toEqual([]);
    }
    expect(graph.layout.cells).toBeLessThanOrEqual(3);
    expect(nodes.every((node) => graph.layout.cellOf(node) !== null && graph.rail.indexOf(node) >= 0)).toBe(true);
    // What one pass left of its piece, and one look at the children of a fork, come on top of the next one's.
    expect(most).toBeLessThanOrEqual(3 * GRAPH_PIECE);
    // A window of it has as many lines as lanes, and one for all that stand beyond.
    expect(graph.layout.bendsAcross(1, 0, 8).length).toBeLessThanOrEqual(10);
    expect(graph.layout.bendsAcross(1, 50_000, 50_008).length).toBeLessThanOrEqual(10);
  });

  it.each([
    ['hang at one entry', (at: number) => entry(`v${at}`, 'a0', 'user', 3 + at)],
    ['are answers to one prompt', (at: number) => entry(`v${at}`, 'u0', 'assistant', 3 + at)],
  ])(
    'GR30: a filter looks at each of 3,000 variants that %s a few times, also where they are opened with it',
    (_, make) => {
      const count = 3_000;
      const entries = [...chain(1), ...Array.from({ length: count }, (_one, at) => make(at))];
      let looked = 0;
      const isOfFile = (node: TurnNode): boolean => (looked++, node.contentId === 'v7');
      const shown = ({ rail }: BranchGraph): string[] => rail.rows.map(({ node }) => node.contentId);
      const graph = openedGraph(entries, `v${count - 1}`, { filter: 'files', isOfFile, folds: null });
      const opened = shown(graph);
      void graph.layout;
      expect(looked).toBeLessThan(12 * count);
      looked = 0;
      graph.setFilter('files', isOfFile);
      expect(shown(graph)).toEqual(opened);
      void graph.layout;
      expect(looked).toBeLessThan(12 * count);
    },
  );

  it.each(['rail', 'canvas'] as const)(
    'a %s that is being made is given up where something changes meanwhile',
    (kind) => {
      const entries = chain(40);
      const graph = graphOf(entries);
      graph.rebuild();
      const making = graph.layouts.making(kind, 5);
      making.next();
      graph.append(entry('new', graph.leafId, 'user', entries.length + 1));
      expect(making.next().done).toBe(true);
      const shown = kind === 'rail' ? graph.rail.count : graph.layout.cells;
      expect(shown).toBe(graph.turns.nodes.length);
    },
  );

  it('GR30: chapters are made in pieces, are those that would be made at once, and are given up where something changes', () => {
    const session = (): Row[] => {
      const entries = chain(2_000);
      for (let at = 0; at < 60; at++)
        for (let turn = 0; turn < 1 + (at % 7); turn++)
          entries.push(
            entry(`b${at}.${turn}`, turn === 0 ? `a${at * 31}` : `b${at}.${turn - 1}`, 'user', entries.length + 1),
          );
      return entries;
    };
    const cells = (layout: CanvasLayout): string[] =>
      layout.lanes
        .flat()
        .map((cell) => `${cell.contentId}: ${layout.laneOf(cell)} ${layout.rowOf(cell)} ${layout.turnsIn(cell)}`);
    const graph = graphOf(session());
    const { layouts } = graph;
    expect(layouts.fittingNow(6, 12)).toBeNull();
    expect([...layouts.makingChapters(6, 12, 100)].length).toBeGreaterThan(graph.turns.nodes.length / 100);
    const made = layouts.fittingNow(6, 12);
    expect(made && cells(made)).toEqual(cells(graphOf(session()).layouts.fitting(6, 12)));
    expect([...layouts.makingChapters(6, 12, 100)]).toEqual([]);
    graph.setLeaf('b7.0');
    expect(layouts.fittingNow(6, 12)).toBeNull();
    const making = layouts.makingChapters(6, 12, 100);
    making.next();
    graph.append(entry('new', graph.leafId, 'user', graph.turns.lastSeq + 1));
    expect(making.next().done).toBe(true);
    expect(layouts.fittingNow(6, 12)).toBeNull();
  });

  it('the trunk stays straight however many branches leave it', () => {
    const entries = chain(300);
    for (let at = 0; at < 300; at += 3) entries.push(entry(`b${at}`, `a${at}`, 'user', entries.length + 1));
    const graph = graphOf(entries, 'a299');
    for (const node of graph.turns.nodes.slice(0, 300)) expect(graph.layout.laneOf(node)).toBe(0);
    expect(graph.layout.lanes.length).toBeLessThan(110);
  });

  it.each([
    ['a chain of 10,000 turns', () => chain(10_000)],
    [
      '5,000 children of one turn',
      () => [...chain(1), ...Array.from({ length: 5000 }, (_, at) => entry(`c${at}`, 'a0', 'user', at + 3))],
    ],
  ])('takes linear time: %s', (_name, make) => {
    const entries = make();
    const graph = graphOf(entries);
    expect(graph.turns.steps).toBe(entries.length);
    expect(graph.layout.steps).toBeLessThan(34 * graph.turns.nodes.length);
    const { steps: before } = graph.layout;
    graph.append(entry('new', graph.leafId, 'user', entries.length + 9));
    expect(graph.layout.steps - before).toBeLessThan(34);
  });
});

describe('folds', () => {
  it('long runs fold when a session is opened; marked turns, forks and the last turns stay', () => {
    const entries = chain(60);
    entries.push(entry('fork', 'a30', 'user', 500));
    const graph = graphOf(entries, 'a59');
    graph.setLabels(new Map([['u10', 'here']]));
    graph.foldAll(true);
    const folds = graph.folds.all().map(({ first, last, count }) => [first.contentId, last.contentId, count]);
    expect(folds).toEqual([
      ['u1', 'u8', 8],
      ['u12', 'u28', 17],
      ['u33', 'u46', 14],
    ]);
    expect(graph.layout.cells).toBe(60 - 8 - 17 - 14 + 3);
  });

  it('are kept as ids and restored, but only where they still fit', () => {
    fc.assert(
      fc.property(steps(300), fc.nat(300), (list, pick) => {
        const graph = graphOf(entriesOf(list));
        const node = graph.turns.nodes[pick % graph.turns.nodes.length];
        if (node) graph.toggleFold(node);
        const kept = graph.keptFolds();
        const again = openedGraph(entriesOf(list), graph.leafId, { folds: [...kept, ['gone', 'e0']] });
        expect(placesOf(again)).toEqual(placesOf(graph));
      }),
      { numRuns: 60 },
    );
  });

  it('a branch out of a fold hangs at it and moves nothing', () => {
    const graph = graphOf(chain(40));
    graph.foldAll(true);
    const before = placesOf(graph);
    graph.append(entry('out', 'a5', 'user', 900));
    const after = placesOf(graph);
    for (const [index, place] of before) expect(after.get(index)).toBe(place);
    const out = graph.turns.place('out')?.node;
    expect(out && graph.layout.above(out)).toBe(graph.folds.all()[0]?.first);
  });
});

describe('what is shown', () => {
  const branchy = [
    ...chain(5),
    entry('x', 'a1', 'user', 20),
    entry('y', 'x', 'assistant', 21),
    entry('z', 'y', 'user', 22),
  ];

  it('GR29: a hidden branch leaves the graph with all below it, and can be shown again', () => {
    const graph = graphOf(branchy, 'a4');
    graph.setArchived(new Set(['x']));
    expect(graph.layout.cells).toBe(5);
    graph.showHidden(true);
    expect(graph.layout.cells).toBe(7);
    expect(graph.turns.nodes.filter((node) => graph.isHidden(node)).map((node) => node.contentId)).toEqual(['x', 'z']);
  });

  it('HEAD in a hidden branch keeps its path on the graph', () => {
    const graph = graphOf(branchy, 'z');
    graph.setArchived(new Set(['x']));
    expect(graph.layout.cells).toBe(7);
  });

  it('GR29: a filter leaves matching turns and HEAD, hung at what is left above them', () => {
    const graph = graphOf(branchy, 'a4');
    graph.setLabels(new Map([['z', 'later']]));
    graph.setFilter('labelled');
    const shown = graph.turns.nodes.filter((node) => graph.layout.isCell(node)).map((node) => node.contentId);
    expect(shown).toEqual(['u4', 'z']);
  });

  it('GR21: what follows an entry goes straight on where nothing was said after it, choices aside', () => {
    const turn = [entry('u1', 'a0', 'user', 3), entry('a1', 'u1', 'assistant', 4), entry('t1', 'a1', 'toolResult', 5)];
    const end = [entry('b1', 't1', 'assistant', 6), entry('m', 'b1', 'modelChange', 7)];
    const { turns } = graphOf([...chain(1), ...turn, ...end], 'm');
    expect(['m', 'b1', 't1', 'u1', 'a0'].filter((id) => turns.isEnd(id))).toEqual(['m', 'b1']);
  });

  it('GR20: what was put away is not counted among what a filter hides', () => {
    const graph = graphOf([...chain(3), entry('x', 'a1', 'bash', 20), entry('y', 'x', 'bash', 21)], 'a2');
    graph.setFilter('noTools');
    expect(graph.countFiltered()).toBe(2);
    graph.setArchived(new Set(['x']));
    expect(graph.countFiltered()).toBe(0);
    graph.showHidden(true);
    expect(graph.countFiltered()).toBe(2);
  });

  it('GR20: what a filter found is counted without HEAD’s turn, which it leaves for another reason, and without what is hidden', () => {
    const failed = (row: Row): Row => (row.id === 'a1' || row.id === 'a2' ? { ...row, failed: true } : row);
    const rows = [
      ...chain(4),
      entry('u9', 'a1', 'user', 20),
      failed({ ...entry('a2x', 'u9', 'assistant', 21), failed: true }),
    ];
    const graph = graphOf(rows.map(failed), 'a3');
    graph.setFilter('errors');
    expect([graph.countFound(), graph.isShown(graph.head as TurnNode)]).toEqual([3, true]);
    graph.setArchived(new Set(['u9']));
    expect(graph.countFound()).toBe(2);
    graph.setFilter('labelled');
    expect(graph.countFound()).toBe(0);
  });

  it('GR20: an error is a failed reply or a failed tool; what the person stopped is none', () => {
    const entries = chain(5);
    const mark = (id: string, more: Partial<Row>): void =>
      void Object.assign(entries.find((row) => row.id === id) ?? {}, more);
    mark('a0', { failed: true });
    mark('a1', { stopped: true });
    const last = entries.length + 1;
    entries.push({
      ...entry('t', 'a4', 'toolResult', last),
      ended: { outcome: 'failed', note: 'failed' },
      callId: 'call',
    });
    entries.push({ ...entry('done', 't', 'toolResult', last + 1), changed: true, file: 'a.ts', callId: 'other' });
    const graph = graphOf([...entries, entry('u9', 'done', 'user', last + 2)], 'u9');
    const shown = (): string[] => graph.rail.rows.map(({ node }) => node.contentId);
    graph.setFilter('errors');
    expect(shown()).toEqual(['u0', 'u4', 'u9']);
    expect(graph.countFiltered()).toBe(3);
    graph.setFilter('files', (node) => node.files.has('a.ts'));
    expect(shown()).toEqual(['u4', 'u9']);
    graph.setFilter('files', (node) => node.files.has('b.ts'));
    expect(shown()).toEqual(['u9']);
    graph.setFilter('noTools');
    expect(graph.countFiltered()).toBe(0);
  });

  it('tells what the model sees from what a summary covers', () => {
    const entries = [...chain(4), entry('c', 'a3', 'compaction', 50), entry('after', 'c', 'user', 51)];
    const graph = graphOf(entries);
    const regions = () => graph.turns.nodes.map((node) => graph.regionOf(node));
    expect(regions()).toEqual(['summarised', 'summarised', 'summarised', 'summarised', 'seen', 'seen']);
    graph.setKept('a2');
    expect(regions()).toEqual(['summarised', 'summarised', 'seen', 'seen', 'seen', 'seen']);
    graph.setLeaf('a1');
    expect(regions()).toEqual(['seen', 'seen', 'aside', 'aside', 'aside', 'aside']);
  });
});
