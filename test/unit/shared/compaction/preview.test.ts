import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactionLimits } from '@shared/compaction/limits';
import { cutWindow } from '@shared/compaction/plan';
import { planCompaction } from '../../../support/plan-compaction';
import type { PlanOptions } from '@shared/compaction/plan';
import { buildPreview, trafficOf } from '@shared/compaction/preview';
import type { CompactPreview, PreviewItem, SummaryModel } from '@shared/compaction/preview';
import { PreviewFigures } from '@shared/compaction/preview-figures';
import { Dice, RandomSession } from '../session/random-session';
import { reply, user, usage, Writer } from '../session/support';

const SEEDS = Number(process.env.ESPALIER_FUZZ_SEEDS ?? 60);
const PARTS = { files: null, promptTokens: 0, models: [], traffic: null };

describe('the preview says what a plan says', () => {
  it('PL8: kept, region, summary, pins, projected and gain of every cut, on random trees', () => {
    let cuts = 0;
    let pinned = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const dice = new Dice(seed ^ 0x5e);
      const session = new RandomSession(seed);
      const { tree } = session.writer;
      const steps = 10 + dice.below(60);
      for (let step = 0; step < steps; step++) session.step();
      const options: PlanOptions = {
        settings: {
          keepRecentTokens: 1 + dice.below(200),
          keepUserMessageTokens: dice.chance(0.5) ? dice.below(60) : 0,
        },
        tokensBefore: dice.below(9000),
        ratio: 1 + dice.below(30) / 10,
        overhead: dice.below(500),
        limits: compactionLimits({}, 'a/b', dice.chance(0.7) ? 2000 + dice.below(8000) : null),
        isManual: true,
      };
      const preview = buildPreview(cutWindow(tree, tree.leafId), options, PARTS);
      const figures = new PreviewFigures(preview);
      // All of it crosses to the window.
      expect(JSON.parse(JSON.stringify(preview))).toEqual(preview);
      const ordinary = planCompaction(tree, tree.leafId, options);
      expect(preview.suggested).toBe(ordinary.ok ? ordinary.plan.firstKeptEntryId : null);
      expect(preview.nothing).toEqual(ordinary.ok ? null : { reason: ordinary.reason, text: ordinary.text });
      preview.items.forEach((item, cut) => {
        const planned = planCompaction(tree, tree.leafId, { ...options, cutAt: item.id });
        // An entry that stands twice in a window is cut at its first place.
        if (preview.items.findIndex(({ id }) => id === item.id) !== cut) return;
        expect([seed, cut, figures.cuts.includes(cut)]).toEqual([seed, cut, planned.ok]);
        if (!planned.ok) return;
        cuts++;
        const { estimates, isSplitTurn, messagesToSummarize, turnPrefixMessages, keptMessages } = planned.plan;
        if (estimates.pins > 0) pinned++;
        expect(figures.at(cut)).toEqual({
          ...estimates,
          messages: messagesToSummarize.length + turnPrefixMessages.length,
          keptMessages: keptMessages.length,
          files: null,
          isSplit: isSplitTurn,
        });
      });
      if (preview.suggested !== null) expect(preview.items[figures.first!]!.id).toBe(preview.suggested);
    }
    expect(cuts).toBeGreaterThan(SEEDS);
    expect(pinned).toBeGreaterThan(0);
  });
});

const item = fc.record({
  raw: fc.nat({ max: 300 }),
  isLegalCut: fc.boolean(),
  isTurnStart: fc.boolean(),
  files: fc.nat({ max: 2 }),
});
const items = fc.array(item, { maxLength: 60 }).map((list) =>
  list.map(
    (part, at): PreviewItem => ({ ...part, id: `e${at}`, kind: 'user', sent: part.raw }),
  ),
); // prettier-ignore
const NO_LIMITS = compactionLimits({}, 'a/b', null);
function previewOf(list: PreviewItem[], change: Partial<CompactPreview> = {}): CompactPreview {
  return {
    leafId: null, items: list, suggested: null, nothing: null, tokensBefore: 10_000, ratio: 1, overhead: 0,
    limits: NO_LIMITS, shownPins: 0, pinBlock: 8, keepUserTokens: 0, earlierWords: [], previousSummary: 0, previousFiles: 0, promptTokens: 0, models: [], extraRequests: 0, requestMs: null,
    traffic: null, ...change,
  };
} // prettier-ignore

