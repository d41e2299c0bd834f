import { describe, expect, it } from 'vitest';
import { describeModel, splitModel } from '../../../src/renderer/features/settings/model-fields';
import { toLines, toNumber } from '../../../src/renderer/features/settings/typed-fields';
import type { ProviderInfo } from '../../../src/shared/types';
import { checkSetting } from '../../../src/shared/policy/check-setting';

const provider = (id: string, available: boolean): ProviderInfo => ({
  id,
  name: id.toUpperCase(),
  kind: 'builtin',
  keySource: available ? 'stored' : 'none',
  available,
  models: [
    {
      provider: id,
      modelId: 'big/one',
      name: 'Big One',
      contextWindow: 1,
      maxTokens: 1,
      reasoning: false,
      thinkingLevels: [],
      images: false,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  ],
});

describe('typed fields', () => {
  it('ST1: numbers with or without separators; empty is unset; what is no number is left for the check to refuse', () => {
    expect(['16,384', ' 16 384 ', '0016384', '-3', '', ' ', '1.5', '1e9', '12k'].map(toNumber)).toEqual([16384, 16384, 16384, -3, null, null, 1.5, '1e9', '12k']); // prettier-ignore
    for (const text of ['1.5', '1e9', '12k', '-3', ''])
      expect(checkSetting('pruning.minimumSavings', toNumber(text)).ok, text).toBe(false);
  });

  it('ST1: lists without empty lines', () => {
    expect(toLines(' read \n\n skill\n')).toEqual(['read', 'skill']);
  });
});

describe('a model that a setting names', () => {
  const providers = [provider('a', true), provider('b', false)];
  it('ST5: by its name; gone or without key it says so', () => {
    expect(describeModel(providers, 'a/big/one')).toEqual({ name: 'Big One', provider: 'A', problem: null });
    expect(describeModel(providers, 'a/gone').problem).toContain('No longer available');
    expect(describeModel(providers, 'x/gone')).toMatchObject({ name: 'x/gone', provider: 'x' });
    expect(describeModel(providers, 'b/big/one').problem).toContain('B isn’t available now');
    expect(describeModel([provider('demo', true)], 'a/gone').problem).toBeNull();
  });

  it('ST5: split at the first slash', () => {
    expect(splitModel('a/b/c')).toEqual({ provider: 'a', modelId: 'b/c' });
    for (const text of ['', 'a', '/a', 'a/']) expect(splitModel(text), text).toBeNull();
  });
});
