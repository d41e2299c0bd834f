import { File } from 'node:buffer';
import type { Dispatcher, ProxyAgent } from 'undici';

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
