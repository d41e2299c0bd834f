import { describe, expect, it } from 'vitest';
import { planCompaction } from '../../../support/plan-compaction';
import type { CompactionPlan, PlanOptions, PlanResult } from '@shared/compaction/plan';
import type { SessionTree } from '@shared/session/tree/tree';
import { compaction, reply, result, user, Writer } from '../session/support';

/** Text of a number of raw tokens. */
const sized = (tokens: number): string => 'x'.repeat(tokens * 4);

/**
 * A path in the words of GV1: `U10` a user message of 10 tokens, `A` a reply, `T` the result of a call of the reply
 * before it, `M` metadata, `label`. Ids are e0, e1, … by position.
 */
function pathOf(shape: string): Writer {
  const writer = new Writer();
  const words = shape.split(' ');
  const labelled: string[] = [];
  words.forEach((word, at) => {
    const size = Number(word.slice(1));
    const id = `e${at}`;
    if (word === 'label') labelled.push(id);
    if (word.startsWith('U')) writer.add(user(sized(size)), id);
    else if (word.startsWith('A')) writer.add(replyWithCalls(words, at, size), id);
    else if (word.startsWith('T')) writer.add(result(callOf(words, at), sized(size)), id);
    else writer.add({ type: 'thinking_level_change', thinkingLevel: 'low' }, id);
  });
  return writer;
}

/** The n-th result after a reply answers its n-th call. */
function callOf(words: readonly string[], at: number): string {
  let caller = at;
  while (words[caller]!.startsWith('T')) caller--;
  return `c${caller}-${at - caller}`;
}

function replyWithCalls(words: readonly string[], at: number, size: number): ReturnType<typeof reply> {
  const calls: string[] = [];
  for (let next = at + 1; words[next]?.startsWith('T'); next++) calls.push(callOf(words, next));
  const callUnits = calls.reduce((sum, id) => sum + 'bash'.length + JSON.stringify({ command: id }).length, 0);
  return reply('x'.repeat(Math.max(0, size * 4 - callUnits)), { calls });
}

const plan = (tree: SessionTree, keep: number, more: Partial<PlanOptions> = {}): PlanResult =>
  planCompaction(tree, tree.leafId, {
    settings: { keepRecentTokens: keep },
    tokensBefore: 1_000_000,
    isManual: true,
    ...more,
  });

function shapeOf(tree: SessionTree, { firstKeptEntryId, ...rest }: CompactionPlan): unknown[] {
  const firstKept = tree.pathTo(tree.leafId).findIndex((node) => node.id === firstKeptEntryId);
  const counts = [rest.messagesToSummarize.length, rest.turnPrefixMessages.length];
  return [firstKept, rest.turnStartIndex, rest.isSplitTurn, ...counts];
}

function planned(answer: PlanResult): CompactionPlan {
  if (!answer.ok) throw new Error(answer.text);
  return answer.plan;
}

describe('GV1, PL6, PL7: the vectors', () => {
  it.each([
    ['T1', 'U10 A10 U10 A10', 20, [2, -1, false, 2, 0]],
    ['T2', 'U10 A10 U10 A10', 21, [1, 0, true, 0, 1]],
    ['T3', 'U10 A10 T10 A10 T10 A10', 15, [5, 0, true, 0, 5]],
    ['T4', 'U10 A10 U10 A20 T50 T50', 20, [3, 2, true, 2, 1]],
    ['T5', 'U10 A10 M M U10 A10', 20, [4, -1, false, 2, 0]],
    ['T17', 'A10 T10 A10', 10, [2, -1, false, 2, 0]],
    ['T18', 'U10 A10 label U10 A10', 20, [3, -1, false, 2, 0]],
  ])('%s: %s, keep %i', (_name, shape, keep, expected) => {
    const { tree } = pathOf(shape);
    expect(shapeOf(tree, planned(plan(tree, keep)))).toEqual(expected);
  });

  it.each([
    ['M M', 1, 'no-messages'],
    ['U10 A10', 1000, 'too-small'],
    ['U10 A10', 20, 'too-small'],
    ['U50', 10, 'no-cut-point'],
    ['A20 T50 T50', 10, 'no-cut-point'],
  ])('T10: %s, keep %i: nothing to do, %s', (shape, keep, reason) => {
    expect(plan(pathOf(shape).tree, keep)).toMatchObject({ ok: false, reason });
  });
});

describe('PL1, PL2: the second compaction', () => {
  it('starts at the boundary of the one before, whose text it builds on without our blocks', () => {
    const writer = pathOf('U10 A10 U10 A10');
    writer.add(compaction('Before.\n\n<read-files>\na.ts\n</read-files>', 'e2'), 'c1');
    writer.add(user(sized(10)), 'e5');
    writer.add(reply(sized(10)), 'e6');
    const second = planned(plan(writer.tree, 20));
    expect(second.messagesToSummarize.map(({ sourceId }) => sourceId)).toEqual(['e2', 'e3']);
    expect(second).toMatchObject({ firstKeptEntryId: 'e5', previousSummary: 'Before.', isSplitTurn: false });
  });

  it('has nothing to do while nothing came after it, unless a further pass or a place is asked for', () => {
    const writer = pathOf('U10 A10 U10 A10');
    writer.add(compaction('Before.', 'e2'), 'c1');
    expect(plan(writer.tree, 5)).toMatchObject({ ok: false, reason: 'already-compacted', text: 'Already compacted' });
    expect(planned(plan(writer.tree, 20, { pass: 2 })).firstKeptEntryId).toBe('e3');
    expect(planned(plan(writer.tree, 5, { cutAt: 'e3' })).turnPrefixMessages).toHaveLength(1);
  });
});

