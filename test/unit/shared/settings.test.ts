import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkSetting,
  defaultSettings,
  readSettings,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingSpec,
} from '@shared/settings';

describe('settings', () => {
  it('S30: the defaults and bounds of engine.md 20', () => {
    const expected = {
      'compaction.enabled': [true],
      'compaction.reserveTokens': [16_384, 1, 2_000_000],
      'retry.enabled': [true],
      'retry.maxRetries': [3, 0, 10],
      'retry.baseDelayMs': [2000],
      'retry.maxDelayMs': [60_000],
    } satisfies Partial<Record<SettingKey, unknown[]>>;
    for (const [key, [initial, min, max]] of Object.entries(expected) as [SettingKey, unknown[]][]) {
      const { control, initial: actual } = SETTINGS[key] as SettingSpec<unknown>;
      expect(actual, key).toBe(initial);
      if (min !== undefined) expect(control, key).toMatchObject({ min, max });
    }
  });

  it('S30: every default passes its own check, and the defaults are a fresh copy', () => {
    const settings = defaultSettings();
    for (const key of SETTING_KEYS)
      expect(checkSetting(key, settings[key]), key).toEqual({ ok: true, value: settings[key] });
    settings['tools.deniedPaths'].push('/x');
    expect(defaultSettings()['tools.deniedPaths']).toEqual([]);
  });

  it('S30: a bad value is refused with key, value and bound', () => {
    expect(checkSetting('retry.maxRetries', 11)).toEqual({
      ok: false,
      message: "Attempts (retry.maxRetries) can't be 11: it must be a whole number from 0 to 10 times.",
    });
    for (const [key, value] of [
      ['compaction.reserveTokens', 1.5],
      ['compaction.reserveTokens', '7'],
      ['compaction.enabled', 'true'],
      ['appearance.theme', 'pink'],
      ['model.default', 'x'.repeat(401)],
      ['tools.deniedPaths', ['']],
    ] as const)
      expect(checkSetting(key, value), key).toMatchObject({
        ok: false,
        message: expect.stringContaining(`(${key})`) as string,
      });
  });

  it('S30: whatever a file holds, what is read is valid and each bad value is told', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom<string>(...SETTING_KEYS, 'unknown.key'), fc.anything()), (stored) => {
        const { settings, problems } = readSettings(stored);
        for (const key of SETTING_KEYS) expect(checkSetting(key, settings[key]).ok).toBe(true);
        const bad = SETTING_KEYS.filter((key) => key in stored && !checkSetting(key, stored[key]).ok);
        expect(problems).toHaveLength(bad.length);
      }),
      { numRuns: 200 },
    );
  });
});
