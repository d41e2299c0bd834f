import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listBranches, nameOf } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import type { Row } from '@shared/session-state/state';
import { chain, entriesOf, entry, graphOf, steps } from './support';

describe('what stands at an entry', () => {
  it('GR29: the entry that hides a turn is the one that shows it again, whatever else was put away', () => {
    fc.assert(
      fc.property(
        steps(120),
        fc.nat(119),
        fc.array(fc.nat(119), { minLength: 1, maxLength: 5 }),
        (list, leaf, cuts) => {
          const entries = entriesOf(list);
          const idAt = (pick: number): string => (entries[pick % entries.length] as Row).id;
          const graph = graphOf(entries, idAt(leaf));
          const hidden = (archived: Iterable<string>): Set<TurnNode> => {
            graph.setArchived(new Set(archived));
            return new Set(graph.turns.nodes.filter((node) => graph.isHidden(node)));
          };
          const all = new Set(cuts.map(idAt));
          const before = hidden(all);
          const by = new Map(graph.turns.nodes.map((node) => [node, graph.hiddenAt(node)]));
          for (const [node, entryId] of by) expect(entryId !== null).toBe(before.has(node));
          // Alone it hides the turn as well.
          for (const [node, entryId] of by) if (entryId !== null) expect(hidden([entryId])).toContain(node);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('GR29: of two entries of a turn that were put away the upper one hides what hangs between them', () => {
    const turn = [...chain(1), entry('b0', 'a0', 'toolResult', 3), entry('c0', 'b0', 'assistant', 4)];
    const graph = graphOf([...turn, entry('out', 'a0', 'user', 5)], 'c0');
    graph.setArchived(new Set(['c0', 'a0']));
    expect(graph.hiddenAt(graph.turns.place('out')!.node)).toBe('a0');
  });

  it('a label is known with its entry, however many there are', () => {
    const graph = graphOf(chain(3), 'a2');
    graph.setLabels(new Map([['u0', 'one'], ['a1', 'two'], ['late', 'three']])); // prettier-ignore
    graph.append(entry('late', 'a2', 'user', 90));
    const known = graph.turns.nodes.map((node) => [graph.labelOf(node), graph.labelledEntry(node)]);
    expect(known).toEqual([['one', 'u0'], ['two', 'a1'], [undefined, undefined], ['three', 'late']]); // prettier-ignore
  });

  it('GR16: a name from a label is changed where the label stands, be that at the answer', () => {
    const more = [entry('x', 'a1', 'user', 20), entry('y', 'x', 'assistant', 21), entry('z', 'y', 'user', 22)];
    const graph = graphOf([...chain(4), ...more], 'a3');
    const nameOfX = () =>
      nameOf(
        graph,
        {},
        listBranches(graph, graph.order).branches.find(({ id }) => id === 'x')!,
      );
    expect(nameOfX()).toMatchObject({ from: 'words', entryId: 'x' });
    graph.setLabels(new Map([['y', 'plan B']]));
    expect(nameOfX()).toEqual({ from: 'label', text: 'plan B', entryId: 'y' });
    graph.setLabels(new Map([['x', 'plan C']]));
    expect(nameOfX()).toEqual({ from: 'label', text: 'plan C', entryId: 'x' });
  });
});
