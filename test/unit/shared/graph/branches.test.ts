import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphRows } from '../../../../src/main/session/machine/rows';
import { namedBranches } from '../../../support/named-branches';
import { openedGraph } from '../../../support/opened-graph';
import { BranchGraph } from '@shared/graph/branch-graph';
import { apart, type Branch, listBranches, nameOf, sortBranches } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import type { SessionEntry } from '@shared/session/records/entry';
import { parseRecord } from '@shared/session/records/records';
import { SessionTree } from '@shared/session/tree/tree';
import { Dice, RandomSession } from '../session/random-session';
import { HEADER, treeOf } from '../session/support';

/** A random session in which replies cost something, and a title was paid for now and then. */
function randomTree(seed: number, steps: number): SessionTree {
  const session = new RandomSession(seed);
  for (let n = 0; n < steps; n++) session.step();
  const dice = new Dice(seed + 7);
  const entries = session.writer.entries.flatMap((entry, at): SessionEntry[] => {
    const paid = dice.chance(0.1) ? [title(`t${at}`, entry.id, dice.below(100) / 100)] : [];
    const { message } = entry as unknown as { message?: { role?: string; usage?: object } };
    if (message?.role !== 'assistant') return [entry, ...paid];
    const cost = { total: dice.below(500) / 100 };
    return [{ ...entry, message: { ...message, usage: { ...message.usage, cost } } } as never, ...paid];
  });
  return treeOf(entries);
}

function title(id: string, targetId: string, cost: number): SessionEntry {
  const data = { v: 1, targetId, title: `Title of ${targetId}`, model: 'p/m', cost };
  return { type: 'custom', customType: 'espalier.title', id, parentId: targetId, timestamp: '', data } as never;
}

function graphOf(tree: SessionTree, leafId: string | null = tree.leafId): BranchGraph {
  const graph = new BranchGraph();
  const opening = { leafId, labels: tree.labels, pins: [], archived: tree.archived, keptFrom: null };
  const rows = [...graphRows(tree, 0)].flat();
  for (const _ of graph.open(rows, { ...opening, showsHidden: false, filter: 'all', folds: null }));
  return graph;
}

const list = (graph: BranchGraph) => listBranches(graph, graph.order);
const names = (tree: SessionTree): Record<string, string> => Object.fromEntries(tree.titles);
const sumOf = (branches: readonly Branch[], figure: 'turns' | 'tokens' | 'cost'): number =>
  branches.reduce((sum, branch) => sum + branch[figure], 0);

const anySession = fc.record({ seed: fc.nat({ max: 1e6 }), steps: fc.integer({ min: 1, max: 160 }) });

/** The last name on the way down a branch of those where a fork has it. */
function nearestNamed(graph: BranchGraph, titles: Record<string, string>, { first, tip }: Branch): string | null {
  for (let node = tip; node !== first && node.parent; node = node.parent) {
    const name = graph.labelOf(node) ?? titles[node.contentId];
    if (name && node.parent.children.length > 1) return name;
  }
  return graph.labelOf(first) ?? titles[first.contentId] ?? null;
}

