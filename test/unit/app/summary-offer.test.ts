import { describe, expect, it } from 'vitest';
import type { ModelInfo, ProviderInfo } from '../../../src/shared/types';
import { modelsToOffer } from '../../../src/renderer/state/summary-offer';

function provider(
  id: string,
  models: [name: string, window: number, price?: number][],
  more: Partial<ProviderInfo> = {},
) {
  const told = models.map(([name, contextWindow, price = 0]) => ({
    ...{ provider: id, modelId: name, name, contextWindow },
    cost: { input: price, output: price * 5, cacheRead: 0, cacheWrite: 0 },
  })) as ModelInfo[];
  return {
    id,
    name: `The ${id}`,
    kind: 'builtin',
    available: true,
    keySource: 'stored',
    models: told,
    ...more,
  } as ProviderInfo;
}

const names = (...args: Parameters<typeof modelsToOffer>): string[] => modelsToOffer(...args).map(({ name }) => name);
const session = { provider: 'own', modelId: 'asked' };

describe('modelsToOffer', () => {
  it('offers the session’s provider first, then what is on this computer, a few of them, none that was asked', () => {
    const providers = [
      provider('cloud', [
        ['small', 1, 1],
        ['big', 9, 1],
        ['middle', 5, 1],
      ]),
      provider('local', [['llama', 1]], { kind: 'local', keySource: 'notNeeded' }),
      provider('own', [
        ['asked', 9, 3],
        ['other', 2, 1.25],
        ['third', 1, 1],
      ]),
    ];
    expect(names(providers, [session], session)).toEqual(['other', 'llama', 'big', 'third', 'middle']);
  });

  it('says where the session would go and what it costs', () => {
    const providers = [
      provider('own', [['other', 2, 1.25]]),
      provider('local', [['llama', 1]], { kind: 'local' }),
      provider('near', [['server', 1]], { kind: 'custom', baseUrl: 'http://127.0.0.1:9000/v1' }),
      provider('far', [['gift', 1]], { kind: 'custom', baseUrl: 'https://127.0.0.1.example.com/v1' }),
    ];
    expect(modelsToOffer(providers, [], session).map(({ provider: where, price }) => `${where}: ${price}`)).toEqual([
      'The own: $1.25 in, $6.25 out per million tokens',
      'The local: free, on this computer',
      'The near: free, on this computer',
      'The far: price unknown',
    ]);
  });

  it('offers neither the demo nor a provider without a key', () => {
    const providers = [
      provider('demo', [['scripted', 9]], { kind: 'demo' }),
      provider('cloud', [['big', 9]], { available: false, keySource: 'none' }),
    ];
    expect(names(providers, [], null)).toEqual([]);
  });

  it('keeps what it is given as it is', () => {
    const providers = [
      provider('b', [
        ['x', 1],
        ['y', 2],
      ]),
      provider('own', [['z', 1]]),
    ];
    const before = structuredClone(providers);
    modelsToOffer(providers, [], session);
    expect(providers).toEqual(before);
  });
});
