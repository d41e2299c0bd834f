import { File } from 'node:buffer';
import type { Dispatcher, ProxyAgent } from 'undici';
import type { ProxyAddress } from '@shared/policy/addresses';

/** The proxies that a request to a model goes through; null: none (WN25). */
export interface Proxies {
  /** For what is sent to the model. */
  model: ProxyAddress | null;
  /** For what its library asks by the way without `fetch`, such as an access token. */
  library: ProxyAddress | null;
}

/** Of what goes nowhere, or is reached directly. */
export const NO_PROXIES: Proxies = { model: null, library: null };

type Fetch = typeof globalThis.fetch;
type Undici = typeof import('undici');

/** Ways that are kept open: there is one proxy, or one for each of two protocols. */
const MAX_AGENTS = 4;

let loading: Promise<Undici> | undefined;
const agents = new Map<string, ProxyAgent>();

/** Loaded with the first request that needs it: most people have no proxy. */
function load(): Promise<Undici> {
  // Node 18 (the development runtime) has it in its module alone.
  if (!('File' in globalThis)) Object.defineProperty(globalThis, 'File', { value: File, configurable: true });
  loading ??= import('undici');
  return loading;
}

/** The way over a proxy. `href` is its address, with a name and password where it wants them. Throws for an address that is none. */
async function proxyAgent(href: string): Promise<ProxyAgent> {
  const undici = await load();
  const known = agents.get(href);
  if (known) return known;
  const agent = new undici.ProxyAgent({ uri: href, proxyTunnel: false });
  agents.set(href, agent);
  const [oldest] = agents.size > MAX_AGENTS ? agents.keys() : [];
  // What runs over it is not cut off.
  if (oldest !== undefined)
    void agents
      .get(oldest)
      ?.close()
      .catch(() => undefined);
  if (oldest !== undefined) agents.delete(oldest);
  return agent;
}

/**
 * A `fetch` over a proxy. It is undici's own: that of the runtime takes no agent of another version. Https is tunneled, so that the proxy
 * sees host and port alone.
 */
export function fetchOver(href: string): Fetch {
  return (async (input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]) => {
    const undici = await load();
    const dispatcher = await proxyAgent(href);
    // A request of the runtime's is none of undici's.
    const given = input instanceof Request ? partsOf(input) : { url: input, init: {} };
    const options = { ...given.init, ...init, dispatcher } as unknown as Parameters<Undici['fetch']>[1];
    return undici.fetch(given.url as Parameters<Undici['fetch']>[0], options);
  }) as unknown as Fetch;
}

function partsOf({ url, method, headers, body, signal, redirect }: Request): { url: string; init: RequestInit } {
  const init = { method, headers: [...headers] as [string, string][], body, signal, redirect };
  return { url, init: { ...init, ...(body ? { duplex: 'half' } : {}) } as RequestInit };
}

interface Post {
  url: string;
  headers: Record<string, string | number>;
  body: Buffer;
  signal: AbortSignal;
}

/** One POST over a proxy without a time limit of its own, following no redirect. Whoever gets the body reads or destroys it. */
export async function postOver(href: string, { url, headers, body, signal }: Post): Promise<Dispatcher.ResponseData> {
  const undici = await load();
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  return undici.request(url, {
    method: 'POST',
    headers: given,
    body,
    signal,
    dispatcher: await proxyAgent(href),
    ...limits,
  });
}

/** The code of a proxy that refuses a password, or wants one: each further try may be the one that locks the account. */
export const PASSWORD_REFUSED = 'PROXY_AUTHENTICATION';

/** The beginning of what is said of every one of them. */
export const PROXY_FAILED = 'The connection through the proxy could not be made.';

/** Why a request did not come through a proxy, which is named without its password (WN25): a code, and a sentence behind the first. */
export function proxyFailure(error: unknown, proxy: ProxyAddress): { code: string | undefined; more: string } {
  // What undici says of a proxy that did not open a tunnel, or let nobody in: it hands on no answer of 407, with or without a tunnel.
  const status = /^Proxy .{1,40} \((\d{3})\)/.exec(causeOf(error))?.[1];
  const code = status === '407' ? PASSWORD_REFUSED : status === undefined ? readErrorCode(error) : `HTTP_${status}`;
  return { code, more: proxyWords(proxy, code) };
}

const ANSWERED = 'PROXY_ANSWER';
const NETWORK_CODE = /\b(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b/;
/** What libraries say of a page, or of nothing, where a provider sends JSON. */
const NO_ANSWER =
  /^\s*$|<(?:!doctype|html)\b|^Unexpected token '?<|^Could not refresh access token:\s*$|^Unknown: UnknownError$/i;

/**
 * The same for a request that a library sent by itself: it takes the proxy's answer for the provider's, and says what it makes of that.
 * Null if the words are none about a connection.
 */
export function libraryFailure(said: string, proxy: ProxyAddress): { code: string; more: string } | null {
  const code = NETWORK_CODE.exec(said)?.[1] ?? (NO_ANSWER.test(said) ? ANSWERED : undefined);
  return code === undefined ? null : { code, more: proxyWords(proxy, code) };
}

const MAY_WANT_PASSWORD =
  'answered in the provider’s place. If it asks for a name and a password, set HTTPS_PROXY with both.';
const WANTS_PASSWORD = 'asks for a name and a password: set HTTPS_PROXY with both.';

function proxyWords({ shown }: ProxyAddress, code: string | undefined): string {
  if (code === PASSWORD_REFUSED) return `${shown} ${WANTS_PASSWORD}`;
  if (code === ANSWERED) return `${shown} ${MAY_WANT_PASSWORD}`;
  return `It is ${shown}${code ? ` (${code})` : ''}.`;
}

/** The code behind such words, for what is read back from a file; undefined if they name none. */
export function codeInProxyWords(text: string): string | undefined {
  if (text.endsWith(WANTS_PASSWORD)) return PASSWORD_REFUSED;
  return text.endsWith(MAY_WANT_PASSWORD) ? ANSWERED : /\(([A-Z][A-Z0-9_]+)\)\.$/.exec(text)?.[1];
}

/** The message of the innermost error. */
function causeOf(error: unknown): string {
  let at = error;
  while (typeof at === 'object' && at !== null && 'cause' in at && at.cause !== undefined) at = at.cause;
  return at instanceof Error ? at.message : '';
}

/** The system or undici code of a failed fetch, found on the error or on its cause. */
export function readErrorCode(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code, errors } = at as { code?: unknown; errors?: unknown };
    if (typeof code === 'string' && code !== '') return code;
    if (Array.isArray(errors)) return readErrorCode(errors[0]);
  }
  return undefined;
}
