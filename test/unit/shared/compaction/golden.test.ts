import { describe, expect, it } from 'vitest';
import { windowOf, findCutPoint } from '@shared/compaction/cut';
import { addGroupFiles, fileListsOf, noFileOps } from '@shared/compaction/file-activity';
import { cutWindow } from '@shared/compaction/plan';
import { planCompaction } from '../../../support/plan-compaction';
import type { CompactionPlan } from '@shared/compaction/plan';
import { planPrune } from '@shared/compaction/prune';
import { groupMessages, serializeConversation } from '../../../support/serialize-conversation';
import type { PlanItem } from '@shared/session/messages/plan-item';
import { planContext } from '@shared/session/context/context-plan';
import { projectItem } from '@shared/session/messages/projection';
import { readSession } from '../../../support/read-session';
import { ratioFor } from '@shared/session/context/figure';
import { goldenSessions } from '../../../support/golden-sessions';
import type { PlanFigures } from '../../../support/golden-figures';
import { seededHex } from '../session/support';

describe.each(goldenSessions())('GV4: $name', ({ lines, figures }) => {
  const { tree } = readSession(lines, { randomHex: seededHex(1) });
  const { window } = cutWindow(tree, tree.leafId);
  const positionOf = (at: number): number => (at < 0 ? at : window[at]!.item.node.depth);
  const planned = (ratio: number): CompactionPlan => {
    const answer = planCompaction(tree, tree.leafId, {
      settings: { keepRecentTokens: 20_000 },
      tokensBefore: figures.reported,
      ratio,
    });
    if (!answer.ok) throw new Error(answer.text);
    return answer.plan;
  };
  const messages = (items: readonly PlanItem[]) => items.map((item) => projectItem(item));
  const filesOf = (plan: CompactionPlan) => {
    const ops = noFileOps(null);
    const told = [...plan.messagesToSummarize, ...plan.turnPrefixMessages].map((item) => projectItem(item));
    for (const group of groupMessages(told)) addGroupFiles(ops, group);
    return ops;
  };

  it('PL9: may be cut before every message that is no result of a call before it', () => {
    const legal = windowOf(planContext(tree, tree.leafId).items).filter(({ isLegalCut }) => isLegalCut);
    expect(legal).toHaveLength(figures.cutPoints);
  });

  it.each(figures.cuts)('PL11, PL12: keep %i: cut at %i in the turn of %i', (keep, firstKept, turnStart) => {
    const cut = findCutPoint(window, keep);
    expect([positionOf(cut.firstKept), positionOf(cut.turnStart), cut.isSplit]).toEqual([
      firstKept,
      turnStart,
      turnStart >= 0,
    ]);
  });

  it('keep 10^9: nothing to do', () => {
    expect(findCutPoint(window, 1e9)).toMatchObject({ isSplit: false, isReached: false });
    expect(positionOf(findCutPoint(window, 1e9).firstKept)).toBe(0);
    expect(
      planCompaction(tree, tree.leafId, { settings: { keepRecentTokens: 1e9 }, tokensBefore: figures.reported }),
    ).toMatchObject({ ok: false, reason: 'too-small' });
  });

  const told = (plan: CompactionPlan): PlanFigures => {
    const { readFiles, modifiedFiles } = fileListsOf(filesOf(plan));
    const length = (items: readonly PlanItem[], includeThinking: boolean): number =>
      serializeConversation(messages(items), { includeThinking }).length;
    return {
      firstKept: tree.node(plan.firstKeptEntryId)?.depth ?? -1,
      turnStart: plan.turnStartIndex,
      summarised: plan.messagesToSummarize.length,
      prefix: plan.turnPrefixMessages.length,
      kept: plan.keptMessages.length,
      read: readFiles.length,
      modified: modifiedFiles.length,
      lengths: [
        length(plan.messagesToSummarize, false),
        length(plan.turnPrefixMessages, false),
        length(plan.messagesToSummarize, true),
      ],
    };
  };

  it('GV3: keep 20,000: what is summarised and kept, which files, how long the text is', () => {
    expect(told(planned(1))).toEqual(figures.plan);
  });

  it('calibrated: keeps as many raw tokens as the provider counts', () => {
    const ratio = ratioFor(tree, tree.leafId, { provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    expect(told(planned(ratio))).toEqual(figures.calibrated);
  });

  it('PR2, PR3: prunes old results as far as it is worth it', () => {
    const plan = planPrune(planContext(tree, tree.leafId).items, tree.pins);
    expect(plan && [plan.items.length, plan.savings]).toEqual(figures.prune);
  });
});
