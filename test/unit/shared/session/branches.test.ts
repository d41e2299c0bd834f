import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchRegion, selectBranch } from '@shared/compaction/branch-selection';
import { contextAt } from '../../../support/context-at';
import { destinationOf, newestLeafBelow, versionsAt } from '@shared/session/tree/destination';
import type { EntryDraft, SessionEntry } from '@shared/session/records/entry';
import { isShown, isVersion } from '@shared/session/records/facts';
import { applyForkItem, planFork, verifyFork } from '@shared/session/tree/fork';
import { SessionTree } from '@shared/session/tree/tree';
import type { TreeNode } from '@shared/session/records/tree-node';
import { Oracle } from './oracle';
import { Dice, foreignEntries, RandomSession } from './random-session';
import { compaction, custom, HEADER, reply, seededHex, treeOf, user, Writer } from './support';

/** Random trees and what is done with their branches (TR1 to TR10, BR1, IN9, IN10). */
function grown(seed: number, steps: number): RandomSession {
  const session = new RandomSession(seed);
  for (let i = 0; i < steps; i++) session.step();
  return session;
}

function forked(tree: SessionTree, id: string): { entries: SessionEntry[]; leafId: string | null } {
  const { items, leafId } = planFork(tree, id, { header: { ...HEADER, id: 'fork' }, randomHex: seededHex(9) });
  const entries = items.map((item) =>
    item.kind === 'new' ? item.entry : applyForkItem(item, tree.body(item.sourceId)!),
  );
  return { entries, leafId };
}

function shownAbove({ parent }: TreeNode): TreeNode | null {
  let at = parent;
  while (at && !isVersion(at.facts)) at = at.parent;
  return at;
}

/** Descendants by the plain rule, without the tree's own notes. */
function isShownBelow(node: TreeNode): boolean {
  const open = [node];
  for (let at = open.pop(); at; at = open.pop()) {
    if (isShown(at.facts)) return true;
    open.push(...at.children);
  }
  return false;
}

function checkBranches({ tree }: { tree: SessionTree }, dice: Dice, looks: number): void {
  const all = tree.entriesInOrder();
  // Nothing is unreachable: every entry is found from the roots, once.
  const reached = new Set<TreeNode>();
  const open = [...tree.roots()];
  for (let node = open.pop(); node; node = open.pop()) {
    expect(reached.has(node)).toBe(false);
    reached.add(node);
    open.push(...node.children);
  }
  expect(reached.size).toBe(all.length);
  const oracle = new Oracle(all.map(({ body }) => body!));
  for (let look = 0; look < looks; look++) {
    const node = dice.pick(all);
    const other = dice.pick(all);
    const ancestor = tree.commonAncestor(node.id, other.id);
    expect(ancestor).toBe(oracle.commonAncestor(node.id, other.id));
    const region = branchRegion(tree, node.id, other.id);
    const onOther = new Set(tree.pathTo(other.id));
    expect(region.ancestorId).toBe(ancestor);
    expect(region.entries).toEqual(tree.pathTo(node.id).filter((it) => !onOther.has(it) && !it.facts.side));
    const budget = 1 + dice.below(3000);
    const { selected, tokens } = selectBranch(region.items, budget);
    expect(tokens).toBeLessThanOrEqual(budget);
    const places = selected.map(({ item }) => region.items.indexOf(item));
    expect(places).toEqual([...places].sort((a, b) => a - b));

    expect(node.shows).toBe(isShownBelow(node));
    for (const { entryId, leafId } of versionsAt(tree, node.id)) {
      const [version, leaf] = [tree.node(entryId)!, tree.node(leafId)!];
      expect(version === node || shownAbove(version) === shownAbove(node)).toBe(true);
      expect(tree.pathTo(leafId)).toContain(version);
      expect(leaf.facts.side).toBe(false);
      if (entryId !== node.id) expect(tree.archived.has(entryId)).toBe(false);
    }
    const { leafId } = destinationOf(tree, node.id);
    expect(
      leafId === null || (tree.node(leafId)?.facts.side === false && tree.commonAncestor(leafId, node.id) === leafId),
    ).toBe(true);
  }
}

describe('random trees', () => {
  it('are whole, of many small ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 60 }), (seed, steps) => {
        const session = grown(seed, steps);
        if (session.ids.length > 0) checkBranches(session.writer, new Dice(seed), 3);
      }),
      { numRuns: 150 },
    );
  });

  it.each([1, 2])('are whole at 10,000 entries (seed %i)', (seed) => {
    const session = grown(seed, 10_000);
    checkBranches(session.writer, new Dice(seed), 20);
  });

  it('a fork has one root, its parents before their children, and the same context', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 5, max: 80 }), (seed, steps) => {
        const { tree } = grown(seed, steps).writer;
        // Pins of entries that a fork does not have are not in it; whole contexts are compared without pins.
        const plain = treeOf(
          tree.entriesInOrder().flatMap(({ body, facts }) => (facts.customType === 'espalier.pin' ? [] : [body!])),
        );
        const target = new Dice(seed).pick(plain.entriesInOrder()).id;
        const { entries, leafId } = forked(plain, target);
        expect(verifyFork(entries)).toEqual([]);
        const fork = treeOf(entries);
        expect(fork.leafId).toBe(leafId);
        if (leafId === null) return;
        expect(fork.roots().filter(({ facts }) => !facts.side)).toHaveLength(1);
        expect(contextAt(fork, leafId).messages).toEqual(contextAt(plain, leafId).messages);
      }),
      { numRuns: 120 },
    );
  });

  it('a fork of 10,000 entries too', () => {
    const { tree } = grown(7, 10_000).writer;
    const { entries, leafId } = forked(tree, tree.leafId!);
    expect(verifyFork(entries)).toEqual([]);
    const shown = (of: SessionTree): unknown[] => contextAt(of, leafId).messages.filter(({ role }) => role !== 'user');
    expect(shown(treeOf(entries))).toEqual(shown(tree));
  });

  it('of other programs, with cycles, two roots and lost parents, end every walk', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const tree = treeOf(foreignEntries(seed, 30));
      if (tree.size > 0) checkBranches({ tree }, new Dice(seed), 3);
    }
  });
});

