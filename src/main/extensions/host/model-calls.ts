import { isRecord } from '@shared/checks';
import { defaultLimits, type ProviderOptions, type StreamTransport } from '../../agent/stream/types';
import type { Api, Context, Model } from '../../pi/pi-types';
import type { ModelRegistry } from '../../ports';

/** Options of a request that an extension may choose. */
const OPTIONS = ['maxTokens', 'reasoning', 'temperature', 'thinkingBudgets', 'cacheRetention'] as const;

/** All models that can be used, without keys, and the names of these. */
export function modelsFor(registry: ModelRegistry): { models: Model<Api>[]; available: string[] } {
  const models: Model<Api>[] = [];
  const available: string[] = [];
  for (const provider of registry.providers()) {
    for (const ref of provider.models) {
      const model = registry.find(ref);
      if (!model) continue;
      // Headers may hold a key.
      const { headers: _headers, ...shown } = model;
      models.push(shown);
      if (provider.available) available.push(`${ref.provider}/${ref.modelId}`);
    }
  }
  return { models, available };
}

/**
 * Sends a request of an extension to one of the person's models, with their key (EX13): the way of every other request, with its
 * bounds and proxies. What the extension says of the model beside its name is not looked at.
 */
export function modelCaller(registry: ModelRegistry, transport: StreamTransport) {
  return async (params: unknown, tell: (event: unknown) => void, signal: AbortSignal): Promise<unknown> => {
    const { model, context, options } = isRecord(params) ? params : {};
    if (!isRecord(model) || !isRecord(context) || !Array.isArray(context.messages))
      throw new TypeError('A request needs a model and a context with messages.');
    const ref = { provider: String(model.provider), modelId: String(model.id) };
    const found = await registry.resolve(ref);
    if (!found.ok) throw new Error(`${found.failure.title}. ${found.failure.detail}`);
    const { apiKey, headers, proxies } = found;
    const given = isRecord(options) ? options : {};
    const chosen = Object.fromEntries(
      OPTIONS.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]),
    );
    const { maxTokens } = chosen;
    const stream = transport.stream(
      {
        ...{ model: found.model, context: context as unknown as Context, proxies },
        options: { ...(chosen as ProviderOptions), apiKey, headers },
        limits: defaultLimits(typeof maxTokens === 'number' ? maxTokens : undefined),
      },
      signal,
    );
    for await (const event of stream) tell(event);
    return (await stream.result()).message;
  };
}
