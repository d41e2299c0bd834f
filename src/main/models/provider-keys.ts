import { lookingAtKeys } from '../environment/keys';
import type { loadPiAi } from '../pi/pi';
import type { Api, Model } from '../pi/pi-types';
import { cleanKey, type Credentials, type Keep } from './credentials';
import { type EndpointBook, headersOwner } from './endpoints';
import type { LocalAddresses } from './local-servers';
import { BUILT_IN, isThisComputer, originOf, UNKNOWN_ADDRESS } from '@shared/policy/keys';
import { REMOTE_KEY_NAME, type Settings } from '@shared/settings';
import type { ProviderInfo } from '@shared/types';

export type PiAi = Awaited<ReturnType<typeof loadPiAi>>;

export interface KeyParts {
  credentials: Credentials;
  endpoints: EndpointBook;
  settings: () => Settings;
  localAddresses: LocalAddresses;
}

/** Which providers there are now. */
interface KnownProviders {
  /** Undefined until it is loaded. */
  pi(): PiAi | undefined;
  load(): Promise<void>;
  /** The address of a server that was found or an endpoint of the person. */
  baseUrlOf(provider: string): string | undefined;
  /** Whether it is an endpoint of the person. */
  isEndpoint(provider: string): boolean;
}

/** Which key goes to which provider: each to the address that it was given for alone. */
export class ProviderKeys {
  constructor(
    private readonly parts: KeyParts,
    private readonly providers: KnownProviders,
  ) {
    // A key from before addresses were kept is for the address that is set now, whatever is set later.
    const summaries = this.address(REMOTE_KEY_NAME) ?? UNKNOWN_ADDRESS;
    void parts.credentials.settle((name) => (name === REMOTE_KEY_NAME ? summaries : undefined));
  }

