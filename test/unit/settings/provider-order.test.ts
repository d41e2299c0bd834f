import { describe, expect, it } from 'vitest';
import type { ProviderInfo } from '@shared/types';
import { sortProviders } from '../../../src/renderer/features/settings/providers-pane';

/** The list of Settings, Providers: docs/specs/settings.md ST7. */
const provider = (id: string, kind: ProviderInfo['kind'], available: boolean, name = id): ProviderInfo => ({
  ...{ id, name, kind, available, keySource: available ? 'stored' : 'none', models: [] },
});
const idsOf = (providers: readonly ProviderInfo[], wasUsable = new Map<string, boolean>()): string[] =>
  sortProviders(providers, wasUsable).map(({ id }) => id);

describe('the order of providers', () => {
  const all = [
    provider('demo', 'demo', true),
    provider('zai', 'builtin', false),
    provider('openai', 'builtin', true, 'OpenAI'),
    provider('anthropic', 'builtin', true, 'Anthropic'),
    provider('ollama', 'local', true),
    provider('own-b', 'custom', false, 'Mine'),
    provider('own-a', 'custom', true, 'Mine'),
    provider('own-c', 'custom', true, 'Mine'),
    provider('abc', 'builtin', false),
  ];
  const expected = ['own-a', 'own-c', 'ollama', 'anthropic', 'openai', 'demo', 'own-b', 'abc', 'zai'];

  it('is what can be used, own ones first, then by name, however they come', () => {
    expect(idsOf(all)).toEqual(expected);
    expect(idsOf([...all].reverse())).toEqual(expected);
  });

  it('stays while the list is open: a key that is added or removed moves no row', () => {
    const wasUsable = new Map<string, boolean>();
    expect(idsOf(all, wasUsable)).toEqual(expected);
    const changed = all.map((one) => ({ ...one, available: one.id === 'zai' || one.id === 'demo' }));
    expect(idsOf(changed, wasUsable)).toEqual(expected);
    expect(idsOf([...changed, provider('aaa', 'local', true)], wasUsable).indexOf('aaa')).toBe(2);
    // Opened again, what can be used is first.
    expect(idsOf(changed).slice(0, 3)).toEqual(['zai', 'demo', 'own-a']);
  });
});
