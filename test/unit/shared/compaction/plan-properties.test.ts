import { describe, expect, it } from 'vitest';
import { findCutPoint, windowOf } from '@shared/compaction/cut';
import type { WindowItem } from '@shared/compaction/cut';
import { planCompaction } from '../../../support/plan-compaction';
import type { CompactionPlan, PlanOptions } from '@shared/compaction/plan';
import { planPrune } from '@shared/compaction/prune';
import { planContext } from '@shared/session/context/context-plan';
import { type PlanItem, weighItem } from '@shared/session/messages/plan-item';
import type { SessionTree } from '@shared/session/tree/tree';
import { Dice, RandomSession } from '../session/random-session';
import { compaction, custom } from '../session/support';
import { shortOrLong } from '../../../support/long-form';

/** Random trees with tool loops, branches, compactions, view edits, pins and metadata everywhere; three plans each. */
const SEEDS = Number(process.env.ESPALIER_FUZZ_SEEDS ?? shortOrLong(150, 500));

interface Planned {
  tree: SessionTree;
  plan: CompactionPlan;
  before: PlanItem[];
  options: PlanOptions;
}

function forEachPlan(check: (planned: Planned, session: RandomSession, dice: Dice) => void): number {
  let plans = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const dice = new Dice(seed ^ 0xc0);
    const session = new RandomSession(seed);
    const { tree } = session.writer;
    for (let round = 0; round < 3; round++) {
      const steps = 5 + dice.below(30);
      for (let step = 0; step < steps; step++) session.step();
      const options: PlanOptions = {
        settings: { keepRecentTokens: 1 + dice.below(120) },
        tokensBefore: dice.below(5000),
        ratio: 1 + dice.below(3),
        pass: 1 + dice.below(3),
        isManual: dice.chance(0.7),
      };
      const before = planContext(tree, tree.leafId).items;
      const answer = planCompaction(tree, tree.leafId, options);
      if (!answer.ok) continue;
      plans++;
      try {
        check({ tree, plan: answer.plan, before, options }, session, dice);
      } catch (error) {
        throw new Error(`seed ${seed}, round ${round}: ${String(error)}`, { cause: error });
      }
    }
  }
  return plans;
}

const ids = (items: readonly PlanItem[]): string[] => items.map(({ sourceId }) => sourceId);
const windowIds = (items: readonly PlanItem[]): string[] =>
  ids(items.filter(({ kind }) => kind === 'message' || kind === 'branch'));
/** A plan without its nodes, which know the whole tree. */
const outline = (plan: CompactionPlan) => ({
  ...plan,
  previous: plan.previous?.id,
  messagesToSummarize: ids(plan.messagesToSummarize),
  turnPrefixMessages: ids(plan.turnPrefixMessages),
  keptMessages: ids(plan.keptMessages),
});
const summarised = (plan: CompactionPlan): PlanItem[] => [...plan.messagesToSummarize, ...plan.turnPrefixMessages];

/** Pairs of call and result by the words of CX9, walked anew for every result. */
function pairsOf(items: readonly PlanItem[]): [number, number][] {
  const pairs: [number, number][] = [];
  const taken = new Set<string>();
  items.forEach(({ node: { facts } }, at) => {
    if (facts.answers === undefined) return;
    for (let caller = at - 1; caller >= 0; caller--) {
      const calls = items[caller]!.node.facts.calls ?? [];
      const nth = calls.findIndex((id, index) => id === facts.answers && !taken.has(`${caller}/${index}`));
      if (nth < 0) continue;
      taken.add(`${caller}/${nth}`);
      pairs.push([caller, at]);
      return;
    }
  });
  return pairs;
}

