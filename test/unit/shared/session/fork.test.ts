import { describe, expect, it } from 'vitest';
import { planContext } from '@shared/session/context/context-plan';
import type { SessionEntry } from '@shared/session/records/entry';
import { applyForkItem, planFork, verifyFork } from '@shared/session/tree/fork';
import type { SessionTree } from '@shared/session/tree/tree';
import { RandomSession } from './random-session';
import { compaction, custom, HEADER, seededHex, treeOf, user, Writer } from './support';

const header = { ...HEADER, id: 'fork', parentSession: HEADER.id };
function fork(
  tree: SessionTree,
  id: string,
): { entries: SessionEntry[]; leafId: string | null; editorEntryId: string | null } {
  const plan = planFork(tree, id, { header, randomHex: seededHex(9) });
  const entries = plan.items.map((item) =>
    item.kind === 'new' ? item.entry : applyForkItem(item, tree.body(item.sourceId)!),
  );
  return { ...plan, entries };
}

describe('a fork', () => {
  it('HF3, HF6: has the path with its ids, without side records; at a user message it ends before it', () => {
    const writer = new Writer();
    for (const id of ['a', 'b', 'c']) writer.add(user(id), id);
    writer.add({ type: 'label', targetId: 'a', label: 'kept' });
    writer.add({ type: 'label', targetId: 'c', label: 'gone' });
    const { entries, leafId, editorEntryId } = fork(writer.tree, 'c');
    expect([leafId, editorEntryId]).toEqual(['b', 'c']);
    expect(entries.map((entry) => entry.type)).toEqual(['message', 'message', 'label']);
    expect(entries.map((entry) => entry.parentId)).toEqual([null, 'a', 'b']);
    expect(entries[2]).toMatchObject({ targetId: 'a', label: 'kept', timestamp: writer.entries[3]!.timestamp });
    expect(fork(writer.tree, 'a')).toMatchObject({ entries: [], leafId: null, editorEntryId: 'a' });
    expect(() => fork(writer.tree, 'nope')).toThrow('Entry nope not found');
  });

  it('HF3: requests and rebases stay in file order, copies reduced to kept entries', () => {
    const writer = new Writer();
    writer.add(custom('espalier.request', { v: 1, hash: '0', systemPrompt: 'early' }));
    writer.add(user('a'), 'a');
    writer.add(custom('espalier.request', { v: 1, hash: '1', systemPrompt: 'x' }));
    writer.add(custom('espalier.rebase', { v: 1, op: 'undo', copies: [['o', 'b'], ['p', 'elsewhere']] })); // prettier-ignore
    writer.add(user('b'), 'b');
    writer.add(compaction('S', 'a'), 'comp');
    const { entries } = fork(writer.tree, 'comp');
    expect(entries.map((entry) => (entry as { customType?: string }).customType ?? entry.id)).toEqual([
      'espalier.request',
      'a',
      'espalier.request',
      'espalier.rebase',
      'b',
      'comp',
    ]);
    expect(entries[3]).toMatchObject({ data: { copies: [['o', 'b']] } });
  });

  it('HF5: of any session at any entry is whole and shows what the source shows there', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const session = new RandomSession(seed);
      for (let i = 0; i < 40; i++) session.step();
      const { tree } = session.writer;
      const target = session.ids[seed % session.ids.length]!;
      const { entries, leafId } = fork(tree, target);
      expect(verifyFork(entries), `seed ${seed}`).toEqual([]);
      const forked = treeOf(entries);
      expect(forked.leafId, `seed ${seed}`).toBe(leafId);
      // Pins of entries that the fork does not have are not in it.
      const shown = (of: SessionTree): string[] =>
        leafId === null
          ? []
          : planContext(of, leafId).items.flatMap(({ kind, sourceId }) =>
              kind === 'pins' ? [] : [`${kind} ${sourceId}`],
            );
      expect(shown(forked), `seed ${seed}`).toEqual(shown(tree));
    }
  });

  it('HF5: a parent or a boundary that is missing is found', () => {
    const entries = [{ ...user('x'), id: 'a', parentId: 'none', timestamp: '' }, { ...compaction('s', 'later'), id: 'b', parentId: 'a', timestamp: '' }]; // prettier-ignore
    expect(verifyFork(entries as SessionEntry[])).toEqual([
      { entryId: 'a', missing: 'none' },
      { entryId: 'b', missing: 'later' },
    ]);
  });
});
