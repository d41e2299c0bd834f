import { isSocks, readProxyAddress, type ProxyAddress } from '@shared/policy/proxy-address';
import type { Settings } from '@shared/settings';
import { bypassesProxy, rulesOf } from './bypass';
import { SystemProxy } from './system-proxy';

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

const DIRECT: Route = { kind: 'direct' };
const SETTINGS_PLACE = 'Settings › Providers';
const WAY_OUT = `Set an HTTP proxy in ${SETTINGS_PLACE}, or choose none there.`;

/**
 * Finds routes as the settings say, at the moment of each request (WN25). This computer is always reached directly. What can't be read,
 * an address or what the system says, is refused: a way around a proxy is no answer to that.
 */
export function createRoutes({ settings, environment, askSystem }: RouteParts): FindRoute {
  const system = new SystemProxy(askSystem);
  return async (url) => {
    const current = settings();
    if (current['network.proxy'] === 'none') return DIRECT;
    const address = parse(url);
    if (!address) return refused('The address can’t be read, so no proxy could be chosen for it.');
    if (bypassesProxy(address, [])) return DIRECT;
    if (current['network.proxy'] === 'manual') {
      if (bypassesProxy(address, current['network.noProxy'])) return DIRECT;
      return routeOver(current['network.proxyAddress'], SETTINGS_PLACE);
    }
    const named = variableFor(address, environment);
    if (named) {
      if (bypassesProxy(address, rulesOf(environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''))) return DIRECT;
      return routeOver(named.value, named.name);
    }
    return routeOfSystem(await system.find(address));
  };
}

/**
 * What of the proxies in the environment must get into no log: passwords, in each form in which they are written or sent, and names where
 * they stand alone or are long, for then they are tokens.
 */
export function proxySecrets(environment: RouteParts['environment']): string[] {
  const values = NAMES.flatMap((name) => [environment[name], environment[name.toUpperCase()]]);
  return values.flatMap((value) => (value?.trim() ? secretsOf(value.trim()) : []));
}

function secretsOf(value: string): string[] {
  // Also of one that can't be used, as SOCKS: it may be quoted somewhere.
  const { username = '', password = '' } =
    parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`) ?? {};
  const isToken = username !== '' && (password === '' || username.length >= TOKEN_CHARS);
  const [name, word] = [safeDecode(username), safeDecode(password)];
  const sent = username === '' ? '' : Buffer.from(`${name}:${word}`).toString('base64');
  return [password, word, sent, ...(isToken ? [username, name] : [])].filter((secret) => secret !== '');
}

/** People have shorter names. */
const TOKEN_CHARS = 16;

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

/** The first that can be used. Where one before “directly” can't be, it is not gone around. */
function routeOfSystem(answer: string | null): Route {
  if (answer === null) return refused(`The system did not say in time which proxy to use. ${WAY_OUT}`);
  const entries = answer.split(';').map((entry) => entry.trim().split(/\s+/));
  const kinds: string[] = [];
  for (const [kind = '', place = ''] of entries) {
    const type = kind.toUpperCase();
    if (type === 'DIRECT' && kinds.length === 0) return DIRECT;
    const scheme = type === 'PROXY' ? 'http' : type === 'HTTPS' ? 'https' : null;
    const proxy = scheme && readProxyAddress(`${scheme}://${place}`);
    if (proxy) return { kind: 'proxy', proxy };
    if (type !== '') kinds.push(type);
  }
  if (kinds.length === 0) return refused(`The system could not say which proxy to use. ${WAY_OUT}`);
  if (kinds.some((type) => type.startsWith('SOCKS')))
    return refused(`The system’s settings name a SOCKS proxy, which Espalier can’t use. ${WAY_OUT}`);
  return refused(`The system’s settings name a proxy that Espalier can’t use. ${WAY_OUT}`);
}

const refused = (detail: string): Route => ({ kind: 'refused', detail });

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
