import { describe, expect, it } from 'vitest';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { labelDraft, leafMoveDraft, nameDraft, pinDraft, prepareAppend } from '@shared/session/tree/drafts';
import type { SessionEntry } from '@shared/session/records/entry';
import { isOwnId, newEntryId } from '@shared/session/records/ids';
import { SessionTree } from '@shared/session/tree/tree';
import { compaction, custom, HEADER, reply, seededHex, timeOf, treeOf, user, usage, Writer, FRAMES } from './support';

const message = (id: string, parentId: string | null, n = 1): SessionEntry => ({
  type: 'message',
  id,
  parentId,
  timestamp: timeOf(n),
  message: { role: 'user', content: id, timestamp: 0 },
});
const idsOf = (nodes: readonly { id: string }[]): string[] => nodes.map((node) => node.id);

describe('append', () => {
  it('TR1, SF10: hangs at the leaf and becomes it; side records hang there and leave it alone', () => {
    const writer = new Writer();
    const a = writer.add(user('a'));
    const label = writer.add({ type: 'label', targetId: a, label: 'here' });
    const b = writer.add(user('b'));
    expect(writer.entries.map((entry) => entry.parentId)).toEqual([null, a, a]);
    expect(writer.tree.leafId).toBe(b);
    expect(idsOf(writer.tree.children(a))).toEqual([label, b]);
    expect(idsOf(writer.tree.pathTo(b))).toEqual([a, b]);
  });

  it('TR1: costs the same whatever came before: no earlier entry but the parent is looked at', () => {
    expect(readsOfOneAppend(2000)).toBe(readsOfOneAppend(40));
  });

  it('TR6: a leaf move is a side record at the new leaf; null is before the first entry', () => {
    const writer = new Writer();
    const a = writer.add(user('a'));
    writer.add(user('b'));
    writer.moveTo(a);
    expect(writer.tree.leafId).toBe(a);
    expect(writer.entries.at(-1)).toMatchObject({ parentId: a, data: { leafId: a } });
    writer.moveTo(null);
    expect(writer.tree.leafId).toBeNull();
    expect(writer.add(user('c'))).toBe(writer.tree.leafId);
    expect(writer.entries.at(-1)?.parentId).toBeNull();
  });

  it('SF5: ids are 16 hex digits that are not taken, after 100 collisions a UUID', () => {
    let calls = 0;
    const stuck = (length: number): string => (calls++, 'a'.repeat(length));
    expect(newEntryId((id) => id === 'a'.repeat(16), stuck)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/,
    );
    expect(calls).toBe(101);
    expect(newEntryId(() => false, seededHex(1))).toMatch(/^[0-9a-f]{16}$/);
    const shapes = ['0123abcd', '0123456789abcdef', '01234567-89ab-4def-8123-456789abcdef'];
    expect([...shapes, '0123ABCD', '0123456789', 'msg_1', ''].map(isOwnId)).toEqual(
      [true, true, true, false, false, false, false], // prettier-ignore
    );
  });

  it('TR1: a batch chains from its parent and has one time', () => {
    const tree = treeOf([message('a', null)]);
    const [b, label, c] = prepareAppend(tree, [user('b'), { type: 'label', targetId: 'a', label: 'x' }, user('c')], {
      now: 5,
      randomHex: seededHex(3),
      parentId: 'a',
    });
    expect([b!.parentId, label!.parentId, c!.parentId]).toEqual(['a', b!.id, b!.id]);
    expect(new Set([b, label, c].map((entry) => entry!.timestamp))).toEqual(new Set(['1970-01-01T00:00:00.005Z']));
  });

  it('TR7: an unknown id is refused by name', () => {
    const tree = treeOf([message('a', null)]);
    const options = { now: 0, randomHex: seededHex(1), parentId: 'nope' };
    expect(() => prepareAppend(tree, [user('x')], options)).toThrow('Entry nope not found');
    expect(() => leafMoveDraft(tree, 'nope', 'test')).toThrow('Entry nope not found');
    expect(() => labelDraft(tree, 'nope', 'x')).toThrow('Entry nope not found');
    expect(() => pinDraft(tree, 'nope', true)).toThrow('Entry nope not found');
  });
});

/** How many properties of earlier entries one append and everything that follows it reads. */
function readsOfOneAppend(entries: number): number {
  const writer = new Writer();
  // Servers that report no usage leave no donor: the worst case for the figure.
  for (let i = 0; i < entries; i++) writer.add(i % 2 === 0 ? user(`m${i}`) : reply('r'));
  const { tree } = writer;
  const cursor = new ContextCursor(tree, FRAMES);
  const look = (): void => {
    cursor.messages();
    cursor.figure();
    cursor.figure({ model: { provider: 'other', modelId: 'never replied' } });
    void [cursor.totals, cursor.largest, cursor.model, tree.siblings(tree.leafId ?? '')];
  };
  look();
  let reads = 0;
  for (const node of tree.entriesInOrder()) {
    for (const key of ['facts', 'body', 'parent', 'state'] as const) {
      let value: unknown = node[key];
      Object.defineProperty(node, key, { get: () => (reads++, value), set: (next: unknown) => (value = next) });
    }
  }
  writer.add(user('one more'));
  look();
  expect(cursor.messages()).toHaveLength(entries + 1);
  return reads;
}

