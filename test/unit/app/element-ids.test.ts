import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TurnTree, type TurnNode } from '@shared/graph/turns';
import { createElementIds } from '../../../src/renderer/features/graph/element-ids';

const tree = new TurnTree();
for (let seq = 0; seq < 60; seq++) {
  tree.add({ id: `e${seq}`, parentId: null, seq, kind: 'user', time: 0, tokens: 1 });
}
const from = (first: number, count: number): TurnNode[] => tree.nodes.slice(first, first + count);

it('GR30: in a pan each cell that stays keeps its element, and one that comes gets a new one', () => {
  const ids = createElementIds();
  const before = from(0, 10).map(ids(from(0, 10)));
  const after = from(2, 10).map(ids(from(2, 10)));
  expect(after.slice(0, 8)).toEqual(before.slice(2));
  expect(before).not.toContain(after[8]);
});

it('GR30: in a jump those that come take the elements of those that go, in their order', () => {
  const ids = createElementIds();
  const before = from(0, 10).map(ids(from(0, 10)));
  expect(from(20, 10).map(ids(from(20, 10)))).toEqual(before);
  const mixed = [...from(40, 7), ...from(20, 3)];
  expect(mixed.map(ids(mixed))).toEqual([...before.slice(3), ...before.slice(0, 3)]);
});

it('GR30: whatever is on screen, no two cells have one element', () => {
  const screen = fc.record({ first: fc.nat(50), count: fc.nat(10) });
  fc.assert(
    fc.property(fc.array(screen, { maxLength: 20 }), (screens) => {
      const ids = createElementIds();
      for (const { first, count } of screens) {
        const cells = from(first, count);
        expect(new Set(cells.map(ids(cells))).size).toBe(cells.length);
      }
    }),
  );
});
