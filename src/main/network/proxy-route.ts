import { isSocks, readProxyAddress, type ProxyAddress } from '@shared/policy/proxy-address';
import type { Settings } from '@shared/settings';
import { bypassesProxy, rulesOf } from './bypass';

/** How an address is reached. `refused`: not at all, since the proxy for it can't be used; nothing may go around it. */
export type Route = { kind: 'direct' } | { kind: 'proxy'; proxy: ProxyAddress } | { kind: 'refused'; detail: string };

/** Asks how an address is reached. Never rejects. */
export type FindRoute = (url: string) => Promise<Route>;

export interface RouteParts {
  settings: () => Pick<Settings, 'network.proxy' | 'network.proxyAddress' | 'network.noProxy'>;
  /** The variables that the app was started with. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What the system says, as `PROXY host:port; DIRECT` (Chromium's `resolveProxy`). */
  askSystem: (url: string) => Promise<string>;
}

/** A system that looks for its proxy over the network is not waited for longer. */
const SYSTEM_MS = 3_000;

const DIRECT: Route = { kind: 'direct' };
const SETTINGS_PLACE = 'Settings › Providers';

/** Without a proxy, whatever it is. */
export const goDirectly: FindRoute = () => Promise.resolve(DIRECT);

/** Finds routes as the settings say, at the moment of each request (WN25). This computer is always reached directly. */
export function createRoutes({ settings, environment, askSystem }: RouteParts): FindRoute {
  return async (url) => {
    const address = parse(url);
    if (!address || bypassesProxy(address, [])) return DIRECT;
    const current = settings();
    if (current['network.proxy'] === 'none') return DIRECT;
    if (current['network.proxy'] === 'manual') {
      if (bypassesProxy(address, current['network.noProxy'])) return DIRECT;
      return routeOver(current['network.proxyAddress'], SETTINGS_PLACE);
    }
    const named = variableFor(address, environment);
    if (named) {
      if (bypassesProxy(address, rulesOf(environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''))) return DIRECT;
      return routeOver(named.value, named.name);
    }
    const answer = await Promise.race([askSystem(url).catch(() => ''), late()]);
    return routeOfSystem(answer);
  };
}

/** The passwords of proxies in the environment, for redaction. */
export function proxySecrets(environment: RouteParts['environment']): string[] {
  return NAMES.flatMap((name) => [environment[name], environment[name.toUpperCase()]]).flatMap((value) => {
    const url = parse(readProxyAddress(value ?? '')?.href ?? '');
    return url?.password ? [url.password, safeDecode(url.password)] : [];
  });
}

const NAMES = ['https_proxy', 'http_proxy', 'all_proxy'];

function variableFor(
  { protocol }: URL,
  environment: RouteParts['environment'],
): { name: string; value: string } | null {
  const names = [protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy'];
  for (const name of names.flatMap((low) => [low, low.toUpperCase()])) {
    const value = environment[name]?.trim();
    if (value) return { name, value };
  }
  return null;
}

function routeOver(text: string, place: string): Route {
  const proxy = readProxyAddress(text);
  if (proxy) return { kind: 'proxy', proxy };
  if (text === '') return refused(`A proxy is to be used, but ${place} names no address.`);
  if (isSocks(text))
    return refused(`${place} names a SOCKS proxy, which Espalier can’t use. Name an HTTP proxy there.`);
  return refused(`${place} names a proxy that is not an address such as http://proxy.example:8080.`);
}

/** The first that can be used; a system that names a SOCKS proxy alone is not gone around. */
function routeOfSystem(answer: string): Route {
  const entries = answer.split(';').map((entry) => entry.trim().split(/\s+/));
  let socks = false;
  for (const [kind = '', place = ''] of entries) {
    const type = kind.toUpperCase();
    if (type.startsWith('SOCKS')) socks = true;
    else if (type === 'DIRECT' && !socks) return DIRECT;
    else if (type === 'PROXY' || type === 'HTTPS') {
      const proxy = readProxyAddress(`${type === 'HTTPS' ? 'https' : 'http'}://${place}`);
      if (proxy) return { kind: 'proxy', proxy };
    }
  }
  if (socks)
    return refused(
      `The system’s settings name a SOCKS proxy, which Espalier can’t use. Set an HTTP proxy in ${SETTINGS_PLACE}, or choose none there.`,
    );
  return DIRECT;
}

const refused = (detail: string): Route => ({ kind: 'refused', detail });

function late(): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve(''), SYSTEM_MS).unref());
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
