import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactionLimits, keepWordsTokens } from '@shared/compaction/limits';
import { RepeatGuard } from '../../../../src/main/agent/run-calls';
import { learnWindow } from '../../../../src/main/agent/classify-error';
import type { AssistantMessage } from '../../../../src/main/pi/pi-types';
import { AutoCompaction } from '../../../../src/main/session/summaries/auto-compaction';
import { bareScope } from '../../../support/bare-session';
import { MemoryLog } from '../../../support/memory-log';
import { replyMessage } from '../session/support';

const limits = (settings: Parameters<typeof compactionLimits>[0], window: number | null, model = 'p/m') =>
  compactionLimits(settings, model, window);

/** Whether a context of so many tokens is compacted before it is sent. */
async function compacts(tokens: number, at: ReturnType<typeof limits>): Promise<boolean> {
  let runs = 0;
  const scope = bareScope(new MemoryLog());
  scope.size = () => ({ tokens, ratio: 1, overhead: 0, limits: at });
  scope.job.run = <T>() => {
    runs++;
    return Promise.resolve({ kind: 'nothing', reason: 'no-cut-point', text: '' } as T);
  };
  const auto = new AutoCompaction(scope, new RepeatGuard());
  await auto.makeRoom({ provider: 'p', modelId: 'm' }, undefined, new AbortController().signal);
  return runs > 0;
}

describe('threshold, reserve, hard line', () => {
  it.each([
    [200_000, {}, 183_616],
    [100_000, {}, 85_000],
    [32_768, {}, 27_853],
    [100_000, { reserveTokens: 16_384 }, 83_616],
    [4096, { reserveTokens: 16_384 }, 3482],
    [100_000, { reserveTokens: 90_000 }, 10_000],
    [200_000, { thresholdPercent: 85 }, 170_000],
    [200_000, { thresholdTokens: 999_999 }, 199_999],
  ])('TG3: the table: W %d with %j gives T %d', (window, settings, threshold) => {
    expect(limits(settings, window).threshold).toBe(threshold);
  });

  it('TG3: strictly above T compacts, T itself does not', async () => {
    const at = limits({ reserveTokens: 16_384 }, 100_000);
    expect([await compacts(83_616, at), await compacts(83_617, at)]).toEqual([false, true]);
    expect(await compacts(1e9, limits({}, null))).toBe(false);
  });

  it('TG1: the first level that sets anything decides, in the order tokens, percent, reserve', () => {
    const modelOverrides = { 'p/m': { reserveTokens: 50_000 } };
    expect(limits({ thresholdTokens: 10, modelOverrides }, 100_000).threshold).toBe(50_000);
    expect(limits({ thresholdTokens: 10, modelOverrides }, 100_000, 'p/other').threshold).toBe(10);
    expect(limits({ thresholdTokens: 10, thresholdPercent: 50, reserveTokens: 9 }, 100_000).threshold).toBe(10);
    expect(limits({ reserveTokens: 9, modelOverrides: { 'p/m': { thresholdPercent: 200 } } }, 1000).threshold).toBe(
      990,
    );
  });

  it('TG2: a reserve that does not fit is 15 % and said', () => {
    expect(limits({ reserveTokens: 5000 }, 5000)).toMatchObject({
      reserve: 750,
      hardLine: 4250,
      isReserveTooLarge: true,
    });
    expect(limits({ reserveTokens: 3 }, 2)).toMatchObject({ reserve: 1, hardLine: 1, threshold: 1 });
    for (const window of [null, 0, -5, NaN])
      expect(limits({}, window)).toMatchObject({ window: null, threshold: null });
  });

  it('TG1, TG2: for any settings 1 ≤ T < W and H = W − R', () => {
    const tokens = fc.option(fc.integer({ min: 1, max: 3_000_000 }), { nil: undefined });
    const level = fc.record({
      reserveTokens: tokens,
      thresholdPercent: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
      thresholdTokens: tokens,
    });
    fc.assert(
      fc.property(level, level, fc.integer({ min: 100, max: 2_000_000 }), (override, global, window) => {
        const { threshold, reserve, hardLine } = limits({ ...global, modelOverrides: { 'p/m': override } }, window);
        expect(threshold).toBeGreaterThanOrEqual(1);
        expect(threshold).toBeLessThan(window);
        expect(hardLine! + reserve!).toBe(window);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the window', () => {
  const told = (text: string): number | null =>
    learnWindow({
      ...replyMessage('', { stopReason: 'error' }),
      errorMessage: `400 ${text}`,
    } as unknown as AssistantMessage);

  it('PN4: of the person’s words 4,000 tokens stay, of a smaller window a sixteenth, or what the person set', () => {
    const words = (set: number | null, window: number | null): number =>
      keepWordsTokens({ 'compaction.keepUserMessageTokens': set }, window);
    expect([200_000, 64_000, 32_768, 4096, null].map((window) => words(null, window))).toEqual([
      4000, 4000, 2048, 256, 4000,
    ]);
    expect([words(0, 200_000), words(300, 4096)]).toEqual([0, 300]);
  });

  it('TK8: a limit is learned from the words of a server, numbers of something else are not', () => {
    expect(told("This model's maximum context length is 128,000 tokens. However you requested 1")).toBe(128_000);
    expect(told('the request exceeds the available context size (4096 tokens)')).toBe(4096);
    expect(told('maximum context length is 512 tokens')).toBeNull();
    expect(told('rate limit 200000 tokens per minute')).toBeNull();
  });
});
