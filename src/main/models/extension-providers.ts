import { isRecord } from '@shared/checks';
import { isInTheClear, originOf } from '@shared/policy/keys';
import type { ProviderInfo } from '@shared/types';
import type { Api, Model } from '../pi/pi-types';

/** A provider that an extension has registered, as far as it can be used here (EX25). */
export interface ExtensionProvider {
  id: string;
  name: string;
  baseUrl: string;
  /** Whose it is, as the person knows it. */
  extension: string;
  /** One that the extension brings: shown nowhere. */
  apiKey: string | undefined;
  headers: Record<string, string>;
  models: Model<Api>[];
  /** It streams by code of the extension, which gets the key. */
  streams: boolean;
}

/** Those that the provider code here speaks. */
const APIS = new Set([
  ...['openai-completions', 'openai-responses', 'anthropic-messages', 'google-generative-ai', 'mistral-conversations'],
]);
const ID = /^[a-z0-9][\w.-]{0,63}$/i;
const MAX_MODELS = 500;
const MAX_TEXT = 200;
const MAX_HEADERS = 50;

type Checked = { ok: true; value: ExtensionProvider } | { ok: false; problem: string };

const bad = (problem: string): Checked => ({ ok: false, problem });

/**
 * What of a registration can be used: models behind an address, in an API of ours. A key that names a variable or a command is not
 * looked up: the person enters it in Settings, for this address alone (docs/specs/safety.md C4). Pure; never throws.
 */
export function checkProvider(extension: string, id: string, config: Record<string, unknown>): Checked {
  const of = `The provider “${id.slice(0, 80)}” is not offered.`;
  const { baseUrl, models, name, apiKey, headers, authHeader } = config;
  if (!ID.test(id)) return bad(`${of} Its name may have letters, digits, “.”, “_” and “-” only, 64 at most.`);
  const streams = config.streams === true;
  if (config.oauth === true && apiKey === undefined)
    return bad(`${of} It needs a custom sign-in, which Espalier can’t run yet.`);
  if (typeof baseUrl !== 'string' || originOf(baseUrl) === undefined)
    return bad(`${of} Its baseUrl is not an address of http or https.`);
  if (!Array.isArray(models) || models.length === 0)
    return bad(`${of} It names no models. An existing provider is not redirected: add an endpoint in Settings.`);
  const key = typeof apiKey === 'string' && apiKey !== '' ? literalOf(apiKey) : undefined;
  if (key !== undefined && isInTheClear(baseUrl))
    return bad(`${of} Its key would be sent unencrypted to ${baseUrl.slice(0, 200)}.`);
  const made = models.slice(0, MAX_MODELS).flatMap((model) => modelOf(id, config, model, streams));
  if (made.length === 0)
    return bad(
      streams
        ? `${of} None of its models can be used: they need an id.`
        : `${of} None of its models can be used: they need an id and one of the APIs ${[...APIS].join(', ')}.`,
    );
  const sent = headersOf(headers);
  if (authHeader === true && key !== undefined) sent.Authorization = `Bearer ${key}`;
  return {
    ok: true,
    value: {
      ...{ id, extension, baseUrl, apiKey: key, headers: sent, models: made, streams },
      name: textOf(name) || id,
    },
  };
}

/** As it is told: with whose it is, and whether code of that one gets the person's key. */
export function asBrought({ extension, streams }: ExtensionProvider, info: ProviderInfo): ProviderInfo {
  return { ...info, extension, givesKey: streams && info.keySource !== 'notNeeded' };
}

/** How pi 0.73 names a variable: capitals, and what it is for. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)$/;

/** `$$` and `$!` stand for themselves; a variable or a command is nothing that an extension may have looked up. */
function literalOf(value: string): string | undefined {
  if (value.startsWith('!') || VARIABLE.test(value)) return undefined;
  const text = value.replaceAll('$$', '\0').replaceAll('$!', '!');
  return text.includes('$') ? undefined : text.replaceAll('\0', '$').slice(0, 10_000);
}

function headersOf(given: unknown): Record<string, string> {
  const named = isRecord(given) ? Object.entries(given).slice(0, MAX_HEADERS) : [];
  return Object.fromEntries(
    named.flatMap(([name, value]) => {
      const text = typeof value === 'string' ? literalOf(value) : undefined;
      const isPlain = text !== undefined && /^[\w-]{1,100}$/.test(name) && !/[\r\n\0]/.test(text);
      return isPlain ? [[name, text]] : [];
    }),
  );
}

function modelOf(provider: string, config: Record<string, unknown>, given: unknown, streams: boolean): Model<Api>[] {
  if (!isRecord(given) || typeof given.id !== 'string' || given.id === '' || given.id.length > MAX_TEXT) return [];
  if (given.type !== undefined && given.type !== 'chat') return [];
  const api = given.api ?? config.api ?? (streams ? provider : undefined);
  const baseUrl = given.baseUrl ?? config.baseUrl;
  // Its key is for one address: a model elsewhere would get it too.
  if (typeof api !== 'string' || api.length > MAX_TEXT || (!streams && !APIS.has(api))) return [];
  if (originOf(String(baseUrl)) !== originOf(String(config.baseUrl))) return [];
  const cost = isRecord(given.cost) ? given.cost : {};
  return [
    {
      ...{ id: given.id, name: textOf(given.name) || given.id, api, provider, baseUrl: String(baseUrl) },
      reasoning: given.reasoning === true,
      input: Array.isArray(given.input) && given.input.includes('image') ? ['text', 'image'] : ['text'],
      cost: {
        ...{ input: numberOf(cost.input), output: numberOf(cost.output) },
        ...{ cacheRead: numberOf(cost.cacheRead), cacheWrite: numberOf(cost.cacheWrite) },
      },
      ...{ contextWindow: Math.floor(numberOf(given.contextWindow)), maxTokens: Math.floor(numberOf(given.maxTokens)) },
      ...(isRecord(given.compat) ? { compat: given.compat } : {}),
      ...(isRecord(given.thinkingLevelMap) ? { thinkingLevelMap: given.thinkingLevelMap } : {}),
    } as Model<Api>,
  ];
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.min(value, 1e9) : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT).replace(/\s+/gu, ' ').trim() : '';
}
