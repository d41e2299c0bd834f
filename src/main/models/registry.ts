import type { ProxyAddress } from '@shared/policy/addresses';
import { type FindKnown, findKnownIn } from '@shared/known-models';
import type { EndpointDraft, ModelInfo, ModelRef, ProviderInfo } from '@shared/types';
import { REMOTE_KEY_NAME } from '@shared/settings';
import type { ModelRegistry, ResolvedModel } from '../ports';
import { lookingAtKeys } from '../environment/keys';
import { NO_PROXIES } from '../network/proxy-fetch';
import type { FindRoute, Route } from '../network/proxy-route';
import { loadPiAi } from '../pi/pi';
import type { Api, Model } from '../pi/pi-types';
import type { Keep } from './credentials';
import { DEMO_MODEL, DEMO_PROVIDER, TOUR_MODEL } from './demo-model';
import { checkEndpoint, modelsOfEndpoint } from './endpoints';
import { asBrought, type ExtensionProvider } from './extension-providers';
import { findLocalServers, type LocalServer } from './local-servers';
import { type KeyParts, modelAddress, type PiAi, ProviderKeys, tokenAddress } from './provider-keys';
import {
  keyForAnother,
  missingAddress,
  missingKey,
  missingModel,
  providerName,
  unusableProxy,
  whyUnavailable,
} from './unusable-model';
/** Models that are found at once: those of a few sessions. */
const MAX_FOUND = 8;
const DEMO_MODELS = [DEMO_MODEL, TOUR_MODEL];

/** Servers without a key still get a header: the SDKs refuse to start without one. */
const NO_KEY = 'none';

export interface RegistryParts extends KeyParts {
  /** Called after anything about providers or models changed. */
  onChange: (providers: ProviderInfo[]) => void;
  /** See `ModelRegistry.findRoute`. */
  findRoute: FindRoute;
  /** The variables that the app was started with: some name the address of a provider. */
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Every model that can be asked: pi-ai's providers, custom endpoints, local servers, the demo model.
 * pi-ai is loaded after the window stands; until then only our own are known and `ready` is pending.
 */
export class Registry implements ModelRegistry {
  #pi: PiAi | undefined;
  #local: LocalServer[] = [];
  /** By its id; nothing until pi-ai is loaded. */
  #known: FindKnown<Model<Api>> = () => undefined;
  #loading: Promise<void> | undefined;
  /** Providers that extensions bring. */
  #brought: readonly ExtensionProvider[] = [];
  /** Models that were asked for, until anything changes: every request asks for its own several times. */
  #found: Model<Api>[] = [];
  readonly #keys: ProviderKeys;

  /** See `ModelRegistry.findRoute`. */
  readonly findRoute: FindRoute;

  constructor(private readonly parts: RegistryParts) {
    this.findRoute = parts.findRoute;
    this.#keys = new ProviderKeys(parts, {
      pi: () => this.#pi,
      load: () => this.load(),
      baseUrlOf: (id) =>
        (this.#local.find((server) => server.id === id) ?? this.#endpoint(id) ?? this.#extension(id))?.baseUrl,
      isEndpoint: (id) => this.#endpoint(id) !== undefined,
    });
  }

