import type { Api, Model } from '../pi/pi-types';

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
