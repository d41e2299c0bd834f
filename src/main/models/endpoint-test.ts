import type { EndpointDraft } from '@shared/types';
import { secretHeaderValues } from '@shared/policy/secret-header';
import type { FindRoute } from '../network/proxy-route';
import { probeJson } from './probe-http';

const MAX_ID_CHARS = 200;

export interface EndpointTestResult {
  ok: boolean;
  message: string;
  /** Model ids that the endpoint offers, if it says so. */
  models: string[];
}

/**
 * Asks the endpoint for its models; where it has no such list, for one token of the first model. Tells in a sentence
 * whether base URL and key work. It goes the way that requests to it go (WN25).
 */
export async function testEndpoint(
  endpoint: EndpointDraft,
  key: string | undefined,
  headers: Record<string, string>,
  findRoute: FindRoute,
): Promise<EndpointTestResult> {
  const route = await findRoute(endpoint.baseUrl);
  if (route.kind === 'refused') return { ok: false, message: route.detail, models: [] };
  const proxy = route.kind === 'proxy' ? route.proxy : undefined;
  const auth = authHeaders(endpoint.api, key, headers);
  const secrets = [...(key === undefined ? [] : [key]), ...secretHeaderValues(headers)];
  const listUrl =
    endpoint.api === 'anthropic-messages' ? `${endpoint.baseUrl}/v1/models` : `${endpoint.baseUrl}/models`;
  const list = await probeJson(listUrl, { headers: auth, secrets, proxy });
  if (list.ok) {
    const models = modelIds(list.body);
    const missing = endpoint.models.find((model) => models.length > 0 && !models.includes(model.id));
    if (missing) return { ok: false, message: `It works, but it has no model “${missing.id}”.`, models };
    return {
      ok: true,
      message:
        models.length > 0
          ? `It works and offers ${models.length} ${models.length === 1 ? 'model' : 'models'}.`
          : 'It works.',
      models,
    };
  }
  if (list.status !== 404 && list.status !== 405) return { ok: false, message: list.message, models: [] };
  const model = endpoint.models[0]?.id;
  if (!model) return { ok: false, message: 'It doesn’t list its models. Enter a model name yourself.', models: [] };
  const reply = await probeJson(replyUrl(endpoint), {
    headers: auth,
    secrets,
    body: smallestRequest(endpoint.api, model),
    timeoutMs: 20_000,
    proxy,
  });
  return reply.ok ? { ok: true, message: 'It works.', models: [] } : { ok: false, message: reply.message, models: [] };
}

function authHeaders(
  api: EndpointDraft['api'],
  key: string | undefined,
  headers: Record<string, string>,
): Record<string, string> {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  if (api === 'anthropic-messages')
    return { 'anthropic-version': '2023-06-01', ...(key ? { 'x-api-key': key } : {}), ...given };
  return { ...(key ? { authorization: `Bearer ${key}` } : {}), ...given };
}

function replyUrl({ api, baseUrl }: EndpointDraft): string {
  if (api === 'anthropic-messages') return `${baseUrl}/v1/messages`;
  return api === 'openai-responses' ? `${baseUrl}/responses` : `${baseUrl}/chat/completions`;
}

function smallestRequest(api: EndpointDraft['api'], model: string): unknown {
  if (api === 'openai-responses') return { model, input: 'Hi', max_output_tokens: 16 };
  return { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };
}

function modelIds(body: unknown): string[] {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return [];
  const ids = data.map((item) => (item as { id?: unknown } | null)?.id);
  return ids.filter((id): id is string => typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS);
}
