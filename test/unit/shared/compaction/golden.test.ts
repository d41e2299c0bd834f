import { describe, expect, it } from 'vitest';
import { windowOf, findCutPoint } from '@shared/compaction/cut';
import { addFileOps, fileListsOf, noFileOps } from '@shared/compaction/file-activity';
import { cutWindow, planCompaction } from '@shared/compaction/plan';
import type { CompactionPlan } from '@shared/compaction/plan';
import { planPrune } from '@shared/compaction/prune';
import { serializeConversation } from '@shared/compaction/serialize';
import type { PlanItem } from '@shared/session/context-plan';
import { planContext } from '@shared/session/context-plan';
import { projectItem } from '@shared/session/project-item';
import { readSession } from '@shared/session/read-session';
import { ratioFor } from '@shared/session/tokens';
import { EMPTY_SESSION, realSessionLines, seededHex } from '../session/support';

const lines = realSessionLines();

describe.skipIf(lines === null)('C5: the real session (engine.md 21)', () => {
  const { tree } = readSession(lines ?? EMPTY_SESSION, { randomHex: seededHex(1) });
  const { window } = cutWindow(tree, tree.leafId);
  const positionOf = (at: number): number => (at < 0 ? at : window[at]!.item.node.depth);
  const planned = (ratio: number): CompactionPlan => {
    const answer = planCompaction(tree, tree.leafId, {
      settings: { keepRecentTokens: 20_000 },
      tokensBefore: 177_657,
      ratio,
    });
    if (!answer.ok) throw new Error(answer.text);
    return answer.plan;
  };
  const messages = (items: readonly PlanItem[]) => items.map((item) => projectItem(item));
  const filesOf = (plan: CompactionPlan) => {
    const ops = noFileOps();
    for (const item of [...plan.messagesToSummarize, ...plan.turnPrefixMessages]) addFileOps(ops, projectItem(item));
    return ops;
  };

  it('has 541 legal cut points', () => {
    expect(windowOf(planContext(tree, tree.leafId).items).filter(({ isLegalCut }) => isLegalCut)).toHaveLength(541);
  });

  it.each([
    [1, 1017, 986],
    [1000, 1011, 986],
    [5000, 983, 978],
    [20_000, 837, 834],
    [50_000, 394, 387],
    [100_000, 27, 24],
  ])('keep %i: cut at %i in the turn of %i', (keep, firstKept, turnStart) => {
    const cut = findCutPoint(window, keep);
    expect([positionOf(cut.firstKept), positionOf(cut.turnStart), cut.isSplit]).toEqual([firstKept, turnStart, true]);
  });

  it('keep 10^9: nothing to do', () => {
    expect(findCutPoint(window, 1e9)).toMatchObject({ isSplit: false, isReached: false });
    expect(positionOf(findCutPoint(window, 1e9).firstKept)).toBe(0);
    expect(
      planCompaction(tree, tree.leafId, { settings: { keepRecentTokens: 1e9 }, tokensBefore: 177_657 }),
    ).toMatchObject({ ok: false, reason: 'too-small' });
  });

  it('keep 20,000: what is summarised and kept, which files, how long the text is', () => {
    const plan = planned(1);
    expect(plan.turnPrefixMessages).toHaveLength(3);
    expect(plan.messagesToSummarize).toHaveLength(730);
    expect(plan.keptMessages).toHaveLength(181);
    const ops = filesOf(plan);
    expect([ops.read.size, ops.written.size, ops.edited.size]).toEqual([21, 3, 20]);
    const { readFiles, modifiedFiles } = fileListsOf(ops);
    expect([readFiles.length, modifiedFiles.length]).toEqual([7, 20]);
    const lengths = (includeThinking: boolean) =>
      [plan.messagesToSummarize, plan.turnPrefixMessages].map(
        (items) => serializeConversation(messages(items), { includeThinking }).length,
      );
    expect(lengths(false)).toEqual([337_482, 3081]);
    expect(lengths(true)).toEqual([337_644, 3081]);
  });

  it('calibrated: keeps 14,038 raw tokens', () => {
    const ratio = ratioFor(tree, tree.leafId, { provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    const plan = planned(ratio);
    expect(tree.node(plan.firstKeptEntryId)?.depth).toBe(899);
    expect(plan.turnStartIndex).toBe(896);
    expect([plan.messagesToSummarize, plan.turnPrefixMessages, plan.keptMessages].map((list) => list.length)).toEqual([
      792, 3, 119,
    ]);
    const { readFiles, modifiedFiles } = fileListsOf(filesOf(plan));
    expect([readFiles.length, modifiedFiles.length]).toEqual([6, 21]);
  });

  it('has nothing to prune', () => {
    expect(planPrune(planContext(tree, tree.leafId).items, tree.pins)).toBeNull();
  });
});