describe('IN1 to IN16', () => {
  it('1, 3, 4, 11: what is divided is everything, once, in order; never a pair; split only inside a turn', () => {
    const plans = forEachPlan(({ tree, plan, before, options }) => {
      const gone = summarised(plan);
      expect(ids([...gone, ...plan.keptMessages])).toEqual(windowIds(before));
      expect(gone.length).toBeGreaterThan(0);
      expect(plan.keptMessages.length).toBeGreaterThan(0);
      expect(plan.keptMessages[0]!.sourceId).toBe(plan.firstKeptEntryId);
      expect(tree.node(plan.firstKeptEntryId)?.facts.visible).toBe(true);

      const all = [...gone, ...plan.keptMessages];
      expect(pairsOf(all).filter(([caller, at]) => caller < gone.length !== at < gone.length)).toEqual([]);

      const isTurnStart = plan.keptMessages[0]!.node.facts.turnStart;
      const hasEarlier = gone.some(({ node }) => node.facts.turnStart);
      expect(plan.isSplitTurn).toBe(!isTurnStart && hasEarlier);
      expect(plan.turnPrefixMessages.length > 0).toBe(plan.isSplitTurn);
      if (plan.isSplitTurn) {
        expect(plan.turnPrefixMessages[0]!.node.depth).toBe(plan.turnStartIndex);
        expect(plan.turnPrefixMessages.filter(({ node }) => node.facts.turnStart)).toHaveLength(1);
      }
      const again = planCompaction(tree, tree.leafId, options);
      expect(again.ok && outline(again.plan)).toEqual(outline(plan));
    });
    expect(plans).toBeGreaterThan(SEEDS / 2);
  });

  it('1, 5: after it the context is the summary and what was kept, and the figures are those of the context', () => {
    forEachPlan(({ tree, plan, options }, session) => {
      if (!options.isManual) expect(plan.estimates.projected).toBeLessThan(plan.tokensBefore);
      session.writer.add(compaction('S', plan.firstKeptEntryId));
      const after = planContext(tree, tree.leafId).items;
      expect(after[0]).toMatchObject({ kind: 'summary' });
      expect(windowIds(after)).toEqual(ids(plan.keptMessages));
      const weight = (kinds: string[]) =>
        after.filter(({ kind }) => kinds.includes(kind)).reduce((sum, item) => sum + weighItem(item).raw, 0);
      expect(plan.estimates.kept).toBe(weight(['message', 'branch']));
    });
  });

  it('3: the cut is the one of PL10, tried the slow way', () => {
    forEachPlan(({ before }, _session, dice) => {
      const items = before.filter(({ kind }) => kind === 'message' || kind === 'branch');
      const window = windowOf(items);
      const pairs = pairsOf(items);
      const legal = items.map(
        ({ node }, at) =>
          node.facts.answers === undefined && !pairs.some(([caller, result]) => caller < at && at <= result),
      );
      expect(window.map(({ isLegalCut }) => isLegalCut)).toEqual(legal);
      const keep = 1 + dice.below(200);
      expect(findCutPoint(window, keep).firstKept).toBe(slowCut(window, legal, keep));
    });
  });

  it('16: prune, then restore: the context is as before, and only old outputs were touched', () => {
    let pruned = 0;
    forEachPlan(({ tree }, session, dice) => {
      const before = planContext(tree, tree.leafId).items;
      const settings = {
        protectTokens: dice.below(100),
        minimumSavings: 1,
        minimumTokens: 10 + dice.below(10),
        protectedTools: [],
      };
      const found = planPrune(before, tree.pins, settings);
      if (!found) return;
      pruned++;
      const { items, savings } = found;
      const weightOf = (list: readonly PlanItem[]) => list.reduce((sum, item) => sum + weighItem(item).raw, 0);
      session.writer.add(custom('espalier.prune', { v: 1, action: 'prune', items }));
      const during = planContext(tree, tree.leafId).items;
      expect(weightOf(before) - weightOf(during)).toBe(savings);
      for (const { targetId } of items) {
        const node = tree.node(targetId)!;
        expect([node.facts.answers === undefined, node.facts.isError, tree.pins.has(targetId)]).toEqual([
          false,
          false,
          false,
        ]);
      }
      expect(planPrune(during, tree.pins, settings)?.items.some((item) => items.some(same(item))) ?? false).toBe(false);
      session.writer.add(custom('espalier.prune', { v: 1, action: 'restore', items }));
      const after = planContext(tree, tree.leafId).items;
      expect(after.map(({ sourceId, kind, edit }) => [sourceId, kind, edit?.prune])).toEqual(
        before.map(({ sourceId, kind, edit }) => [sourceId, kind, edit?.prune]),
      );
    });
    expect(pruned).toBeGreaterThan(SEEDS / 20);
  });
});

const same =
  (a: { targetId: string }) =>
  (b: { targetId: string }): boolean =>
    a.targetId === b.targetId;

function slowCut(window: readonly WindowItem[], legal: readonly boolean[], keep: number): number {
  const positions = legal.flatMap((isLegal, at) => (isLegal ? [at] : []));
  if (positions.length === 0) return 0;
  for (let at = window.length - 1; at >= 0; at--) {
    const sum = window.slice(at).reduce((total, { raw }) => total + raw, 0);
    if (sum >= keep) return positions.find((position) => position >= at) ?? positions.at(-1)!;
  }
  return positions[0]!;
}