describe('the list of branches', () => {
  it('GR17: each turn, token and dollar of any session is in one branch, and what is in none is what side records cost', () => {
    fc.assert(
      fc.property(anySession, ({ seed, steps }) => {
        const tree = randomTree(seed, steps);
        const graph = graphOf(tree);
        const { branches, sum, of } = list(graph);
        const side = tree.entriesInOrder().filter(({ facts }) => facts.side);
        const other = side.reduce((cost, node) => cost + tree.costOf(node), 0);
        expect(sumOf(branches, 'cost') + other).toBeCloseTo(tree.cost, 6);
        // What has no price is known branch by branch, and nowhere else.
        expect(new Set(branches.flatMap(({ unpriced }) => [...unpriced]))).toEqual(tree.unpriced);
        expect(sum.cost).toBeCloseTo(sumOf(branches, 'cost'), 6);
        expect([sum.turns, sum.tokens]).toEqual([sumOf(branches, 'turns'), sumOf(branches, 'tokens')]);
        expect(sum.tokens).toBe(graph.turns.nodes.reduce((tokens, node) => tokens + node.tokens, 0));
        for (const node of graph.turns.nodes) expect(branches).toContain(of(node));
        expect(new Set(branches.map(({ id }) => id)).size).toBe(branches.length);
        expect(branches.filter(({ state }) => state === 'head')).toHaveLength(graph.head ? 1 : 0);
      }),
      { numRuns: 60 },
    );
  });

  it('GR17: what no turn stands behind is no branch of its own, and the sort keeps all of them', () => {
    fc.assert(
      fc.property(anySession, ({ seed, steps }) => {
        const tree = randomTree(seed, steps);
        const graph = graphOf(tree);
        const { branches } = list(graph);
        for (const { first } of branches) expect(graph.order.variants.isBehind(first)).toBe(false);
        for (const sort of ['activity', 'cost', 'turns', 'name'] as const) {
          const sorted = sortBranches(branches, sort, ({ id }) => id);
          expect(new Set(sorted)).toEqual(new Set(branches));
          const ranks = sorted.map(({ state }) => (state === 'head' ? 0 : state === 'hidden' ? 2 : 1));
          expect(ranks).toEqual([...ranks].sort());
        }
      }),
      { numRuns: 40 },
    );
  });

  it('GR16: a branch that has a name keeps it wherever HEAD goes', () => {
    fc.assert(
      fc.property(anySession, fc.nat(), ({ seed, steps }, pick) => {
        const tree = randomTree(seed, steps);
        const before = graphOf(tree);
        const { branches } = list(before);
        const titles = names(tree);
        const named = branches.filter(
          (branch) => branch.state !== 'head' && nameOf(before, titles, branch).text !== null,
        );
        const target = named[pick % Math.max(1, named.length)];
        if (!target) return;
        const told = named.map((branch) => [branch.id, nameOf(before, titles, branch).text]);
        const after = graphOf(tree, target.tip.tailId);
        const now = list(after);
        // HEAD's is called so still, unless a fork further down on it has a name of its own, which is nearer.
        const here = now.branches.find(({ state }) => state === 'head') as Branch;
        const last = nearestNamed(before, titles, target);
        expect(nameOf(after, titles, here).text).toBe(last);
        for (const [id, text] of told) {
          const branch = now.branches.find((other) => other.id === id && other.state !== 'head');
          if (branch) expect(nameOf(after, titles, branch).text).toBe(text);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function exampleTree(): { tree: SessionTree; made: ReturnType<typeof namedBranches> } {
  const made = namedBranches();
  const tree = new SessionTree(HEADER);
  made.lines.slice(1).forEach((line, at) => {
    const read = parseRecord(line) as { kind: string; entry?: SessionEntry };
    if (read.entry) tree.addEntry(read.entry, at + 1);
  });
  tree.settleLeafAfterLoad();
  return { tree, made };
}

describe('branches of an example', () => {
  it('GR16, GR17: have names from labels and titles, and states', () => {
    const { tree, made } = exampleTree();
    const graph = graphOf(tree);
    const { branches, sum } = list(graph);
    expect(new Map(branches.map((branch) => [nameOf(graph, names(tree), branch).text, branch.state]))).toEqual(
      new Map<unknown, unknown>([
        ['outbox table', 'head'],
        ['leave it', 'hidden'],
        ['triggers', 'merged'],
        ['batches of 500', 'open'],
        ['COPY from stdin', 'open'],
      ]),
    );
    expect(sum.turns).toBe(made.turns);
    expect(sum.cost + made.other).toBeCloseTo(made.cost, 8);
  });

  it('GR17: files are counted once each; where it is not known which ones changed, no count is made up', () => {
    const row = (id: string, parentId: string | null, seq: number) => ({ id, parentId, seq, time: seq, tokens: 1 });
    const changed = (id: string, parentId: string, seq: number, file?: string) => ({
      ...row(id, parentId, seq),
      ...{ kind: 'toolResult' as const, callId: id, changed: true as const, ...(file ? { file } : {}) },
    });
    const filesOf = (...files: (string | undefined)[]): number | null | undefined => {
      const results = files.map((file, at) => changed(`r${at}`, at === 0 ? 'a' : `r${at - 1}`, at + 3, file));
      const graph = openedGraph([
        { ...row('u', null, 1), kind: 'user' },
        { ...row('a', 'u', 2), kind: 'assistant' },
        ...results,
      ]);
      graph.setLeaf('a');
      return list(graph).branches[0]?.files;
    };
    expect([filesOf('a.ts', 'b.ts', 'a.ts'), filesOf(undefined), filesOf()]).toEqual([2, null, 0]);
  });

  it('GR17: a branch that went on after its summary was brought over is open again', () => {
    const { tree, made } = exampleTree();
    const go = { type: 'message', id: 'more', parentId: made.leaf.triggers, timestamp: '' };
    tree.addEntry({ ...go, message: { role: 'user', content: 'And now?' } } as never, 999);
    const { branches } = list(graphOf(tree, made.leaf.HEAD));
    expect(branches.find(({ id }) => id === made.first.triggers)?.state).toBe('open');
  });

  it('GR17: so is one whose stopped last turn went on in itself; a setting there says nothing', () => {
    const { tree, made } = exampleTree();
    const stateOf = (): string | undefined =>
      list(graphOf(tree, made.leaf.HEAD)).branches.find(({ id }) => id === made.first.triggers)?.state;
    const parentId = made.leaf.triggers;
    const setting = { type: 'thinking_level_change', id: 'set', parentId, timestamp: '', thinkingLevel: 'high' };
    tree.addEntry(setting as never, 998);
    expect(stateOf()).toBe('merged');
    const reply = { role: 'assistant', content: [{ type: 'text', text: 'And so on.' }] };
    tree.addEntry({ type: 'message', id: 'more', parentId: 'set', timestamp: '', message: reply } as never, 999);
    const { turns } = graphOf(tree, made.leaf.HEAD);
    expect(turns.place('more')?.node).toBe(turns.place(parentId as string)?.node);
    expect(stateOf()).toBe('open');
  });

  it('GR16: a session without names is called as the session, its branches by their words', () => {
    const { tree } = exampleTree();
    const graph = graphOf(tree);
    graph.setLabels(new Map());
    const { branches } = list(graph);
    const from = branches.map((branch) => nameOf(graph, {}, branch).from);
    expect(from.filter((kind) => kind === 'session')).toHaveLength(1);
    expect(from.filter((kind) => kind === 'words')).toHaveLength(branches.length - 1);
  });

  it('GR14: two turns part at the last one that both have; of two on one path the upper one stands for itself', () => {
    const { tree, made } = exampleTree();
    const graph = graphOf(tree);
    const at = (id: string | undefined): TurnNode => graph.turns.place(id ?? '')?.node as TurnNode;
    const { shared, a, b } = apart(at(made.leaf['outbox table']), at(made.leaf['batches of 500']));
    expect([shared?.children.length, a.length, b.length]).toEqual([5, 1, 2]);
    const above = apart(at(made.first.trunk), at(made.leaf['batches of 500']));
    expect([above.a, above.b.at(-1), above.shared]).toEqual([
      [at(made.first.trunk)],
      at(made.leaf['batches of 500']),
      at(made.first.trunk),
    ]);
    const same = at(made.first.trunk);
    expect(apart(same, same)).toEqual({ shared: null, a: [same], b: [same] });
  });
});