describe('walks', () => {
  it('TR2: a path ends at null, a missing parent or a visited entry', () => {
    const tree = treeOf([
      message('a', null),
      message('b', 'a'),
      message('lost', 'missing'),
      message('self', 'self'),
      message('x', 'y'),
      message('y', 'x'),
    ]);
    expect(idsOf(tree.pathTo('b'))).toEqual(['a', 'b']);
    expect(idsOf(tree.pathTo('lost'))).toEqual(['lost']);
    expect(idsOf(tree.pathTo('self'))).toEqual(['self']);
    expect(idsOf(tree.pathTo('y'))).toEqual(['x', 'y']);
    expect(idsOf(tree.roots())).toEqual(['a', 'lost', 'self', 'x']);
    expect([tree.pathTo(null), tree.pathTo('unknown')]).toEqual([[], []]);
  });

  it('TR2: 20,000 entries in a row overflow no stack, in either file order', () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => message(`e${i}`, i === 0 ? null : `e${i - 1}`));
    expect(treeOf(entries).pathTo('e19999')).toHaveLength(20_000);
    const backwards = treeOf(entries.reverse());
    expect(backwards.pathTo('e19999')).toHaveLength(20_000);
    expect(backwards.commonAncestor('e15000', 'e19999')).toBe('e15000');
  });

  it('TR3: children are sorted by parsed time, in file order where a time cannot be read', () => {
    const late = message('late', 'a', 9);
    const early = { ...message('early', 'a'), timestamp: '2026-01-01T04:00:00.000+05:00' };
    expect(idsOf(treeOf([message('a', null), late, early]).children('a'))).toEqual(['early', 'late']);
    const odd = { ...message('odd', 'a'), timestamp: 'yesterday' };
    expect(idsOf(treeOf([message('a', null), late, odd, early]).children('a'))).toEqual(['late', 'odd', 'early']);
  });

  it('TR5: the deepest entry on both paths, or null', () => {
    const tree = treeOf([message('a', null), message('b', 'a'), message('c', 'a'), message('other', null)]);
    expect(tree.commonAncestor('b', 'c')).toBe('a');
    expect(tree.commonAncestor('a', 'c')).toBe('a');
    expect([tree.commonAncestor('b', 'other'), tree.commonAncestor('b', null)]).toEqual([null, null]);
  });
});

describe('annotations', () => {
  it('TR8: the last label in file order wins on all branches; trimmed, empty clears', () => {
    const writer = new Writer();
    const a = writer.add(user('a'));
    writer.add(labelDraft(writer.tree, a, '  first '));
    expect(writer.tree.label(a)).toBe('first');
    writer.moveTo(null);
    writer.add(labelDraft(writer.tree, a, 'second'));
    expect(writer.tree.label(a)).toBe('second');
    writer.add(labelDraft(writer.tree, a, '  '));
    expect(writer.tree.labels.size).toBe(0);
    expect(writer.entries.at(-1)).not.toHaveProperty('label');
  });

  it('TR9: the name is the latest one, line ends are blanks, empty clears', () => {
    const writer = new Writer();
    writer.add(user('a'));
    writer.add(nameDraft(' two\r\n\nlines '));
    expect(writer.tree.name).toBe('two lines');
    writer.add(nameDraft(''));
    expect(writer.tree.name).toBeUndefined();
  });

  it('TR11: pins, archivings and dismissed facts as of the last record', () => {
    const writer = new Writer();
    const a = writer.add(user('a'));
    writer.add(pinDraft(writer.tree, a, true));
    writer.add(custom('espalier.archive', { v: 1, targetId: a, archived: true }));
    writer.add(custom('espalier.fact', { v: 1, key: 'k', dismissed: true }));
    expect([[...writer.tree.pins], [...writer.tree.archived], [...writer.tree.dismissedFacts]]).toEqual([
      [a],
      [a],
      ['k'],
    ]);
    writer.add(pinDraft(writer.tree, a, false));
    expect(writer.tree.pins.size).toBe(0);
    expect([...writer.tree.pinsAsOf(5)]).toEqual([a]);
  });

  it('TR12: cost counts each reply and summary once, copies not at all; compactions are counted', () => {
    const writer = new Writer();
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
    const a = writer.add(reply('a', { usage: usage({ cost }) }));
    writer.add({ ...compaction('s', null), usage: usage({ cost }) } as never);
    writer.add(custom('espalier.rebase', { v: 1, op: 'undo', copies: [[a, 'copy0001']] }));
    writer.add(reply('a', { usage: usage({ cost }) }), 'copy0001');
    expect(writer.tree.cost).toBe(1);
    expect(writer.tree.compactions).toBe(1);
  });

  it('TR13: siblings and rows tell the place among the versions of a message', () => {
    const tree = treeOf([message('a', null), message('b', 'a', 2), message('c', 'a', 3)]);
    expect(tree.siblings('c')).toEqual({ index: 1, count: 2, ids: ['b', 'c'] });
    expect(tree.rows('c').map((row) => [row.node.id, row.siblingIndex, row.siblingCount])).toEqual([
      ['a', 0, 1],
      ['c', 1, 2],
    ]);
    expect(new SessionTree(HEADER).siblings('x')).toEqual({ index: 0, count: 0, ids: [] });
  });
});