describe('versions', () => {
  it('of 5,000 children of one node are found once each, in order', () => {
    const writer = new Writer();
    writer.add(user('root'), 'root');
    for (let i = 0; i < 5000; i++) writer.add(user(`${i}`), `c${i}`, 'root');
    const versions = versionsAt(writer.tree, 'c77');
    expect(versions).toHaveLength(5000);
    expect(versions[4999]).toEqual({ entryId: 'c4999', leafId: 'c4999' });
    expect(writer.tree.rows('c77').at(-1)).toMatchObject({ siblingIndex: 77, siblingCount: 5000 });
  });

  it('lead to the newest shown entry and the choices made there, past what is hidden', () => {
    const writer = new Writer();
    for (const [id, parent] of [
      ['a', null],
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'b'],
    ] as const)
      writer.add(user(id), id, parent);
    writer.add({ type: 'thinking_level_change', thinkingLevel: 'high' }, 't', 'c');
    writer.add({ type: 'thinking_level_change', thinkingLevel: 'low' }, 'early', 'b');
    const { tree } = writer;
    expect(newestLeafBelow(tree, tree.node('a')!).id).toBe('d');
    writer.add(custom('espalier.archive', { v: 1, targetId: 'd', archived: true }));
    expect(newestLeafBelow(tree, tree.node('a')!).id).toBe('t');
    expect(versionsAt(tree, 'early')).toEqual([{ entryId: 'early', leafId: 'early' }]);
  });

  it('TR13, TS7: a compaction is none, undone or not, nor is the copy of a message that nobody edited', () => {
    const writer = new Writer();
    writer.add(user('q'), 'q');
    writer.add(reply('a'), 'a');
    writer.add(compaction('Summary', 'a'), 'c');
    writer.add(user('next'), 'n');
    const { tree } = writer;
    expect(tree.rows().map(({ siblingCount }) => siblingCount)).toEqual([1, 1, 1, 1]);
    // Undone with nothing said since: only the leaf moves.
    writer.add(user('instead'), 'i', 'a');
    expect(versionsAt(tree, 'i').map(({ entryId }) => entryId)).toEqual(['n', 'i']);
    expect(tree.siblings('c')).toMatchObject({ count: 1 });
    expect(tree.rows('n').map(({ siblingCount }) => siblingCount)).toEqual([1, 1, 1, 2]);
    // Undone with something said: that is repeated beside the compaction.
    writer.add({ type: 'custom', customType: 'espalier.rebase', data: { v: 1, op: 'undo', compactionId: 'c', copies: [['n', 'm']] } } as EntryDraft, 'r', 'a'); // prettier-ignore
    writer.add(user('next'), 'm', 'a');
    expect(tree.siblings('m').ids).toEqual(['i', 'm']);
    expect(tree.siblings('n').ids).toEqual(['n', 'i']);
    expect(tree.siblings('i').ids).toEqual(['i', 'm']);
  });

  it('an undone compaction leaves one version of what was said after it', () => {
    const writer = new Writer();
    writer.add(user('q'), 'q');
    writer.add(compaction('Summary', 'q'), 'c');
    writer.add(user('next'), 'n');
    writer.add({ type: 'custom', customType: 'espalier.rebase', data: { v: 1, op: 'undo', compactionId: 'c', copies: [['n', 'm']] } } as EntryDraft, 'r', 'q'); // prettier-ignore
    writer.add(user('next'), 'm', 'q');
    for (const id of ['m', 'n'])
      expect(writer.tree.rows(id).at(-1)).toMatchObject({ siblingIndex: 0, siblingCount: 1 });
    writer.add(user('edited'), 'e', 'q');
    expect(writer.tree.rows('m').at(-1)).toMatchObject({ siblingIndex: 0, siblingCount: 2 });
  });

  it('follow a child that came before its parent', () => {
    const tree = new SessionTree(HEADER);
    const at = (id: string, parentId: string | null, entry: object): SessionEntry =>
      ({ id, parentId, timestamp: '', ...entry }) as unknown as SessionEntry;
    tree.addEntry(at('root', null, user('root')), 1);
    tree.addEntry(at('said', 'choice', user('said')), 2);
    tree.addEntry(at('choice', 'root', { type: 'model_change', provider: 'p', modelId: 'm' }), 3);
    tree.addEntry(at('other', 'root', user('other')), 4);
    // The choice between is no version of its own; what was said after it is.
    expect(versionsAt(tree, 'other').map(({ entryId }) => entryId)).toEqual(['said', 'other']);
    expect(versionsAt(tree, 'said')).toEqual(versionsAt(tree, 'other'));
    expect(tree.siblings('choice')).toEqual({ index: 0, count: 1, ids: ['choice'] });
    expect(tree.node('choice')!.shows).toBe(true);
  });
});
