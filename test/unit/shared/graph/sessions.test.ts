import { isFailure } from '@shared/policy/call-outcome';
import { describe, expect, it } from 'vitest';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { RailSegment } from '@shared/graph/rail-lines';
import type { Row } from '@shared/session-state/state';
import {
  combSession,
  compactedSession,
  editedSession,
  fanSession,
  fieldSession,
  type GraphSession,
  journalOf,
  nestedSession,
  starSession,
} from '../../../support/graph-sessions';
import { rowOf } from '../../../../src/main/session/machine/rows';
import { readSession } from '../../../support/read-session';
import { chain, entry, graphOf } from './support';

const open = ({ entries, leafId }: GraphSession): BranchGraph => graphOf(entries, leafId);
const SCREEN = 26; // rows of the rail

/** Most lanes in which anything is drawn on one screen of the rail. */
function lanesOnScreen(graph: BranchGraph): number {
  let most = 0;
  for (let from = 0; from < graph.rail.count; from++) {
    const { segments, bends } = graph.railLines(from, from + SCREEN - 1);
    const lanes = new Set([...segments.map(({ lane }) => lane), ...bends.map(({ to }) => to)]);
    most = Math.max(most, lanes.size);
  }
  return most;
}

const SESSIONS: [string, GraphSession, number][] = [
  ['60 turns, every third prompt edited', editedSession(), 60 + 20],
  ['five branches of one turn', fanSession(5), 4 + 15 + 6],
  ['twelve branches of one turn', fanSession(12), 4 + 36 + 6],
  ['10,000 turns, 300 branches nested 12 deep', nestedSession(), 10_000],
  ['a star of 2,000', starSession(), 4001],
  ['a comb of 600', combSession(), 1800],
  ['800 turns, 40 compactions', compactedSession(), 800],
  ['300 turns, 9 branches', fieldSession(), 300],
];

