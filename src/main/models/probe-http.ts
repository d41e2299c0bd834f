import type { ProxyAddress } from '@shared/policy/proxy-address';
import { hideSecrets } from '@shared/policy/secret-header';
import { PROXY_FAILED, proxyFailure } from '../network/proxy-failure';
import { fetchOver } from '../network/proxy-fetch';

/** The answer of a small JSON request to a model server, or a sentence about what went wrong. */
export type Probe = { ok: true; body: unknown } | { ok: false; status: number | null; message: string };

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