  /** Loads pi-ai's models. Safe to call often; work is done once. */
  load(): Promise<void> {
    this.#loading ??= loadPiAi().then(async (pi) => {
      this.#pi = pi;
      const models = pi.getProviders().flatMap((provider) => pi.getModels(provider) as Model<Api>[]);
      this.#known = findKnownIn(models, ({ id }) => id);
      await this.#keys.settle();
      this.#changed();
    });
    return this.#loading;
  }

  /** Looks for local servers, unless the person switched that off. Never throws. */
  async discover(): Promise<void> {
    this.#local = this.parts.settings()['model.localDiscovery']
      ? await findLocalServers(this.parts.localAddresses)
      : [];
    this.#changed();
  }

  /** What extensions bring now. One that takes a name of ours, or of the person's, is left out. */
  setExtensionProviders(providers: readonly ExtensionProvider[]): void {
    if (JSON.stringify(providers) === JSON.stringify(this.#brought)) return;
    this.#brought = providers;
    this.#changed();
  }

  providers(): ProviderInfo[] {
    return [
      demoProvider(),
      ...this.#local.map((server) => this.#ownProvider(server.id, server.name, 'local', server.baseUrl, server.models)),
      ...this.#custom().map((endpoint) =>
        this.#ownProvider(
          endpoint.id,
          endpoint.name,
          'custom',
          endpoint.baseUrl,
          modelsOfEndpoint(endpoint, this.#known),
        ),
      ),
      ...this.#brought
        .filter(({ id }) => !this.isTaken(id))
        .map((own) => {
          const { id, name, baseUrl, models, apiKey } = own;
          return asBrought(own, this.#ownProvider(id, name, 'extension', baseUrl, models, apiKey));
        }),
      ...this.#builtin(),
    ];
  }

  find(ref: ModelRef): Model<Api> | undefined {
    const isIt = ({ id, provider }: Model<Api>): boolean => id === ref.modelId && provider === ref.provider;
    const known = this.#found.find(isIt);
    if (known) return known;
    const model = this.#modelsOf(ref.provider).find(({ id }) => id === ref.modelId);
    if (model) this.#found = [model, ...this.#found.slice(0, MAX_FOUND - 1)];
    return model;
  }

  async resolve(ref: ModelRef): Promise<ResolvedModel> {
    await this.load();
    const model = this.find(ref);
    if (!model) return { ok: false, failure: missingModel(ref, this.#nameOf(ref.provider)) };
    if (ref.provider === DEMO_PROVIDER) return { ok: true, model, apiKey: NO_KEY, headers: {}, proxies: NO_PROXIES };
    const problem = this.#keys.problem(ref.provider);
    if (problem !== undefined) return { ok: false, failure: keyForAnother(this.#nameOf(ref.provider), problem) };
    const brought = this.#extension(ref.provider);
    const headers = { ...this.#keys.headers(ref.provider), ...brought?.headers };
    const key = this.#keys.get(ref.provider) ?? brought?.apiKey;
    const needsNone = this.#keys.source(ref.provider, model.baseUrl) === 'notNeeded' || Object.keys(headers).length > 0;
    if (!key && !needsNone) return { ok: false, failure: missingKey(ref.provider, this.#nameOf(ref.provider)) };
    return this.#withProxies({ model, apiKey: key ?? NO_KEY, headers });
  }

  /** As `resolve`, for a key that is not kept: it goes where the one of the model's provider would go (WN16). */
  resolveWith(model: Model<Api>, key: string): Promise<ResolvedModel> {
    return this.#withProxies({ model, apiKey: key, headers: this.#keys.headers(model.provider) });
  }

  /** What a test of a key may ask of a provider, the best first. */
  async modelsToTest(provider: string): Promise<Model<Api>[]> {
    await this.load();
    const { provider: preferred, modelId } = this.initialModel();
    return modelsToTest(this.#modelsOf(provider), preferred === provider ? modelId : undefined);
  }

  initialModel(): ModelRef {
    const wanted = parseRef(this.parts.settings()['model.default']);
    if (wanted) return wanted;
    return { provider: DEMO_PROVIDER, modelId: DEMO_MODEL.id };
  }

  effectiveWindow(ref: ModelRef): number {
    const configured = this.find(ref)?.contextWindow ?? 0;
    const learned = this.parts.endpoints.learned(keyOf(ref));
    if (learned === undefined) return configured;
    return configured > 0 ? Math.min(configured, learned.tokens) : learned.tokens;
  }

  learnWindow(ref: ModelRef, tokens: number): void {
    if (tokens < 1024) return;
    // What could not be saved is learned again from the next overflow.
    this.parts.endpoints.learn(keyOf(ref), tokens).then(
      () => this.#changed(),
      () => undefined,
    );
  }

  noteServed(ref: ModelRef, tokens: number): void {
    const learned = this.parts.endpoints.learned(keyOf(ref));
    if (learned === undefined || tokens <= learned.tokens) return;
    const configured = this.find(ref)?.contextWindow ?? 0;
    if (configured > 0 && tokens >= configured) void this.forgetWindow(ref).catch(() => undefined);
    else this.learnWindow(ref, tokens);
  }

  /** Nothing is known any more of what the model's errors said of its window. Rejects if that can't be saved. */
  async forgetWindow(ref: ModelRef): Promise<void> {
    await this.parts.endpoints.forget(keyOf(ref));
    this.#changed();
  }

  remoteKey(): string | undefined {
    return this.#keys.remote();
  }

  /** Where the key of a provider goes. See `ProviderKeys.address`. */
  keyAddress(provider: string): string | undefined {
    return this.#keys.address(provider);
  }

  /** The key that goes to the provider now, wherever it is kept. */
  currentKey(provider: string): string | undefined {
    return this.#keys.current(provider);
  }

  /** A provider as a person knows it. */
  nameOf(provider: string): string {
    return provider === REMOTE_KEY_NAME ? 'your summary endpoint' : this.#nameOf(provider);
  }

  /** Keeps a key for the address that the provider has now. Rejects with a plain sentence; then nothing has changed. */
  async setKey(provider: string, key: string, keep: Keep): Promise<void> {
    await this.#keys.set(provider, key, keep);
    this.#changed();
  }

  async removeKey(provider: string): Promise<void> {
    // Also if a copy that was set aside can't be changed: the key itself is gone.
    await this.parts.credentials.remove(provider).finally(() => this.#changed());
  }

  /**
   * @param keepKeys what is to be kept with it among the keys
   * Rejects with `EndpointError` naming the field, or a sentence; then nothing has changed.
   */
  async saveEndpoint(draft: EndpointDraft, keepKeys?: () => Promise<void>): Promise<void> {
    const endpoint = await this.checkDraft(draft);
    await this.parts.endpoints.save(endpoint, keepKeys).finally(() => this.#changed());
  }

  /** The tidy form of a draft. Rejects with `EndpointError` naming the field. */
  async checkDraft(draft: EndpointDraft, needsModels = true): Promise<EndpointDraft> {
    await this.load();
    return checkEndpoint(draft, (id) => this.#isOwnName(id), needsModels);
  }

  async removeEndpoint(id: string): Promise<void> {
    await this.parts.endpoints.remove(id).finally(() => this.#changed());
  }

  async #withProxies(found: {
    model: Model<Api>;
    apiKey: string;
    headers: Record<string, string>;
  }): Promise<ResolvedModel> {
    const { model, apiKey } = found;
    const address = modelAddress(model, apiKey, this.parts.environment);
    if (address === null) return { ok: false, failure: missingAddress(model.provider, this.#nameOf(model.provider)) };
    const route = await this.findRoute(address);
    const forToken = tokenAddress(model, apiKey);
    const tokenRoute = forToken === null ? route : await this.findRoute(forToken);
    for (const way of [route, tokenRoute])
      if (way.kind === 'refused') return { ok: false, failure: unusableProxy(way.detail) };
    return { ok: true, ...found, proxies: { model: proxyOf(route), library: proxyOf(tokenRoute) } };
  }

  #changed(): void {
    this.#found = [];
    this.parts.onChange(this.providers());
  }

  #nameOf(provider: string): string {
    return this.#endpoint(provider)?.name ?? providerName(provider);
  }

  /** Endpoints of the person. One that took the name of another provider, in an edited file, would get that one's key. */
  #custom(): EndpointDraft[] {
    return this.parts.endpoints.all().filter(({ id }) => !this.#isOwnName(id));
  }

  #endpoint(id: string): EndpointDraft | undefined {
    return this.#custom().find((endpoint) => endpoint.id === id);
  }

  #extension(id: string): ExtensionProvider | undefined {
    return this.isTaken(id) ? undefined : this.#brought.find((provider) => provider.id === id);
  }

  /** It is the name of a provider of ours, or of an endpoint of the person. */
  isTaken(id: string): boolean {
    return this.#isOwnName(id) || this.parts.endpoints.all().some((endpoint) => endpoint.id === id);
  }

  #isOwnName(id: string): boolean {
    const builtin = this.#pi?.getProviders() as string[] | undefined;
    return id === DEMO_PROVIDER || ['ollama', 'lmstudio', 'llamacpp'].includes(id) || (builtin?.includes(id) ?? false);
  }

  #modelsOf(provider: string): Model<Api>[] {
    if (provider === DEMO_PROVIDER) return DEMO_MODELS;
    const local = this.#local.find((server) => server.id === provider);
    if (local) return local.models;
    const endpoint = this.#endpoint(provider);
    if (endpoint) return modelsOfEndpoint(endpoint, this.#known);
    const brought = this.#extension(provider);
    if (brought) return brought.models;
    const known = this.#pi?.getProviders().find((id) => id === provider);
    return known && this.#pi ? (this.#pi.getModels(known) as Model<Api>[]) : [];
  }

  #toInfo(model: Model<Api>): ModelInfo {
    const learnedWindow = this.parts.endpoints.learned(keyOf({ provider: model.provider, modelId: model.id }));
    return { ...toInfo(model, this.#pi), ...(learnedWindow && { learnedWindow }) };
  }

  #builtin(): ProviderInfo[] {
    const pi = this.#pi;
    if (!pi) return [];
    return pi.getProviders().map((id) => {
      const keySource = this.#keys.source(id, undefined);
      const available = keySource !== 'none';
      return {
        id,
        name: providerName(id),
        kind: 'builtin',
        keySource,
        environmentName: keySource === 'environment' ? lookingAtKeys(() => pi.findEnvKeys(id)?.[0]) : undefined,
        available,
        problem: available ? undefined : whyUnavailable(id),
        models: (pi.getModels(id) as Model<Api>[]).map((model) => this.#toInfo(model)),
      };
    });
  }

  #ownProvider(
    id: string,
    name: string,
    kind: 'custom' | 'local' | 'extension',
    baseUrl: string,
    models: Model<Api>[],
    apiKey?: string,
  ): ProviderInfo {
    const withHeaders = Object.keys(this.#keys.headers(id)).length > 0;
    const found = this.#keys.source(id, baseUrl);
    const keySource = found === 'none' && apiKey !== undefined ? 'notNeeded' : found;
    const problem = this.#keys.problem(id);
    const available = problem === undefined && (keySource !== 'none' || withHeaders);
    return {
      id,
      name,
      kind,
      keySource,
      baseUrl,
      available,
      problem,
      models: models.map((model) => this.#toInfo(model)),
    };
  }
}

const proxyOf = (route: Route): ProxyAddress | null => (route.kind === 'proxy' ? route.proxy : null);

function keyOf({ provider, modelId }: ModelRef): string {
  return `${provider}/${modelId}`;
}

/** `provider/model` split at the first slash, or undefined. */
function parseRef(text: string): ModelRef | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return undefined;
  return { provider: text.slice(0, slash), modelId: text.slice(slash + 1) };
}

function demoProvider(): ProviderInfo {
  return {
    id: DEMO_PROVIDER,
    name: 'Demo',
    kind: 'demo',
    keySource: 'notNeeded',
    available: true,
    models: DEMO_MODELS.map((model) => toInfo(model, undefined)),
  };
}

function toInfo(model: Model<Api>, pi: PiAi | undefined): ModelInfo {
  return {
    provider: model.provider,
    modelId: model.id,
    name: model.name,
    contextWindow: model.contextWindow,
    maxTokens: model.maxTokens,
    reasoning: model.reasoning,
    thinkingLevels:
      pi && model.reasoning
        ? pi.getSupportedThinkingLevels(model)
        : model.reasoning
          ? ['off', 'low', 'medium', 'high']
          : ['off'],
    images: model.input.includes('image'),
    cost: { ...model.cost },
  };
}

/** The models of a provider in the order in which a test asks them: the one of new sessions, then the cheapest. Pure. */
export function modelsToTest(models: readonly Model<Api>[], preferred: string | undefined): Model<Api>[] {
  const price = ({ cost }: Model<Api>): number => cost.input + cost.output;
  return [...models].sort((a, b) => Number(b.id === preferred) - Number(a.id === preferred) || price(a) - price(b));
}
