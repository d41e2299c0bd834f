import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { Row } from '@shared/session-state/state';
import { isNoTurn, type TurnNode } from '@shared/graph/turns';
import { GraphOracle } from '../../../support/graph-oracle';
import { chain, entriesOf, entry, graphOf, steps } from './support';

const ids = (nodes: readonly (TurnNode | null)[]): (string | undefined)[] => nodes.map((node) => node?.contentId);

/** A turn at an entry; ids `u…` and `a…`. */
function turn(id: string, parentId: string | null, seq: number): Row[] {
  return [entry(`u${id}`, parentId, 'user', seq), entry(`a${id}`, `u${id}`, 'assistant', seq + 1)];
}

describe('order', () => {
  it('GR2: every child is the straight one, a branch, or hidden in a stack; HEAD’s path goes straight', () => {
    fc.assert(
      fc.property(steps(150), fc.nat(149), (list, pick) => {
        const entries = entriesOf(list);
        const graph = graphOf(entries, (entries[pick % entries.length] as Row).id);
        const oracle = new GraphOracle(graph);
        const { order } = graph;
        for (const node of [null, ...graph.turns.nodes]) {
          expect(order.straightChild(node)).toBe(oracle.straightChild(node));
          expect(ids(order.siblings(node))).toEqual(ids(oracle.siblings(node)));
          const children = node ? node.children : graph.turns.roots;
          const behind = children.filter((child) => order.variants.isBehind(child));
          const all = [order.straightChild(node), ...order.siblings(node), ...behind].filter((child) => child !== null);
          expect(all.map(({ index }) => index).sort((a, b) => a - b)).toEqual(children.map(({ index }) => index));
        }
        for (let node = graph.head; node; node = node.parent) expect(order.isStraight(node)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('GR2: an append re-orders nothing: what continues goes straight on, another comes last', () => {
    fc.assert(
      fc.property(steps(120), steps(30), fc.nat(100), (list, more, pick) => {
        const all = entriesOf([...list, ...more]);
        const before = all.slice(0, list.length);
        const graph = graphOf(before, (before[pick % before.length] as Row).id);
        const { order } = graph;
        for (const added of all.slice(list.length)) {
          const known = [null, ...graph.turns.nodes];
          const was = known.map((node) => ({
            node,
            straight: order.straightChild(node),
            siblings: order.siblings(node),
          }));
          const count = graph.turns.nodes.length;
          graph.append(added);
          const made = graph.turns.nodes[count];
          for (const { node, straight, siblings } of was) {
            expect(order.straightChild(node)).toBe(straight ?? (made?.parent === node ? made : null));
            // What a stack hid and is gone on with now comes last among them as well.
            expect(ids(order.siblings(node)).filter((id) => ids(siblings).includes(id))).toEqual(ids(siblings));
            const late = order.siblings(node).filter((child) => !siblings.includes(child));
            expect(late.every((child) => child === made || child === made?.parent)).toBe(true);
            if (late.includes(made as TurnNode)) expect(order.siblings(node).at(-1)).toBe(made);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('GR16: every node is in exactly one run, and a run goes down straight children', () => {
    fc.assert(
      fc.property(steps(150), fc.nat(149), (list, pick) => {
        const entries = entriesOf(list);
        const graph = graphOf(entries, (entries[pick % entries.length] as Row).id);
        const oracle = new GraphOracle(graph);
        const { order } = graph;
        const seen = new Map<TurnNode, string>();
        for (const run of order.runs()) {
          const nodes = oracle.run(run.first);
          const turns = nodes.filter((node) => !isNoTurn(node)).length;
          expect([run.id, run.turns, run.tip]).toEqual([run.first.contentId, turns, nodes.at(-1)]);
          expect(run.parent?.first ?? null).toBe(run.first.parent && order.runOf(run.first.parent).first);
          for (const node of nodes) {
            expect(seen.has(node)).toBe(false);
            seen.set(node, run.id);
          }
        }
        for (const node of graph.turns.nodes) {
          expect(order.runOf(node).id).toBe(seen.get(oracle.isBehind(node) ? oracle.frontOf(node) : node));
        }
      }),
      { numRuns: 80 },
    );
  });

  it('GR2: without HEAD branches are nested at most log2(n) deep', () => {
    fc.assert(
      fc.property(steps(400), (list) => {
        const graph = graphOf(entriesOf(list), null);
        const deepest = Math.max(...graph.order.runs().map(({ depth }) => depth));
        expect(deepest).toBeLessThanOrEqual(Math.log2(graph.turns.nodes.length) + 1);
      }),
      { numRuns: 80 },
    );
  });
});

it('GR17: a session that begins with settings has a turn once something is said, and none before', () => {
  const graph = graphOf([entry('m', null, 'modelChange', 1)], 'm');
  const turns = (): number => graph.order.trunk?.turns ?? -1;
  expect([turns(), graph.order.filled]).toEqual([0, 0]);
  graph.append(entry('u', 'm', 'user', 2));
  graph.setLeaf('u');
  graph.append(entry('a', 'u', 'assistant', 3));
  // Who has counted turns counts them anew.
  expect([turns(), graph.order.filled]).toEqual([1, 1]);
  // So does the row of a closed branch.
  const two = graphOf([...chain(2), entry('m', null, 'modelChange', 10)], 'a1');
  const counts = (): number[] => two.rail.rows.flatMap(({ kind, count }) => (kind === 'branch' ? [count] : []));
  expect(counts()).toEqual([0]);
  two.append(entry('x', 'm', 'user', 11));
  expect(counts()).toEqual([1]);
});

describe('variants', () => {
  it('GR5: stacks hide nothing that was gone on with, and lose nobody', () => {
    fc.assert(
      fc.property(steps(150), fc.nat(149), (list, pick) => {
        const entries = entriesOf(list);
        const graph = graphOf(entries, (entries[pick % entries.length] as Row).id);
        const oracle = new GraphOracle(graph);
        for (const node of graph.turns.nodes) {
          const stack = graph.stackOf(node);
          expect(graph.order.variants.isBehind(node)).toBe(oracle.isBehind(node));
          for (const member of stack?.members ?? []) {
            if (member !== stack?.front) expect(member.children).toEqual([]);
            expect(graph.stackOf(member)?.front).toBe(stack?.front);
            expect(oracle.variantsOf(node)).toContain(member);
          }
          if (oracle.isBehind(node)) expect(stack?.members).toContain(node);
        }
      }),
      { numRuns: 100 },
    );
  });

  const edited = [
    ...turn('1', null, 1),
    ...turn('2', 'a1', 3),
    ...turn('2b', 'a1', 5),
    entry('again', 'u2b', 'assistant', 7),
    ...turn('3', 'again', 8),
  ];

  it('GR5, GR27: an answer tried again and an edited prompt are one node, with HEAD’s in front', () => {
    const graph = graphOf(edited);
    const again = graph.turns.place('again')?.node as TurnNode;
    expect(ids(graph.stackOf(again)?.members ?? [])).toEqual(['u2', 'u2b', 'again']);
    expect([graph.stackOf(again)?.front, again.parent?.contentId, again.promptId]).toEqual([again, 'u1', 'u2b']);
    expect(graph.rail.rows.map(({ node }) => node.contentId)).toEqual(['u1', 'again', 'u3']);
    // Only HEAD's variant is what the model sees.
    expect(graph.turns.nodes.map((node) => graph.regionOf(node))).toEqual(['seen', 'aside', 'aside', 'seen', 'seen']);
  });

  it('GR5: each variant is read by an entry that is no other’s: the first answer too, though its prompt is on HEAD’s path', () => {
    const asked = [entry('u', null, 'user', 1), entry('a', 'u', 'assistant', 2), entry('b', 'u', 'assistant', 3)];
    for (const [leaf, ways] of [
      ['b', ['a', 'b']],
      ['a', ['u', 'b']],
    ] as const) {
      const graph = graphOf(asked, leaf);
      expect(graph.turns.nodes.map((node) => graph.readAt(node))).toEqual(ways);
    }
    // Another model was chosen for the second one: that is no part of the first.
    const first = [entry('a', 'u', 'assistant', 2), entry('t', 'a', 'toolResult', 3), entry('b', 't', 'assistant', 4)];
    const second = [
      entry('m', 'u', 'modelChange', 5),
      entry('l', 'm', 'thinkingChange', 6),
      entry('c', 'l', 'assistant', 7),
    ];
    const chosen = graphOf([entry('u', null, 'user', 1), ...first, ...second], 'c');
    expect(chosen.turns.nodes.map((node) => chosen.readAt(node))).toEqual(['a', 'c']);
    fc.assert(
      fc.property(steps(150), fc.nat(149), (list, pick) => {
        const entries = entriesOf(list);
        const leaf = entries[pick % entries.length] as Row;
        const graph = graphOf(entries, leaf.id);
        const onPath = new Set<string>();
        const byId = new Map(entries.map((row) => [row.id, row]));
        for (let at: Row | undefined = leaf; at; at = byId.get(at.parentId ?? '')) onPath.add(at.id);
        for (const node of graph.turns.nodes) {
          const id = graph.readAt(node);
          expect(graph.turns.place(id)?.node).toBe(node);
          if (!graph.isActive(node) && node.contentSeq < Infinity) expect(onPath).not.toContain(id);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('GR5, GR21: what was begun as a branch is one from its first turn; edits of its prompt are its versions', () => {
    const begun = (id: string, seq: number, branchId: string): Row[] => {
      const [asked, answered] = turn(id, 'a1', seq) as [Row, Row];
      return [{ ...asked, branchId }, answered];
    };
    const trunk = [...turn('1', null, 1), ...turn('2', 'a1', 3)];
    const more = [...begun('A', 5, 'uA'), ...begun('B', 7, 'uB'), ...begun('A2', 9, 'uA'), ...turn('2b', 'a1', 11)];
    const stacks = ({ turns, stackOf }: BranchGraph, graph: BranchGraph) =>
      turns.nodes.map((node) => ids(stackOf.call(graph, node)?.members ?? [node]));
    const graph = graphOf([...trunk, ...more], 'aB');
    const fixed = stacks(graph, graph);
    expect(fixed).toEqual([['u1'], ['u2', 'u2b'], ['uA', 'uA2'], ['uB'], ['uA', 'uA2'], ['u2', 'u2b']]);
    expect(graph.order.runs().length).toBe(3);
    // As they come, they stand there at once.
    const live = graphOf(trunk, 'a2');
    for (const row of more) live.append(row);
    expect(stacks(live, live)).toEqual(fixed);
    expect(live.rail.rows.map(({ node }) => node.contentId)).toEqual(['u1', 'uA', 'uB', 'u2']);
  });

  it('GR5: a variant off HEAD’s path that was gone on with is a branch, and so is one that is gone on with later', () => {
    const graph = graphOf(edited, 'a2');
    expect(graph.rail.rows.map(({ kind, node }) => [kind, node.contentId])).toEqual([
      ['turn', 'u1'],
      ['branch', 'again'],
      ['turn', 'u2'],
    ]);
    for (const row of turn('4', 'a2b', 20)) graph.append(row);
    expect(graph.rail.rows.map(({ kind, node }) => [kind, node.contentId])).toEqual([
      ['turn', 'u1'],
      ['branch', 'again'],
      ['branch', 'u2b'],
      ['turn', 'u2'],
    ]);
  });

  it('GR3, GR5: HEAD’s variant is in front also where HEAD comes down to it from above, or from nowhere', () => {
    for (const [above, from] of [
      [null, null],
      ['a0', 'a0'],
    ] as const) {
      const root = above === null ? [] : turn('0', null, 1);
      const graph = graphOf([...root, ...turn('1', above, 3), ...turn('2', 'a1', 5), ...turn('3', above, 7)], from);
      const [first, other] = ['u1', 'u3'].map((id) => graph.turns.place(id)?.node as TurnNode);
      // The one with turns below it goes straight on, and the newer one is what stands in front.
      expect([graph.order.isStraight(first as TurnNode), graph.order.variants.frontOf(other as TurnNode)]).toEqual([
        true,
        other,
      ]);
      graph.setLeaf('a1');
      expect(graph.order.variants.frontOf(other as TurnNode)).toBe(first);
    }
  });

  it('GR5, GR17: a variant that was put away counts in no stack, until it is shown again or read', () => {
    const graph = graphOf(edited, 'again');
    const head = graph.head as TurnNode;
    const first = graph.turns.place('u2')?.node as TurnNode;
    const members = (): unknown => graph.stackOf(head)?.members.map(({ contentId }) => contentId);
    graph.setArchived(new Set(['u2']));
    expect(members()).toEqual(['u2b', 'again']);
    graph.bringToFront(first);
    expect(members()).toEqual(['u2', 'u2b', 'again']);
    graph.bringToFront(head);
    graph.setArchived(new Set(['u2', 'u2b']));
    expect(graph.stackOf(head)?.members.map(({ contentId }) => contentId)).toEqual(undefined);
    graph.showHidden(true);
    expect(members()).toEqual(['u2', 'u2b', 'again']);
  });

  it('GR5: where the front of a stack was put away, the newest of the others is shown', () => {
    const graph = graphOf(
      [...turn('1', null, 1), ...turn('2', 'a1', 3), ...turn('3', 'a1', 5), ...turn('4', 'a1', 7)],
      'a1',
    );
    const front = graph.turns.place('u4')?.node as TurnNode;
    expect(graph.shownOn(front)).toBe(front);
    graph.setArchived(new Set(['u4']));
    expect([graph.shownOn(front).contentId, ids(graph.stackOf(front)?.members ?? [])]).toEqual(['u3', ['u2', 'u3']]);
  });

  it('GR5: a stack tells of what it hides, and brings it to the front without moving anything', () => {
    const graph = graphOf(edited);
    const hidden = graph.turns.place('u2')?.node as TurnNode;
    graph.setLabels(new Map([['u2', 'first try']]));
    graph.setPins(['a2b']);
    const stack = graph.stackOf(hidden);
    expect(stack && graph.marksBehind(stack)).toEqual({
      head: false,
      label: true,
      pin: true,
      failed: false,
      files: false,
    });
    const rows = graph.rail.rows.map(({ node }) => node);
    expect(graph.bringToFront(hidden)).toBe(true);
    expect(graph.rail.rows.map(({ node }) => node)).toEqual(rows);
    expect(graph.shownOn(rows[1] as TurnNode)).toBe(hidden);
    expect(graph.rail.indexOf(hidden)).toBe(1);
    graph.bringToFront(rows[1] as TurnNode);
    expect(graph.shownOn(rows[1] as TurnNode)).toBe(rows[1]);
  });

  it('GR5: what is read is on top alone; once nothing is, HEAD’s is again, and HEAD is known to be behind until then', () => {
    const graph = graphOf(edited, 'again');
    const { head } = graph;
    const [other, third] = ['u2', 'u2b'].map((id) => graph.turns.place(id)?.node as TurnNode);
    expect([head?.contentId, graph.shownOn(head as TurnNode) === head, graph.order.variants.bringAlone(null)]).toEqual([
      'again',
      true,
      false,
    ]);
    for (const node of [other, third] as TurnNode[]) {
      expect(graph.order.variants.bringAlone(node)).toBe(true);
      expect(graph.shownOn(head as TurnNode)).toBe(node);
      const stack = graph.stackOf(node);
      expect(stack && graph.marksBehind(stack).head).toBe(true);
    }
    expect(graph.order.variants.bringAlone(null)).toBe(true);
    expect(graph.shownOn(head as TurnNode)).toBe(head);
  });
});
