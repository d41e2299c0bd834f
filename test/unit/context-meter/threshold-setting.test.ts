import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isAutoCompactionForcedOff, isAutoCompactionOn, limitsOf } from '../../../src/main/agent/session-context';
import {
  isOverridden,
  percentAfterKey,
  snapPercent,
  thresholdChanges,
} from '../../../src/renderer/features/context-meter/threshold-bar';
import { keepTokens } from '../../../src/shared/compaction/limits';
import { checkSetting } from '../../../src/shared/policy/check-setting';
import { defaultSettings, type ContextOverride, type Settings } from '../../../src/shared/settings';

/** The line of the meter as settings (TG1, ST2). */
const MODEL = 'openai/gpt-5';
const settingsWith = (patch: Partial<Settings>): Settings => ({ ...defaultSettings(), ...patch });
const applied = (settings: Settings, percent: number): Settings => {
  const next: Record<string, unknown> = { ...settings };
  for (const { key, value } of thresholdChanges(settings, MODEL, percent)) {
    const checked = checkSetting(key, value);
    expect(checked.ok, key).toBe(true);
    if (checked.ok) next[key] = checked.value;
  }
  return next as Settings;
};

describe('the line of the meter', () => {
  it('TG1: sets the share, and clears the number of tokens where there is one', () => {
    expect(thresholdChanges(defaultSettings(), MODEL, 85)).toEqual([{ key: 'compaction.thresholdPercent', value: 85 }]);
    expect(thresholdChanges(settingsWith({ 'compaction.thresholdTokens': 5000 }), MODEL, 85)).toEqual([
      { key: 'compaction.thresholdPercent', value: 85 },
      { key: 'compaction.thresholdTokens', value: null },
    ]);
  });

  it('TG1: changes the limits of the model where those decide, and keeps those of others', () => {
    const overrides = { [MODEL]: { thresholdTokens: 9, keepRecentTokens: 7 }, 'a/b': { thresholdPercent: 3 } };
    const settings = settingsWith({ 'compaction.modelOverrides': overrides, 'compaction.thresholdTokens': 5000 });
    expect(isOverridden(settings, MODEL)).toBe(true);
    expect(thresholdChanges(settings, MODEL, 40)).toEqual([
      {
        key: 'compaction.modelOverrides',
        value: { [MODEL]: { keepRecentTokens: 7, thresholdPercent: 40 }, 'a/b': { thresholdPercent: 3 } },
      },
    ]);
    // Its own keep decides nothing about when.
    expect(isOverridden(settingsWith({ 'compaction.modelOverrides': { [MODEL]: { keepRecentTokens: 7 } } }), MODEL)).toBe(false); // prettier-ignore
  });

  it('TG1: wherever the line is put, with whatever settings, that is where the engine compacts', () => {
    const number = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: undefined });
    const level = fc.record({
      thresholdTokens: number(200_000),
      thresholdPercent: number(99),
      reserveTokens: number(150_000),
    });
    fc.assert(
      fc.property(level, level, fc.integer({ min: 1000, max: 2_000_000 }), fc.integer({ min: 1, max: 99 }), (general, own, window, percent) => {
        const override = JSON.parse(JSON.stringify(own)) as ContextOverride;
        const settings = settingsWith({
          'compaction.thresholdTokens': general.thresholdTokens ?? null,
          'compaction.thresholdPercent': general.thresholdPercent ?? null,
          'compaction.reserveTokens': general.reserveTokens ?? null,
          'compaction.modelOverrides': { [MODEL]: override },
        });
        const model = { provider: 'openai', modelId: 'gpt-5' };
        expect(limitsOf(model, window, applied(settings, percent)).threshold).toBe(Math.floor((window * percent) / 100));
      }),
      { numRuns: 300 },
    ); // prettier-ignore
  });

  it('MT1: snaps to whole percents from 1 to 99, by pointer and by keys', () => {
    expect([-5, 0.2, 50.5, 84.4, 120].map(snapPercent)).toEqual([1, 1, 51, 84, 99]);
    const keys = ['ArrowLeft', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'a', 'constructor'];
    expect(keys.map((key) => percentAfterKey(key, 95))).toEqual([94, 96, 85, 99, 1, 99, null, null]);
  });
});

describe('PL3, ST2: what a compaction keeps', () => {
  const keep = (window: number | null, patch: Partial<Settings> = {}): number =>
    keepTokens(settingsWith(patch), MODEL, window);

  it('unset, it is 20,000 tokens, of a smaller window a quarter', () => {
    expect([null, 1_000_000, 80_000, 79_999, 32_768, 4096].map((window) => keep(window))).toEqual([
      ...[20_000, 20_000, 20_000, 19_999, 8192, 1024],
    ]);
  });

  it('ST4: what the person has set counts, also where it equals the default; a model’s own goes first', () => {
    expect(keep(32_768, { 'compaction.keepRecentTokens': 20_000 })).toBe(20_000);
    const own = { 'compaction.keepRecentTokens': 5, 'compaction.modelOverrides': { [MODEL]: { keepRecentTokens: 7 } } };
    expect(keep(32_768, own)).toBe(7);
  });
});

describe('ST3: the environment forces automatic compaction off', () => {
  afterEach(() => void delete process.env.ESPALIER_DISABLE_AUTOCOMPACT);

  it.each([
    ...['1', 'true', 'YES', 'On'].map((word) => [word, true] as const),
    ...['', '0', 'false', 'no', 'off', 'maybe'].map((word) => [word, false] as const),
  ])('by “%s”: %s', (word, isForced) => {
    process.env.ESPALIER_DISABLE_AUTOCOMPACT = word;
    expect(isAutoCompactionForcedOff()).toBe(isForced);
    expect(isAutoCompactionOn(defaultSettings())).toBe(!isForced);
    expect(isAutoCompactionOn(settingsWith({ 'compaction.enabled': false }))).toBe(false);
  });
});
