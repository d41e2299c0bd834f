import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSetting, readSettings } from '@shared/policy/check-setting';
import { defaultSettings, SETTING_KEYS, SETTINGS, type SettingKey, type SettingSpec } from '@shared/settings';

describe('settings', () => {
  it('ST2: the defaults and bounds', () => {
    const expected = {
      'compaction.enabled': [true],
      'compaction.reserveTokens': [null, 1, 2_000_000],
      'compaction.keepRecentTokens': [null, 1, 1_000_000],
      'compaction.thresholdPercent': [null, 1, 99],
      'compaction.thresholdTokens': [null, 1, 10_000_000],
      'compaction.maxAutoAttempts': [3, 1, 10],
      'compaction.toolResultChars': [2000, 200, 20_000],
      'compaction.fileListLimit': [20, 0, 200],
      'compaction.keepUserMessageTokens': [null, 0, 20_000],
      'compaction.reasoning': ['off'],
      'compaction.shortSummary': ['derive'],
      'compaction.reviewBeforeCommit': [false],
      'compaction.remoteEndpoint': [''],
      'compaction.remoteTimeoutMs': [120_000, 1000, 600_000],
      'compaction.remoteFallback': [true],
      'pruning.enabled': [true],
      'pruning.protectTokens': [40_000, 0, 1_000_000],
      'pruning.minimumSavings': [20_000, 0, 1_000_000],
      'pruning.minimumTokens': [50, 0, 1_000_000],
      'branchSummary.enabled': [false],
      'branchSummary.skipPrompt': [false],
      'branchSummary.reserveTokens': [16_384, 1, 2_000_000],
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

  it('ST1: every default passes its own check, and the defaults are a fresh copy', () => {
    const settings = defaultSettings();
    for (const key of SETTING_KEYS)
      expect(checkSetting(key, settings[key]), key).toEqual({ ok: true, value: settings[key] });
    settings['tools.deniedPaths'].push('/x');
    expect(defaultSettings()['tools.deniedPaths']).toEqual([]);
  });

  it('ST1: a bad value is refused with key, value and bound', () => {
    expect(checkSetting('retry.maxRetries', 11)).toEqual({
      ok: false,
      message: "Maximum retries (retry.maxRetries) can't be 11: it must be a whole number from 0 to 10 times.",
      bound: 'a whole number from 0 to 10 times',
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

  it('ST2: a number may be left unset; limits for single models are bound as the settings they replace', () => {
    expect(checkSetting('compaction.reserveTokens', null)).toEqual({ ok: true, value: null });
    expect(checkSetting('compaction.keepRecentTokens', null)).toEqual({ ok: true, value: null });
    expect(checkSetting('pruning.protectTokens', null)).toMatchObject({ ok: false });
    const overrides = { 'openai/gpt-5': { thresholdPercent: 50, reserveTokens: null }, 'a/b/c': {} };
    expect(checkSetting('compaction.modelOverrides', overrides)).toEqual({
      ok: true,
      value: { 'openai/gpt-5': { thresholdPercent: 50 } },
    });
    for (const bad of [
      { gpt: { reserveTokens: 5 } },
      { 'a/b': { thresholdPercent: 100 } },
      { 'a/b': { window: 5 } },
      [],
    ])
      expect(checkSetting('compaction.modelOverrides', bad), JSON.stringify(bad)).toMatchObject({
        ok: false,
        message: expect.stringContaining('compaction.') as string,
      });
  });

  it.each([
    ['https://example.com/compact', true],
    ['http://localhost:8080/x', true],
    ['http://127.0.0.1/x', true],
    ['http://127.0.0.2/x', true],
    ['http://[::1]:9/x', true],
    ['', true],
    ['http://example.com', false],
    ['http://127.0.0.1.example.com', false],
    ['http://localhost.example.com', false],
    ['ftp://localhost', false],
    ['example.com', false],
    ['https://me:secret@example.com', false],
    [5, false],
  ])('SU37: the summary endpoint %j: %s', (value, isFine) => {
    const checked = checkSetting('compaction.remoteEndpoint', value);
    expect(checked.ok).toBe(isFine);
    // A refusal repeats nothing of an address: it may hold a password.
    if (!checked.ok) expect(checked.message).not.toContain('secret');
  });

  it('ST5: models are named provider/model, each once', () => {
    expect(checkSetting('compaction.model', '')).toEqual({ ok: true, value: '' });
    expect(checkSetting('compaction.model', 'a/b/c')).toEqual({ ok: true, value: 'a/b/c' });
    expect(checkSetting('compaction.model', 'gpt')).toMatchObject({
      ok: false,
      bound: 'named provider/model, or empty',
    });
    expect(checkSetting('compaction.fallbackModels', ['b/b', 'a/a'])).toEqual({ ok: true, value: ['b/b', 'a/a'] });
    for (const bad of [['a'], ['a/b', 'a/b'], 'a/b', Array.from({ length: 21 }, (_, at) => `a/${at}`)])
      expect(checkSetting('compaction.fallbackModels', bad).ok, JSON.stringify(bad)).toBe(false);
  });

  it('ST1: whatever a file holds, what is read is valid and each bad value is told', () => {
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
