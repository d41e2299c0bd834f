import { describe, expect, it } from 'vitest';
import { branchBudget, branchRegion, selectBranch } from '@shared/compaction/branch-selection';
import { planContext } from '@shared/session/context/context-plan';
import { readSession } from '../../../support/read-session';
import type { SessionTree } from '@shared/session/tree/tree';
import { goldenSessions } from '../../../support/golden-sessions';
import { seededHex } from '../session/support';

const HEADER = JSON.stringify({
  type: 'session',
  version: 3,
  id: 's',
  timestamp: '2026-01-01T00:00:00.000Z',
  cwd: '/',
});

function treeOf(entries: Record<string, unknown>[]): SessionTree {
  let parentId: string | null = null;
  const stored = entries.map((entry, index) => {
    const id = (entry.id as string | undefined) ?? `e${index}`;
    const line = JSON.stringify({ id, parentId, timestamp: '2026-01-01T00:00:00.000Z', ...entry });
    parentId = id;
    return line;
  });
  return readSession([HEADER, ...stored], { randomHex: seededHex(1) }).tree;
}

/** A message of so many raw tokens. */
const user = (tokens: number): Record<string, unknown> => ({
  type: 'message',
  message: { role: 'user', content: 'x'.repeat(4 * tokens), timestamp: 0 },
});
const reply = (content: unknown[], stopReason = 'stop'): Record<string, unknown> => ({
  type: 'message',
  message: { role: 'assistant', content, stopReason, provider: 'p', model: 'm', usage: {}, timestamp: 0 },
});
const summary = (type: string, tokens: number): Record<string, unknown> => ({
  type,
  summary: 's'.repeat(4 * tokens),
  firstKeptEntryId: null,
  tokensBefore: 1,
  fromId: 'x',
});

const chosen = (tree: SessionTree, budget: number) => {
  const { selected, tokens } = selectBranch(branchRegion(tree, tree.leafId, null).items, budget);
  return { tokens, picked: selected.map(({ item, limit, gap }) => [item.sourceId, limit, gap]) };
};

describe.each(goldenSessions())('the branch of $name', ({ lines, figures }) => {
  const { tree } = readSession(lines, { randomHex: seededHex(1) });
  it.each(figures.branch)('budget %i: %i messages, %i tokens', (budget, count, tokens) => {
    const { items } = branchRegion(tree, tree.leafId, null);
    expect(items).toHaveLength(planContext(tree, tree.leafId).items.length);
    const selection = selectBranch(items, budget);
    expect([selection.selected.length, selection.tokens]).toEqual([count, tokens]);
  });
});

describe('selectBranch', () => {
  it('leaves out tool results and failed replies that say nothing', () => {
    const tree = treeOf([
      user(10),
      reply([{ type: 'toolCall', id: 'c', name: 'read', arguments: {} }], 'aborted'),
      { type: 'message', message: { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text: 'abc' }] } },
      reply([{ type: 'thinking', thinking: 'hm hm hm hm' }], 'error'),
      reply([{ type: 'text', text: 'half a word' }], 'aborted'),
    ]);
    expect(chosen(tree, 1000).picked.map(([id]) => id)).toEqual(['e0', 'e1', 'e4']);
  });

  it('cuts a message that is longer than a quarter of the budget, but never below 256', () => {
    expect(chosen(treeOf([user(5000)]), 4000)).toEqual({ tokens: 1000, picked: [['e0', 1000, 0]] });
    expect(chosen(treeOf([user(5000)]), 400)).toEqual({ tokens: 256, picked: [['e0', 256, 0]] });
    expect(chosen(treeOf([user(5000)]), 100)).toEqual({ tokens: 100, picked: [['e0', 100, 0]] });
  });

  it('stops at the first that does not fit and says how many are left out', () => {
    const tree = treeOf([user(10), user(90), user(90), user(90)]);
    expect(chosen(tree, 200)).toEqual({
      tokens: 180,
      picked: [
        ['e2', undefined, 2],
        ['e3', undefined, 0],
      ],
    });
  });

  it('squeezes in the next older summary while 256 tokens remain', () => {
    const newer = [user(900), user(900), user(900), user(900), user(900)];
    const tree = treeOf([user(50), summary('compaction', 700), user(20), ...newer]);
    expect(chosen(tree, 4000)).toEqual({
      tokens: 4000,
      picked: [
        ['e1', 400, 1],
        ['e4', undefined, 2],
        ['e5', undefined, 0],
        ['e6', undefined, 0],
        ['e7', undefined, 0],
      ],
    });
    // Four of them leave 244.
    expect(chosen(tree, 3844).picked.map(([id]) => id)).toEqual(['e4', 'e5', 'e6', 'e7']);
    // The summary itself is what does not fit any more.
    const next = treeOf([user(50), summary('branch_summary', 700), ...newer.slice(1)]);
    expect(chosen(next, 4000).picked[0]).toEqual(['e1', 400, 1]);
  });

  it('selects nothing of a branch of choices alone', () => {
    const tree = treeOf([{ type: 'model_change', provider: 'p', modelId: 'm' }]);
    expect(chosen(tree, 1000)).toEqual({ tokens: 0, picked: [] });
  });
});

describe('branchRegion', () => {
  const tree = readSession(
    [
      HEADER,
      ...[
        { ...user(1), id: 'a', parentId: null },
        { ...user(1), id: 'b', parentId: 'a' },
        { ...user(1), id: 'c', parentId: 'a' },
        { ...user(1), id: 'd', parentId: 'c' },
        { ...user(1), id: 'r', parentId: null },
      ].map((entry) => JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', ...entry })),
    ],
    { randomHex: seededHex(1) },
  ).tree;
  it.each([
    ['d', 'b', 'a', ['c', 'd']],
    ['d', 'c', 'c', ['d']],
    ['a', 'd', 'a', []],
    ['d', null, null, ['a', 'c', 'd']],
    ['d', 'r', null, ['a', 'c', 'd']],
    [null, 'a', null, []],
  ])('from %s to %s: after %s', (from, to, ancestor, ids) => {
    const region = branchRegion(tree, from, to);
    expect([region.ancestorId, region.entries.map(({ id }) => id)]).toEqual([ancestor, ids]);
  });
});

describe('branchBudget', () => {
  it.each([
    [200_000, 16_384, 1, 183_616],
    [null, 16_384, 1, 111_616],
    [200_000, 16_384, 2, 91_808],
    [8000, 16_384, 1, 6800],
  ])('window %s, reserve %i, ratio %i: %i', (window, reserve, ratio, budget) => {
    expect(branchBudget(window, reserve, ratio)).toBe(budget);
  });
});
