import { fetchOver, PROXY_FAILED, proxyFailure } from '../network/proxy-fetch';
import type { FindRoute } from '../network/proxy-route';
import type { ProxyAddress } from '@shared/policy/addresses';
import { hideSecrets, secretHeaderValues } from '@shared/policy/keys';
import type { EndpointDraft } from '@shared/types';

/** The answer of a small JSON request to a model server, or a sentence about what went wrong. */
type Probe = { ok: true; body: unknown } | { ok: false; status: number | null; message: string };

const MAX_BYTES = 4 * 1024 * 1024;

interface ProbeOptions {
  headers?: Record<string, string>;
  body?: unknown;
  timeoutMs?: number;
  secrets?: readonly string[];
  /** The proxy that it goes through; absent: none. */
  proxy?: ProxyAddress | undefined;
}

/**
 * GETs or POSTs JSON with a time limit (milliseconds) and a size limit, following no redirects. `secrets` are cut out of the answer. Never throws: the
 * sentence is for the person who pressed “Test”.
 */
export async function probeJson(
  url: string,
  { headers = {}, body, timeoutMs = 5000, secrets = [], proxy }: ProbeOptions = {},
): Promise<Probe> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const send = proxy ? fetchOver(proxy.href) : fetch;
    const response = await send(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'manual',
      signal: controller.signal,
    });
    return await readAnswer(response, secrets);
  } catch (error) {
    return { ok: false, status: null, message: explain(error, controller.signal.aborted, timeoutMs, proxy) };
  } finally {
    clearTimeout(timer);
  }
}

async function readAnswer(response: Response, secrets: readonly string[]): Promise<Probe> {
  // Some servers repeat a key that they refuse; the window must not learn it from them.
  const text = hideSecrets(await readText(response), secrets);
  const fail = (message: string): Probe => ({ ok: false, status: response.status, message });
  if (response.status >= 300 && response.status < 400)
    return fail('It redirects to another address. Enter that address as the base URL.');
  if (response.status === 401 || response.status === 403)
    return fail(`It rejected the key (HTTP ${response.status}). Check the key.`);
  if (/^\s*<(!doctype|html)/i.test(text))
    return fail('It returned a web page instead of JSON. Check the base URL; it often ends in /v1.');
  if (!response.ok) return fail(`It returned HTTP ${response.status}${text ? `: ${text.slice(0, 200)}` : ''}.`);
  try {
    return { ok: true, body: JSON.parse(text) };
  } catch {
    return fail('It returned something other than JSON. Check the base URL.');
  }
}

/** The body as text. What comes past the limit is not read: no list of models is that long. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes >= MAX_BYTES) break;
  }
  // Unlike `toString` it drops a byte order mark, which `JSON.parse` would refuse.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function explain(error: unknown, timedOut: boolean, timeoutMs: number, proxy: ProxyAddress | undefined): string {
  return timedOut || !proxy
    ? explainConnection(error, timedOut, timeoutMs)
    : `${PROXY_FAILED} ${proxyFailure(error, proxy).more}`;
}

function explainConnection(error: unknown, timedOut: boolean, timeoutMs: number): string {
  if (timedOut) return `It did not answer within ${Math.round(timeoutMs / 1000)} seconds.`;
  const code = (error as { cause?: { code?: string } }).cause?.code ?? '';
  if (code === 'ECONNREFUSED') return 'Nothing answers at that address. Is the server running?';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'The host can’t be found. Check the address and the network.';
  if (/CERT|SELF_SIGNED|TLS/.test(code)) return `Its certificate is not valid (${code}).`;
  return `The connection failed${code ? ` (${code})` : ''}. Check the address, its port and the network.`;
}

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