describe('the sessions that the graph is built for', () => {
  it.each(SESSIONS)('%s: as many turns as it says, HEAD in lane 0 of rail and canvas', (_name, session, turns) => {
    const graph = open(session);
    const { nodes } = graph.turns;
    expect(nodes.filter(({ kind }) => kind === 'turn')).toHaveLength(turns);
    const { rail, layout } = graph;
    for (let node = graph.head; node; node = node.parent) {
      const cell = layout.cellOf(node) ?? node;
      if (rail.rowAt(rail.indexOf(node))?.lane !== 0 || layout.laneOf(cell) !== 0) expect(node).toBeNull();
    }
    expect(nodes.filter((node) => graph.rail.indexOf(node) < 0 || !graph.layout.cellOf(node))).toEqual([]);
  });

  it('their journals are read as they are', () => {
    for (const session of [editedSession(9), compactedSession(60, 4)]) {
      const { tree } = readSession(journalOf(session), { randomHex: () => '00000000' });
      expect(tree.leafId).toBe(session.leafId);
      for (const { id, kind, parentId, fromId } of session.entries) {
        const node = tree.node(id);
        expect(node && { ...rowOf(tree, node), fromId: rowOf(tree, node).fromId }).toMatchObject({
          id,
          kind,
          parentId,
          fromId,
        });
      }
    }
  });

  it('GR20: the row of a result tells of a tool that failed, not of one that was declined or stopped', () => {
    const outcomes = [undefined, 'failed', 'declined', 'stopped', 'notRun', 'ran'];
    const [header = '', ...lines] = journalOf(editedSession(1));
    const results = outcomes.map((outcome, at) => {
      const details = outcome === undefined ? undefined : { espalier: { outcome } };
      const message = {
        role: 'toolResult',
        toolCallId: `c${at}`,
        toolName: 'bash',
        isError: true,
        content: [],
        details,
      };
      return JSON.stringify({
        type: 'message',
        id: `r${at}`,
        parentId: 'a2',
        timestamp: '2026-10-01T09:00:00Z',
        message,
      });
    });
    const { tree } = readSession([header, ...lines, ...results], { randomHex: () => '00000000' });
    const failed = outcomes.map((_, at) => {
      const node = tree.node(`r${at}`);
      const ended = node && rowOf(tree, node).ended;
      return ended ? isFailure(ended) : null;
    });
    // A command that ran and did not end well is a failure too.
    expect(failed).toEqual([true, true, false, false, false, true]);
  });

  it('GR4, GR5: sixty turns with every third prompt edited stay in one lane', () => {
    const graph = open(editedSession());
    expect(graph.rail.rows.every(({ lane }) => lane === 0)).toBe(true);
    expect(lanesOnScreen(graph)).toBe(1);
    expect(graph.turns.nodes.filter((node) => graph.stackOf(node)?.front === node)).toHaveLength(20);
  });

  it('GR6: more than six branches of one turn are one row and one cell; HEAD’s, labelled and opened ones stay out', () => {
    const five = open(fanSession(5));
    expect(five.rail.rows.filter(({ kind }) => kind === 'branch')).toHaveLength(5);
    const twelve = open(fanSession(12));
    const [many] = twelve.rail.rows.filter(({ kind }) => kind === 'many');
    expect([many?.count, many?.leaves?.contentId]).toEqual([12, 'u7']);
    expect(twelve.rail.count).toBe(4 + 1 + 6);
    const [third, fifth] = twelve.order.siblings(many?.leaves ?? null).slice(2);
    if (!third || !fifth) throw new Error('no branches');
    twelve.setLabels(new Map([[third.contentId, 'keep']]));
    twelve.rebuild();
    twelve.openRun(twelve.order.runOf(fifth), true);
    const kinds = twelve.rail.rows.filter(({ lane }) => lane > 0).map(({ kind, count }) => [kind, count]);
    expect(kinds).toEqual([
      ['branch', 3],
      ['turn', 1],
      ['turn', 1],
      ['turn', 1],
      ['many', 10],
    ]);
    expect(twelve.layout.manyIn(many?.node as never)).toBe(10);
    // Opened from the list of the canvas it stands there by itself.
    const [other] = twelve.order.siblings(many?.leaves ?? null).slice(-1);
    if (!other) throw new Error('no branches');
    expect(twelve.layout.isCell(other)).toBe(other === many?.node);
    twelve.openRun(twelve.order.runOf(other), true);
    expect(twelve.layout.isCell(other) && twelve.layout.manyIn(other) === 0).toBe(true);
  });

  it('GR6, GR29: on the canvas "N branches" counts those that are on the graph, as the rail does', () => {
    const { entries, leafId } = fanSession(9);
    const graph = graphOf(entries, leafId);
    const { leaves } = graph.rail.rows.find(({ kind }) => kind === 'many')!;
    const firsts = graph.order.siblings(leaves).map(({ contentId }) => contentId);
    const counts = (): number[][] =>
      [graph.layout, graph.layouts.fitting(8, 16)].map((layout) =>
        layout.lanes.flat().flatMap((cell) => layout.manyIn(cell) || []),
      );
    expect(counts()).toEqual([[9], [9]]);
    for (const [put, left] of [
      [2, [7]],
      [7, []],
      [9, []],
    ] as const) {
      graph.setArchived(new Set(firsts.slice(0, put)));
      expect(graph.rail.rows.flatMap(({ kind, count }) => (kind === 'many' ? [count] : []))).toEqual(left);
      expect(counts()).toEqual([left, left]);
    }
  });

  it('GR6, GR8: a star of 2,000 is one screen', () => {
    const graph = open(starSession());
    expect(graph.rail.count).toBe(1 + 1 + 2);
    expect([graph.layout.rows, graph.layout.lanes.length]).toEqual([3, 2]);
  });

  it('GR7: two levels deep and opened, the rail of 10,000 turns has few lanes and a bounded number of lines', () => {
    const graph = open(nestedSession());
    expect(lanesOnScreen(graph)).toBeLessThanOrEqual(3);
    for (const run of graph.order.runs()) graph.openRun(run, true);
    expect(graph.rail.lanes).toBeLessThanOrEqual(13);
    for (let from = 0; from < graph.rail.count; from += 97) {
      const { segments, bends } = graph.railLines(from, from + SCREEN);
      expect(segments.length + bends.length).toBeLessThanOrEqual(3 * SCREEN + 2 * 13);
    }
  });

  it('GR4: a branch whose summary was brought over has its violet edge down to ◇, in a lane that nothing else takes', () => {
    const graph = open(compactedSession());
    const all = graph.railLines(0, graph.rail.count);
    const joins = all.bends.filter(({ kind }) => kind === 'join');
    const summaries = graph.turns.nodes.filter(({ kind }) => kind === 'summary');
    expect(joins.map(({ row }) => graph.rail.rowAt(row)?.node)).toEqual(summaries);
    for (const { row, from } of joins) {
      const line = all.segments.find(({ lane, to, region }) => region === 'source' && lane === from && to === row);
      const source = graph.rail.rowAt(line?.from ?? -1);
      const place = graph.turns.place(graph.rail.rowAt(row)?.node.fromId ?? '')?.node;
      expect([source?.kind, source?.lane]).toEqual(['branch', from]);
      expect(place && graph.order.runOf(place).first).toBe(source?.node);
      for (let between = (line?.from ?? 0) + 1; between < row; between++) {
        expect(graph.rail.rowAt(between)?.lane).not.toBe(from);
      }
    }
  });

  it('GR4: a summary that was taken along as a branch was left has no violet edge', () => {
    const { entries, leafId } = compactedSession();
    const graph = open({ entries: entries.map(({ broughtOver: _, ...row }) => row), leafId });
    expect(graph.turns.nodes.some(({ kind, fromId }) => kind === 'summary' && fromId !== null)).toBe(true);
    const { bends, segments } = graph.railLines(0, graph.rail.count);
    expect(bends.filter(({ kind }) => kind === 'join')).toEqual([]);
    expect(segments.filter(({ region }) => region === 'source')).toEqual([]);
  });

  it('GR8: whatever it is, its chapters fit into what is there', () => {
    for (const [, session] of SESSIONS) {
      const graph = open(session);
      for (const [lanes, rows] of [
        [8, 40],
        [3, 12],
        [1, 1],
      ] as const) {
        const fitted = graph.layouts.fitting(lanes, rows);
        expect(fitted.lanes.length).toBeLessThanOrEqual(lanes);
        expect(fitted.rows).toBeLessThanOrEqual(rows);
        const cells = fitted.lanes.flat();
        const behind = graph.turns.nodes.filter((node) => graph.order.variants.isBehind(node)).length;
        expect(cells.reduce((sum, cell) => sum + fitted.turnsIn(cell), 0)).toBe(graph.turns.nodes.length - behind);
        expect(graph.turns.nodes.filter((node) => !fitted.cellOf(node))).toEqual([]);
      }
    }
  });

  it('GR8: which chapters fit does not depend on which fitted before', () => {
    for (const [, session] of SESSIONS) {
      const graph = open(session);
      const places = (of: BranchGraph, size: number): (string | undefined)[] =>
        of.layouts.fitting(size, size * 4).lanes.flatMap((cells) => cells.map(({ contentId }) => contentId));
      for (const size of [8, 1, 3, 2, 8]) {
        graph.rebuild();
        expect(places(graph, size)).toEqual(places(open(session), size));
      }
    }
  });

  it('GR8: what has no room for all of its chapters still fills it: the largest branches, the newest compactions and HEAD', () => {
    const [lanes, rows] = [5, 11];
    for (const session of [nestedSession(), combSession(), compactedSession()]) {
      const graph = open(session);
      const fitted = graph.layouts.fitting(lanes, rows);
      expect(fitted.rows).toBeGreaterThanOrEqual(rows - 1);
      const trunk = fitted.lanes[0] ?? [];
      expect(graph.head && fitted.cellOf(graph.head)).toBe(trunk.at(-1));
      expect(trunk.length).toBeGreaterThanOrEqual(rows - 1);
    }
    const nested = open(nestedSession());
    const shown = nested.layouts.fitting(lanes, rows).lanes.slice(1).flat();
    const sizes = nested.order.runs().flatMap(({ first }) => (first.parent ? [nested.order.sizeOf(first)] : []));
    expect(shown.some((first) => nested.order.sizeOf(first) === Math.max(...sizes))).toBe(true);
  });

  it('GR8: more ways to begin than there are lanes are one cell of the chapters too', () => {
    const entries: Row[] = [];
    const turn = (parentId: string | null): string => {
      const [user, answer] = [entries.length + 1, entries.length + 2];
      entries.push(entry(`u${user}`, parentId, 'user', user), entry(`a${answer}`, `u${user}`, 'assistant', answer));
      return `a${answer}`;
    };
    for (let way = 0; way < 9; way++) {
      const fork = turn(null);
      for (let branch = 0; branch < 2; branch++) turn(turn(fork));
    }
    const fitted = graphOf(entries).layouts.fitting(3, 1);
    expect([fitted.lanes.length, fitted.rows]).toEqual([2, 1]);
  });

  it('moving HEAD moves no line over another: segments of a lane never overlap', () => {
    const session = compactedSession(200, 10);
    const graph = open(session);
    for (let at = 5; at < session.entries.length; at += 37) {
      graph.setLeaf(session.entries[at]?.id ?? null);
      const { segments } = graph.railLines(0, graph.rail.count);
      for (let lane = 0; lane < graph.rail.lanes; lane++) {
        const lines = segments.filter((line) => line.lane === lane);
        lines.sort((a, b) => a.from - b.from);
        lines.forEach((line, n) =>
          expect(line.from).toBeGreaterThanOrEqual((lines[n - 1] as RailSegment | undefined)?.to ?? -1),
        );
      }
    }
  });

  it('GR8: what begins a chapter later is chosen among them as if all were laid out anew', () => {
    const graph = open(compactedSession(30, 3));
    const [lanes, rows] = [8, 5];
    const chapters = () => graph.layouts.fitting(lanes, rows);
    const placed = (): string[] =>
      chapters()
        .lanes.flat()
        .map(
          (cell) =>
            `${cell.contentId}: ${chapters().laneOf(cell)} ${chapters().rowOf(cell)} ${chapters().turnsIn(cell)}`,
        );
    const append = (id: string, parentId: string | null, kind: Row['kind']): void => {
      graph.append(entry(id, parentId, kind, graph.turns.lastSeq + 1));
      if (parentId === graph.leafId) graph.setLeaf(id);
    };
    const fork = graph.leafId;
    const isAnew = (): void => {
      const [here, { moves }] = [placed(), graph];
      graph.rebuild();
      expect(placed()).toEqual(here);
      expect(graph.moves).toBeGreaterThan(moves);
    };
    for (let n = 0; n < 6; n++) {
      for (const half of ['a', 'b']) append(`n${n}${half}`, graph.leafId, 'user');
      const [before, { moves }] = [chapters(), graph];
      append(`c${n}`, graph.leafId, 'compaction');
      const newest = graph.turns.place(`c${n}`)!.node;
      expect(chapters().isCell(newest)).toBe(true);
      // Whoever looks at them is told.
      expect(graph.moves > moves).toBe(chapters() !== before);
      isAnew();
    }
    append('way', fork, 'bash');
    isAnew();
  });

  it('GR20: what a filter lets in later is on the chapters where they alone were laid out', () => {
    const graph = graphOf(chain(2), null);
    graph.setFilter('errors');
    graph.append(entry('next', 'a1', 'user', 10));
    const next = graph.turns.place('next')!.node;
    expect(graph.layouts.fitting(8, 10).cellOf(next)).toBeNull();
    graph.append({ ...entry('failed', 'next', 'assistant', 11), failed: true });
    expect([graph.isShown(next), graph.layouts.fitting(8, 10).isCell(next)]).toEqual([true, true]);
  });

  it('GR3: an append to HEAD’s path moves nothing on canvas and chapters', () => {
    const graph = open(compactedSession(200, 10));
    const chapters = graph.layouts.fitting(8, 400);
    const places = (): string[] =>
      graph.layout.lanes
        .flat()
        .map((cell) => `${cell.index}: ${graph.layout.laneOf(cell)} ${graph.layout.rowOf(cell)}`);
    const before = new Set(places());
    const { layout } = graph;
    for (let n = 0; n < 20; n++) {
      graph.append(entry(`n${n}`, graph.leafId, 'user', graph.turns.lastSeq + 1));
      graph.setLeaf(`n${n}`);
    }
    expect(graph.layout).toBe(layout);
    expect(graph.layouts.fitting(8, 400)).toBe(chapters);
    expect(places().filter((place) => !before.has(place))).toHaveLength(20);
  });
});
