import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextAt } from '../../support/context-at';
import { destinationOf } from '@shared/session/tree/destination';
import { ExtensionBus } from '../../../src/main/extensions/bus';
import { Branches } from '../../../src/main/session/branches/branches';
import type { SummaryJob } from '../../../src/main/session/machine/summary-job';
import { Rewriter } from '../../../src/main/session/summaries/rewriter';
import { bareSession } from '../../support/bare-session';
import { MemoryLog } from '../../support/memory-log';

/** Random navigation over a log (BR1, BR2, IN9): what is moved is told in the file, and nothing else changes. */
const EXTENSION = { extensionPath: '/x.ts' };

function setUp(log = new MemoryLog()): {
  log: MemoryLog;
  branches: Branches;
  extensions: ExtensionBus;
  job: SummaryJob;
} {
  const extensions = new ExtensionBus({ onError: () => undefined });
  // Summaries come from an extension here: nothing is asked over the network.
  const { scope, runs } = bareSession(log, { extensions });
  const branches = new Branches(scope, new Rewriter(scope, runs), { reset: () => undefined });
  return { log, branches, extensions, job: scope.job };
}

type Step =
  { do: 'say'; text: string } | { do: 'go' | 'leave' | 'hide' | 'label' | 'cancel'; at: number; exact: boolean };
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('say' as const), text: fc.string({ maxLength: 8 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('go' as const, 'leave' as const, 'hide' as const, 'label' as const, 'cancel' as const),
      at: fc.nat(10_000),
      exact: fc.boolean(),
    }),
  },
) satisfies fc.Arbitrary<Step>;

const linesOf = (log: MemoryLog): string[] => log.stored.map(({ line }) => line);

async function carryOut(bench: ReturnType<typeof setUp>, next: Step): Promise<void> {
  const { log, branches, extensions, job } = bench;
  const { tree } = log;
  if (next.do === 'say') {
    const role = tree.size % 2 === 0 ? 'user' : 'assistant';
    const message = { role, content: [{ type: 'text', text: next.text }], stopReason: 'stop', timestamp: 0 };
    await log.append([{ type: 'message', message }]);
    return;
  }
  const ids = [null, ...tree.entriesInOrder().map(({ id }) => id)];
  const targetId = ids[next.at % ids.length] ?? null;
  if (next.do === 'hide' || next.do === 'label') {
    if (targetId === null) return;
    if (next.do === 'hide') await branches.setArchived(targetId, next.exact);
    else await branches.label(targetId, next.exact ? 'named' : '');
    return;
  }
  const [oldLeafId, before] = [tree.leafId, linesOf(log)];
  const isHere = targetId === oldLeafId;
  const { leafId } = destinationOf(tree, targetId, next.exact);
  const wanted = contextAt(tree, leafId).messages;
  const off = extensions.on(
    'session_before_tree',
    () => (next.do === 'cancel' ? (job.cancel(), {}) : { summary: { summary: 'Told.' } }),
    EXTENSION,
  );
  const result = await branches.navigate({ targetId, exact: next.exact, summarize: next.do === 'leave' });
  off();
  const after = linesOf(log);
  expect(after.slice(0, before.length)).toEqual(before);
  if (isHere || next.do === 'cancel') {
    expect([after.length, tree.leafId]).toEqual([before.length, oldLeafId]);
    expect(result).toEqual(isHere ? { cancelled: false } : { cancelled: true, aborted: true });
    return;
  }
  const context = contextAt(tree, tree.leafId).messages;
  if (next.do === 'leave') {
    expect(tree.node(tree.leafId ?? '')?.body).toMatchObject({
      type: 'branch_summary',
      parentId: leafId,
      fromId: oldLeafId ?? 'root',
      summary: 'Told.',
    });
    expect(context).toHaveLength(wanted.length + 1);
    expect(context.slice(0, -1)).toEqual(wanted);
  } else {
    expect(tree.leafId).toBe(leafId);
    expect(context).toEqual(wanted);
    expect(after.length - before.length).toBe(leafId === oldLeafId ? 0 : 1);
  }
}

describe('random navigation', () => {
  it('moves the leaf as said, changes no line, and a restart finds the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const bench = setUp();
        for (const next of steps) await carryOut(bench, next);
        const { log } = bench;
        const seen = new Set<string | null>([null]);
        for (const { id, parentId } of log.tree.entriesInOrder().map(({ body }) => body!)) {
          expect(seen.has(parentId)).toBe(true);
          seen.add(id);
        }
        const again = log.reopen().tree;
        expect(again.leafId).toBe(log.tree.leafId);
        expect([...again.labels, ...again.archived]).toEqual([...log.tree.labels, ...log.tree.archived]);
        expect(contextAt(again, again.leafId).messages).toEqual(contextAt(log.tree, log.tree.leafId).messages);
      }),
      { numRuns: 120 },
    );
  });
});

describe('an odd file', () => {
  const line = (id: string, parentId: string | null): string =>
    JSON.stringify({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'assistant', content: [{ type: 'text', text: id }], stopReason: 'stop', timestamp: 0 },
    });

  it('with a cycle and two roots: every entry can be gone to, with a summary and back', async () => {
    const log = new MemoryLog();
    for (const [id, parentId] of [
      ['a', 'c'],
      ['b', 'a'],
      ['c', 'b'],
      ['self', 'self'],
      ['r', null],
      ['s', 'r'],
      ['lost', 'nowhere'],
    ] as const)
      log.addLine(line(id, parentId));
    log.tree.settleLeafAfterLoad();
    const bench = setUp(log);
    bench.extensions.on('session_before_tree', () => ({ summary: { summary: 'Told.' } }), EXTENSION);
    for (const id of ['a', 's', 'c', 'self', 'b', 'r', 'lost']) {
      expect(await bench.branches.navigate({ targetId: id, summarize: id === 's' || id === 'self' })).toMatchObject({
        cancelled: false,
      });
      const { leafId } = log.tree;
      expect(log.tree.pathTo(leafId).some((node) => node.id === id)).toBe(true);
    }
    await expect(bench.branches.navigate({ targetId: 'gone', summarize: false })).rejects.toThrow(
      'Entry gone not found',
    );
  });
});
