import type { ModelCalls, PiModel } from './modules/models';

/** `ctx.modelRegistry`: which models there are. A key is a token that only our pi-ai accepts (EX13). */
export function modelRegistryOf(models: ModelCalls): object {
  const isAvailable = ({ provider, id }: PiModel): boolean =>
    models.available().some((model) => model.provider === provider && model.id === id);
  const copy = (list: readonly PiModel[]): PiModel[] => structuredClone([...list]);
  const keyOf = (model: PiModel): string | undefined => (isAvailable(model) ? models.token(model) : undefined);
  const ofProvider = (provider: string): PiModel | undefined =>
    models.available().find((model) => model.provider === provider);
  const send =
    (isSimple: boolean) =>
    (model: PiModel, context: unknown, options: Record<string, unknown> = {}) =>
      models.stream({ model, context, options, isSimple }, () => undefined, options.signal as AbortSignal | undefined);
  return {
    refresh: () => Promise.resolve({}),
    getError: () => undefined,
    getAll: () => copy(models.all()),
    getAvailable: () => copy(models.available()),
    find: (provider: string, id: string) =>
      copy(models.all().filter((model) => model.provider === provider && model.id === id))[0],
    hasConfiguredAuth: isAvailable,
    getApiKey: (model: PiModel) => Promise.resolve(keyOf(model)),
    getApiKeyForProvider: (provider: string) => {
      const model = ofProvider(provider);
      return Promise.resolve(model && models.token(model));
    },
    getApiKeyAndHeaders: (model: PiModel) => {
      const apiKey = keyOf(model);
      return Promise.resolve(
        apiKey === undefined
          ? { ok: false, error: `There is no key for ${model.provider}. Add one in Settings.` }
          : { ok: true, apiKey, headers: {} },
      );
    },
    getProviderAuthStatus: (provider: string) => ({ configured: ofProvider(provider) !== undefined }),
    getProviderDisplayName: (provider: string) => provider,
    isUsingOAuth: () => false,
    complete: send(false),
    completeSimple: send(true),
  };
}
