import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BranchGraph } from '@shared/graph/branch-graph';
import { type OutlineRow, outlineRows } from '@shared/graph/outline';
import type { TurnNode } from '@shared/graph/turns';
import { chain, entriesOf, entry, graphOf, steps } from './support';

/** The same order, told recursively: siblings first, the straight child last. */
function naive({ order }: BranchGraph): TurnNode[] {
  const below = (node: TurnNode | null): TurnNode[] => {
    const straight = order.straightChild(node);
    return [...order.siblings(node), ...(straight ? [straight] : [])].flatMap((child) => [child, ...below(child)]);
  };
  return below(null);
}

const levelOf = (rows: readonly OutlineRow[], id: string) => rows.find(({ node }) => node.contentId === id)?.level;

describe('GR2: the outline', () => {
  it('has the order of the rail: branches where they leave, each whole, then what goes on; every turn once', () => {
    fc.assert(
      fc.property(steps(60), fc.nat(60), (list, at) => {
        const entries = entriesOf(list);
        const graph = graphOf(entries, entries[at % entries.length]?.id ?? null);
        const rows = outlineRows(graph, new Set());
        expect(rows.map(({ node }) => node)).toEqual(naive(graph));
        const run = ({ node }: OutlineRow) => graph.order.runOf(node);
        for (const [index, row] of rows.entries()) {
          // A branch begins where it is said, one level below the turn that it leaves.
          expect(row.isStart, row.node.contentId).toBe(run(row).first === row.node && run(row) !== graph.order.trunk);
          const above = rows[row.parent];
          if (row.parent >= 0) expect(row.parent).toBeLessThan(index);
          if (above) expect(row.level).toBe(above.level + 1);
          else expect(row.level).toBe(1);
          expect(row.position).toBeLessThanOrEqual(row.of);
        }
      }),
    );
  });

  it('closes a turn’s branches and goes on behind them, and leaves out what a filter does', () => {
    const graph = graphOf([...chain(3), entry('x', 'a0', 'user', 90), entry('z', 'x', 'user', 91)], 'a2');
    const ids = (closed: TurnNode[] = []) => outlineRows(graph, new Set(closed)).map(({ node }) => node.contentId);
    expect(ids()).toEqual(['u0', 'x', 'z', 'u1', 'u2']);
    expect(ids([graph.turns.place('u0')!.node])).toEqual(['u0', 'u1', 'u2']);
    graph.setFilter('compactions');
    expect(ids()).toEqual(['u2']);
  });

  it('is never recursive: 5,000 forks below each other', () => {
    const entries = chain(1);
    for (let at = 0; at < 5_000; at++) {
      const from = at === 0 ? 'a0' : `n${at - 1}`;
      entries.push(
        entry(`n${at}`, from, 'user', entries.length + 1),
        entry(`m${at}`, from, 'bash', entries.length + 2),
      );
    }
    const rows = outlineRows(graphOf(entries, 'm0'), new Set());
    expect(rows).toHaveLength(10_001);
    expect(levelOf(rows, 'u0')).toBe(1);
  });
});