describe('the cut line', () => {
  it('PL13: snaps to the legal cut nearest by tokens, wherever it is let go', () => {
    fc.assert(
      fc.property(items, fc.double({ min: -3, max: 70, noNaN: true }), (list, place) => {
        const figures = new PreviewFigures(previewOf(list));
        const found = figures.nearest(place);
        const before = (at: number): number => list.slice(0, at).reduce((sum, { raw }) => sum + raw, 0);
        const at = Math.max(0, Math.min(list.length, place));
        const tokens = before(Math.floor(at)) + (at - Math.floor(at)) * (list[Math.floor(at)]?.raw ?? 0);
        const cuts = list.flatMap(({ isLegalCut }, index) => (isLegalCut && index > 0 ? [index] : []));
        expect(found === null).toBe(cuts.length === 0);
        if (cuts.length === 0) return;
        expect(cuts).toContain(found);
        const distance = (cut: number): number => Math.abs(before(cut) - tokens);
        const least = Math.min(...cuts.map(distance));
        expect(distance(found!)).toBeCloseTo(least, 6);
      }),
    );
  });

  it('PL13: on a cut it stays on that cut; steps walk all cuts in order and stop at the ends', () => {
    fc.assert(
      fc.property(items, (list) => {
        const figures = new PreviewFigures(previewOf(list));
        const { cuts } = figures;
        for (const cut of cuts) expect(figures.nearest(cut)).toBe(cut);
        if (cuts.length === 0) return;
        const walked = [cuts[0]!];
        while (figures.step(walked.at(-1)!, 1) !== walked.at(-1)) walked.push(figures.step(walked.at(-1)!, 1));
        expect(walked).toEqual(cuts);
        expect(figures.step(cuts[0]!, -1)).toBe(cuts[0]);
        expect(figures.step(cuts.at(-1)!, 10)).toBe(cuts.at(-1));
      }),
    );
  });

  it('PL13: starts at the suggestion, else at the newest turn that can be cut, else at the newest cut', () => {
    const at = (id: string, isLegalCut: boolean, isTurnStart: boolean): PreviewItem =>
      ({ id, kind: 'user', raw: 10, sent: 10, isLegalCut, isTurnStart }); // prettier-ignore
    const list = [at('a', true, true), at('b', true, false), at('c', true, true), at('d', true, false)];
    expect(new PreviewFigures(previewOf(list, { suggested: 'b' })).first).toBe(1);
    expect(new PreviewFigures(previewOf(list)).first).toBe(2);
    expect(new PreviewFigures(previewOf(list.slice(0, 2))).first).toBe(1);
    expect(new PreviewFigures(previewOf([])).first).toBeNull();
    // Where no cut helps there is no line.
    const fixed = { nothing: { reason: 'fixed-overhead' as const, text: '' } };
    expect(new PreviewFigures(previewOf(list, fixed)).first).toBeNull();
  });
});