describe('PL5: what a plan is measured by', () => {
  const limits = { window: 2000, reserve: 300, threshold: 1700, hardLine: 1700, isReserveTooLarge: false };

  it('keeps less, halving by halving, until what is left comes below 0.8 T', () => {
    const { tree } = pathOf('U500 A500 U500 A500 U100 A100');
    const options = { limits, tokensBefore: 2200 };
    expect(planned(plan(tree, 1200)).firstKeptEntryId).toBe('e2');
    const fitted = planned(plan(tree, 1200, options));
    expect(fitted.firstKeptEntryId).toBe('e3');
    expect(fitted.estimates.projected).toBeLessThanOrEqual(Math.floor(0.8 * 1700));
  });

  it('is calibrated: a model that counts twice as many tokens keeps half as much', () => {
    const { tree } = pathOf('U10 A10 U10 A10 U10 A10');
    expect(planned(plan(tree, 40)).firstKeptEntryId).toBe('e2');
    expect(planned(plan(tree, 40, { ratio: 2 })).firstKeptEntryId).toBe('e4');
  });

  it('an automatic one that gains nothing is no plan; a person may have it', () => {
    const { tree } = pathOf('U10 A10 U10 A10');
    expect(plan(tree, 20, { isManual: false, tokensBefore: 40 })).toMatchObject({ ok: false, reason: 'no-gain' });
    expect(plan(tree, 20, { isManual: true, tokensBefore: 40 })).toMatchObject({ ok: true });
  });

  it('says when system prompt and tools alone fill the window', () => {
    const { tree } = pathOf('U10 A10 U10 A10');
    expect(plan(tree, 20, { limits, overhead: 1500 })).toMatchObject({
      reason: 'fixed-overhead',
      text: 'Compaction cannot help: system prompt, tools and pins use 1500 of 1700 tokens',
    });
  });

  it('leaves out the failed reply that is about to be retried', () => {
    const { tree } = pathOf('U10 A10 U10 A10');
    const without = planned(plan(tree, 10, { exclude: new Set(['e3']) }));
    expect(without.keptMessages.map(({ sourceId }) => sourceId)).toEqual(['e2']);
  });

  const keptOf = (path: string, keepUserMessageTokens: number, at = 20): string[] => {
    const settings = { keepRecentTokens: at, keepUserMessageTokens };
    return planned(plan(pathOf(path).tree, at, { settings })).keptUserEntryIds;
  };

  it('PN4: the newest of the person’s messages that fit stay word for word; one that does not ends nothing', () => {
    expect(keptOf('U10 A10 U20 A10 U30 A10 U10 A10', 55)).toEqual(['e2', 'e4']);
    expect(keptOf('U10 A10 U40 A10 U30 A10 U10 A10', 55)).toEqual(['e0', 'e4']);
    expect(keptOf('U10 A10 U40 A10 U30 A10 U10 A10', 0)).toEqual([]);
  });

  it('PN4: one over 1,000 tokens is skipped, not cut', () => {
    expect(keptOf('U10 A10 U1001 A10 U1000 A10 U10 A10', 4000)).toEqual(['e0', 'e4']);
  });

  it('PN4: so are skills, and what an edit of the view changed', () => {
    const writer = new Writer();
    const skill = '<skill name="commit" location="/s/SKILL.md">\nCommit like this.\n</skill>\n\nthe parser';
    const [spoken, called, edited] = [writer.add(user('Mine')), writer.add(user(skill)), writer.add(user('Once'))];
    writer.add({ type: 'context_edit', targetId: edited, replacement: { content: 'Twice' } } as never);
    writer.add(reply('Yes'));
    const last = writer.add(user('Go on'));
    const settings = { keepRecentTokens: 1, keepUserMessageTokens: 4000 };
    const answer = plan(writer.tree, 1, { settings, cutAt: last });
    expect(planned(answer).keptUserEntryIds).toEqual([spoken]);
    expect(writer.tree.node(called)?.facts.skill).toBe(true);
  });

  it('PN4: the person’s words of every earlier compaction are carried on, whatever that one kept', () => {
    const writer = new Writer();
    const first = writer.add(user('Never push'));
    writer.add(reply('I will not'));
    const second = writer.add(user('Now the parser'));
    const compaction = { type: 'compaction', summary: 'S', firstKeptEntryId: second, tokensBefore: 9, fromHook: false };
    writer.add(compaction as never);
    writer.add(reply('Done'));
    const third = writer.add(user('And the tests'));
    writer.add({ ...compaction, firstKeptEntryId: third } as never);
    writer.add(reply('Done too'));
    const last = writer.add(user('Next'));
    const settings = { keepRecentTokens: 1, keepUserMessageTokens: 4000 };
    const { keptUserEntryIds, estimates } = planned(plan(writer.tree, 1, { settings, cutAt: last }));
    expect(keptUserEntryIds).toEqual([first, second, third]);
    // The block, and for each message its words and its line.
    expect(estimates.pins).toBe(
      8 + [first, second, third].reduce((sum, id) => sum + writer.tree.node(id)!.facts.raw + 8, 0),
    );
  });
});

describe('PL4, PL13: a place that a person chose', () => {
  it('may leave only the newest group, never a call without its result', () => {
    const { tree } = pathOf('U10 A10 U10 A20 T50 A10');
    expect(planned(plan(tree, 5, { cutAt: 'e5' })).keptMessages).toHaveLength(1);
    for (const cutAt of ['e4', 'e0', 'none']) {
      expect(plan(tree, 5, { cutAt })).toMatchObject({ ok: false, reason: 'no-cut-point' });
    }
  });
});
