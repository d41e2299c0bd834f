import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { findKnownIn } from '@shared/known-models';
import type { EndpointDraft } from '@shared/types';
import { modelsOfEndpoint } from '../../../src/main/models/endpoints';
import { loadPiAi } from '../../../src/main/pi/pi';
import type { Api, Model } from '../../../src/main/pi/pi-types';

interface Known {
  provider: string;
  id: string;
  contextWindow: number;
}
const known = (provider: string, id: string, contextWindow: number): Known => ({ provider, id, contextWindow });
const finder = (models: Known[]) => findKnownIn(models, ({ id }) => id);

describe('MT3: what is known of a model by its id', () => {
  it('is what its maker says, whoever else serves it', () => {
    const find = finder([known('copilot', 'oak-4', 64_000), known('openai', 'oak-4', 128_000)]);
    for (const id of ['oak-4', ' OAK-4 ', 'openai/oak-4', 'gateway/openai/oak-4'])
      expect(find(id)?.provider).toBe('openai');
  });

  it('is the smallest window where its maker is none of them, and nothing for another id', () => {
    const find = finder([
      known('groq', 'maker/elm', 131_072),
      known('hub', 'maker/elm', 32_768),
      known('odd', 'elm', 0),
    ]);
    expect(find('maker/elm')?.contextWindow).toBe(32_768);
    expect(find('elm')?.contextWindow).toBe(32_768);
    for (const id of ['el', 'elm-2', 'elm:free', '', '/', '__proto__', 'constructor']) expect(find(id)).toBeUndefined();
  });

  it('does not depend on the order of the providers, but for equals', () => {
    const model = fc.record({
      provider: fc.constantFrom('anthropic', 'openai', 'groq', 'hub'),
      id: fc.constantFrom('a', 'b', 'x/a', 'y/a', 'X/B'),
      contextWindow: fc.nat({ max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(model), fc.constantFrom('a', 'B', 'x/a', 'z/a'), (models, id) => {
        const pick = (list: Known[]): unknown => {
          const found = finder(list)(id);
          return found && [found.contextWindow, ['anthropic', 'openai'].includes(found.provider)];
        };
        expect(pick([...models].reverse())).toEqual(pick(models));
      }),
    );
  });
});

describe('MT3: through an endpoint of the person', () => {
  const draft = (model: Partial<EndpointDraft['models'][number]>): EndpointDraft => ({
    ...{ id: 'lab', name: 'Lab', api: 'openai-completions', baseUrl: 'https://lab.example/v1', headers: {} },
    models: [{ id: 'claude-sonnet-4-5', contextWindow: 0, maxTokens: 8192, images: false, reasoning: false, ...model }],
  });
  async function through(model: Partial<EndpointDraft['models'][number]>): Promise<Model<Api>> {
    const pi = await loadPiAi();
    const all = pi.getProviders().flatMap((provider) => pi.getModels(provider) as Model<Api>[]);
    const [found] = modelsOfEndpoint(
      draft(model),
      findKnownIn(all, ({ id }) => id),
    );
    return found!;
  }

  it('window, images and price come with a known id, and the address stays the endpoint’s', async () => {
    const pi = await loadPiAi();
    const maker = pi.getModels('anthropic').find(({ id }) => id === 'claude-sonnet-4-5')!;
    expect(await through({})).toMatchObject({
      ...{ provider: 'lab', api: 'openai-completions', baseUrl: 'https://lab.example/v1', id: 'claude-sonnet-4-5' },
      ...{ contextWindow: maker.contextWindow, input: ['text', 'image'], cost: maker.cost, maxTokens: 8192 },
    });
  });

  it('a window that the person entered counts, and with it what they ticked', async () => {
    expect(await through({ contextWindow: 64_000 })).toMatchObject({
      contextWindow: 64_000,
      input: ['text'],
      cost: { input: 3 },
    });
  });

  it('an id that nobody knows stays unknown', async () => {
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(await through({ id: 'oak-of-mine' })).toMatchObject({ contextWindow: 0, input: ['text'], cost: nothing });
  });

  it('the longest answer never exceeds the window', async () => {
    const found = await through({ maxTokens: 9_999_999 });
    expect(found.maxTokens).toBe(found.contextWindow);
  });
});