describe('cost', () => {
  const model: SummaryModel = { provider: 'a', modelId: 'b', name: 'B', window: 200_000, ratio: 1, price: { input: 3, output: 15 } }; // prettier-ignore
  const list = Array.from({ length: 10 }, (_, at): PreviewItem =>
    ({ id: `e${at}`, kind: 'user', raw: 10_000, sent: 4000, isLegalCut: true, isTurnStart: true })); // prettier-ignore

  it('SH1: what is sent at the price of input, with prompts and previous summary; the summary at the price of output', () => {
    const figures = new PreviewFigures(previewOf(list, { previousSummary: 1000, promptTokens: 500 }));
    // 5 × 4000 sent + 1000 + 500 in; the previous summary and 10 % of 50,000 out.
    expect(figures.cost(5, model)).toBeCloseTo((21_500 * 3 + 6000 * 15) / 1e6, 9);
    expect(figures.cost(5, { ...model, price: null })).toBeNull();
    expect(figures.cost(5, { ...model, ratio: 2 })).toBeCloseTo((2 * (21_500 * 3 + 6000 * 15)) / 1e6, 9);
  });

  it('SH2: a history that takes several requests pays for the summary in between', () => {
    const figures = new PreviewFigures(previewOf(list));
    const small = { ...model, window: 60_000 };
    // Budget: floor(0.8 × 60,000) − 13,107 − 16,384 = 18,509, so 36,000 take two requests.
    expect(figures.cost(9, small)).toBeCloseTo(((36_000 + 9000) * 3 + 2 * 9000 * 15) / 1e6, 9);
  });

  it('SH2: a job of more than 8 requests is one to hear of before, and takes as long as the one before did', () => {
    const small = { ...model, window: 60_000 };
    const many = Array.from({ length: 40 }, (_, n) => ({ ...list[0]!, id: `m${n}` }));
    const figures = new PreviewFigures(previewOf(many));
    // 18,509 tokens a request.
    expect(figures.work(37, small)).toEqual({ requests: 8, input: 148_000 + 7 * 37_000, output: 8 * 37_000 });
    expect(figures.isLong(37, small)).toBe(false);
    expect(figures.work(38, small).requests).toBe(9);
    expect(figures.isLong(38, small)).toBe(true);
    expect(figures.isLong(38, model)).toBe(false);
    const line = new PreviewFigures(previewOf(many, { extraRequests: 1, requestMs: 20_000 }));
    expect(line.isLong(37, small)).toBe(true);
    expect(line.duration(37, small)).toBe(180_000);
    // Nothing was measured: what it reads and what it writes.
    expect(figures.duration(37, small)).toBeCloseTo((407_000 / 2000 + 296_000 / 50) * 1000, 6);
  });

  it('SH1: pays back as soon as what is saved covers it; nothing is said where a price is unknown or nothing is saved', () => {
    const traffic = { tokenPrice: 1e-6, freshPrice: 3e-6, requestsPerTurn: 4 };
    const preview = previewOf(list, { traffic, tokensBefore: 100_000 });
    const figures = new PreviewFigures(preview);
    const { projected, gain } = figures.at(5);
    const spent = figures.cost(5, model)! + projected * 2e-6;
    expect(figures.paysBackIn(5, model)).toBe(Math.ceil(spent / (gain * 1e-6 * 4)));
    expect(new PreviewFigures({ ...preview, traffic: null }).paysBackIn(5, model)).toBeNull();
    expect(figures.paysBackIn(5, { ...model, price: null })).toBeNull();
    expect(new PreviewFigures({ ...preview, tokensBefore: 10 }).paysBackIn(5, model)).toBeNull();
  });

  it('SH1: prompts are priced as they were paid for, cache hits included; of another model they say nothing', () => {
    const writer = new Writer(1);
    writer.add(user('one'));
    writer.add(reply('a', { provider: 'a', model: 'b', usage: usage({ input: 100, output: 10, cacheRead: 0 }) }));
    writer.add(reply('b', { provider: 'a', model: 'b', usage: usage({ input: 100, output: 10, cacheRead: 800 }) }));
    const { tree } = writer;
    const { window } = cutWindow(tree, tree.leafId);
    const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75 };
    const found = trafficOf(window, { provider: 'a', modelId: 'b' }, price);
    expect(found).toEqual({ tokenPrice: (200 * 3 + 800 * 0.3) / 1000 / 1e6, freshPrice: 3e-6, requestsPerTurn: 2 });
    expect(trafficOf(window, { provider: 'a', modelId: 'c' }, price)).toBeNull();
    expect(trafficOf(window, { provider: 'a', modelId: 'b' }, { input: 0, cacheRead: 0, cacheWrite: 0 })).toBeNull();
  });

  it('FA2: files of a cut are those that the summary before named and those first named in front of it', () => {
    const named = list.map((part, at) => ({ ...part, files: at % 2 }));
    const figures = new PreviewFigures(previewOf(named, { previousFiles: 3 }));
    expect([1, 2, 5, 9].map((cut) => figures.at(cut).files)).toEqual([3, 4, 5, 7]);
  });
});