  /** The same for all others, once it is known which names are those of providers that come with the app. */
  settle(): Promise<void> {
    return this.parts.credentials.settle((name) => this.#saved(name) ?? UNKNOWN_ADDRESS);
  }

  /**
   * Where the key of a provider goes: `BUILT_IN`, or the origin of its address. Undefined for what is not a provider here, and for
   * the summary endpoint while it has no address.
   */
  address(provider: string): string | undefined {
    if (provider === REMOTE_KEY_NAME) return originOf(this.parts.settings()['compaction.remoteEndpoint']);
    const own = this.providers.baseUrlOf(provider);
    if (own !== undefined) return originOf(own);
    const builtIn = this.providers.pi()?.getProviders() as string[] | undefined;
    return builtIn?.includes(provider) ? BUILT_IN : undefined;
  }

  /** See `ModelRegistry.remoteKey`. */
  remote(): string | undefined {
    const address = this.address(REMOTE_KEY_NAME);
    return address === undefined ? undefined : this.parts.credentials.get(REMOTE_KEY_NAME, address);
  }

  /** The key that goes to the provider now, wherever it is kept. */
  current(provider: string): string | undefined {
    return provider === REMOTE_KEY_NAME ? this.remote() : this.get(provider);
  }

  /** The key of a provider, or of the environment where its address is its own. */
  get(provider: string): string | undefined {
    const address = this.address(provider);
    if (address === undefined) return undefined;
    const stored = this.parts.credentials.get(provider, address);
    return stored ?? (address === BUILT_IN ? this.#ofEnvironment(provider) : undefined);
  }

  #ofEnvironment(provider: string): string | undefined {
    return lookingAtKeys(() => this.providers.pi()?.getEnvApiKey(provider));
  }

  /** Headers belong to endpoints of the person; a server that was found has none, whatever it is called. */
  headers(provider: string): Record<string, string> {
    return this.providers.isEndpoint(provider) ? this.parts.endpoints.headers(provider) : {};
  }

  /** What keeps a key that is there from being sent; undefined if nothing does. */
  problem(provider: string): string | undefined {
    const { credentials, endpoints } = this.parts;
    const address = this.address(provider);
    if (address === undefined || address === BUILT_IN) return undefined;
    const given = credentials.addressOf(provider);
    // Keys without an address get theirs as soon as everything is loaded.
    if (this.providers.pi() && given === UNKNOWN_ADDRESS)
      return 'Its key was saved without an address, so it is not sent. Enter the key again.';
    if (given !== undefined && given !== UNKNOWN_ADDRESS && given !== address)
      return `Its key was entered for ${given}, but its address is now ${address}. Enter the key again.`;
    if (given === address && credentials.get(provider, address) === undefined)
      return `Its key would be sent unencrypted to ${address}. Enter the key again if you want that.`;
    const [header] = this.providers.isEndpoint(provider) ? endpoints.missingHeaders(provider) : [];
    return header === undefined ? undefined : `The value of its header ${header} is missing. Enter it again.`;
  }

  /** Where it comes from. `baseUrl`: of a provider that is not built in. */
  source(provider: string, baseUrl: string | undefined): ProviderInfo['keySource'] {
    const address = this.address(provider);
    if (address !== undefined && this.parts.credentials.get(provider, address) !== undefined)
      return this.parts.credentials.source(provider);
    if (address === BUILT_IN && this.#ofEnvironment(provider)) return 'environment';
    return baseUrl !== undefined && isThisComputer(baseUrl) ? 'notNeeded' : 'none';
  }

  /** Keeps a key for the address that the provider has now. Rejects with a plain sentence; then nothing has changed. */
  async set(provider: string, key: string, keep: Keep): Promise<void> {
    const clean = cleanKey(key);
    await this.providers.load();
    const address = this.address(provider);
    if (address === undefined)
      throw new RangeError(
        provider === REMOTE_KEY_NAME
          ? 'Enter the endpoint’s address first. A key is saved for one address.'
          : 'This provider no longer exists. The key was not saved.',
      );
    await this.parts.credentials.set(provider, clean, keep, address);
  }

  /** Where what is kept under a name would go by what is saved: a server of this computer need not run for it. */
  #saved(name: string): string | undefined {
    if (Object.hasOwn(this.parts.localAddresses, name))
      return originOf(this.parts.localAddresses[name as keyof LocalAddresses]);
    return this.address(headersOwner(name) ?? name);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Google gives out access tokens. */
const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token';
const VERTEX = 'https://aiplatform.googleapis.com';
const STANDARD_BEDROCK = /^https:\/\/bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/?$/;

/**
 * Where requests to a model go, found as pi-ai finds it: for some providers the environment names the host. A proxy is chosen by it, and
 * `NO_PROXY` held against it (WN25). Null: the environment doesn't name one, or none that can be read. Pure.
 * @param key as it is sent; some stand for “the system’s credentials”
 */
export function modelAddress({ api, baseUrl }: Model<Api>, key: string, environment: Environment): string | null {
  const address =
    api === 'azure-openai-responses'
      ? azureAddress(environment) || baseUrl
      : api === 'google-vertex' && baseUrl.includes('{location}')
        ? vertexAddress(isSystemKey(key), environment)
        : api === 'bedrock-converse-stream' && STANDARD_BEDROCK.test(baseUrl)
          ? bedrockAddress(baseUrl, environment)
          : baseUrl;
  return isWebAddress(address) ? address : null;
}

/** Where its library asks for a token by another way than its requests go; null if nowhere, or where they go. Pure. */
export function tokenAddress({ api }: Model<Api>, key: string): string | null {
  return api === 'google-vertex' && isSystemKey(key) ? GOOGLE_TOKENS : null;
}

function azureAddress(environment: Environment): string | undefined {
  const resource = environment.AZURE_OPENAI_RESOURCE_NAME;
  return (
    environment.AZURE_OPENAI_BASE_URL?.trim() ||
    (resource ? `https://${resource}.openai.azure.com/openai/v1` : undefined)
  );
}

function vertexAddress(isSystem: boolean, environment: Environment): string {
  const location = isSystem ? environment.GOOGLE_CLOUD_LOCATION : undefined;
  if (!location || location === 'global') return VERTEX;
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

function bedrockAddress(baseUrl: string, environment: Environment): string {
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION;
  if (!region) return baseUrl;
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** pi-ai’s mark for credentials that the provider’s own library finds. */
const isSystemKey = (key: string): boolean => key === 'gcp-vertex-credentials' || /^<[^>]+>$/.test(key);

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
