import { BlockList, isIP } from 'node:net';
import { isSocks, type ProxyAddress, readProxyAddress } from '@shared/policy/addresses';
import type { Settings } from '@shared/settings';

/**
 * Whether an address is reached without a proxy: this computer always, else as `NO_PROXY` says, a list of hosts (including subdomains),
 * `host:port`, addresses, ranges such as `10.0.0.0/8`, or `*`. Case and dots at the ends do not count. Pure.
 */
export function bypassesProxy(address: URL, rules: readonly string[]): boolean {
  const host = bare(address.hostname);
  if (isThisHost(host)) return true;
  const port = address.port || (address.protocol === 'https:' ? '443' : '80');
  return rules.some((rule) => matches(rule.trim().toLowerCase(), host, port));
}

/** The entries of a `NO_PROXY`. */
export function rulesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((rule) => rule !== '');
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return isInRange(rule, host);
  const withPort = /^(\[.+\]|[^:]+):(\d+)$/.exec(rule);
  if (withPort && withPort[2] !== port) return false;
  const wanted = bare((withPort?.[1] ?? rule).replace(/^\*?\./, ''));
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function isInRange(rule: string, host: string): boolean {
  const [base = '', bits = ''] = rule.split('/');
  const family = isIP(host);
  const width = Number(bits);
  if (family === 0 || isIP(bare(base)) !== family || !/^\d{1,3}$/.test(bits) || width > (family === 4 ? 32 : 128))
    return false;
  const range = new BlockList();
  const name = family === 4 ? 'ipv4' : 'ipv6';
  range.addSubnet(bare(base), width, name);
  return range.check(host, name);
}

function isThisHost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A host in lower case, without brackets and a dot at its end. */
const bare = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, '');

/** How long a request waits for the system's answer. Milliseconds, as below. */
const WAIT_MS = 3_000;
/** An answer that took longer was dear: it is kept for a while. One that comes at once is never kept, so that a change holds at once. */
const SLOW_MS = 1_000;
/** So long a slow answer is kept, or a question without an answer waited for, before it is asked anew. */
const KEPT_MS = 60_000;
const MAX_ORIGINS = 32;

interface Asked {
  at: number;
  /** The system has not answered yet. */
  isOpen: boolean;
  isSlow: boolean;
  answer: Promise<string>;
}

/**
 * What the system says of its proxy, with a bound: one that looks for it over the network, and hangs, costs the first request three
 * seconds and the next ones nothing.
 */
export class SystemProxy {
  private readonly asked = new Map<string, Asked>();

  /** @param ask as Chromium's `resolveProxy` */
  constructor(private readonly ask: (url: string) => Promise<string>) {}

  /** Such as `PROXY host:port; DIRECT`; null if nothing is said in time, an empty string if the system can't say. Never rejects. */
  async find({ href, origin }: URL): Promise<string | null> {
    const before = this.asked.get(origin);
    const isKept = before !== undefined && performance.now() - before.at < KEPT_MS && (before.isOpen || before.isSlow);
    const asked = isKept ? before : this.begin(href, origin);
    return asked.isOpen ? inTime(asked) : asked.answer;
  }

  private begin(href: string, origin: string): Asked {
    const at = performance.now();
    const answer = this.told(href);
    const asked: Asked = { at, isOpen: true, isSlow: false, answer };
    void answer.then(() => {
      asked.isOpen = false;
      asked.isSlow = performance.now() - at > SLOW_MS;
    });
    this.asked.delete(origin);
    this.asked.set(origin, asked);
    const [oldest] = this.asked.size > MAX_ORIGINS ? this.asked.keys() : [];
    if (oldest !== undefined) this.asked.delete(oldest);
    return asked;
  }

  private async told(href: string): Promise<string> {
    try {
      return await this.ask(href);
    } catch {
      return '';
    }
  }
}

async function inTime({ at, answer }: Asked): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, at + WAIT_MS - performance.now()));
  });
  const said = await Promise.race([answer, late]);
  clearTimeout(timer);
  return said;
}

/** How an address is reached. `refused`: not at all, since the proxy for it can't be used; nothing may go around it. */
export type Route = { kind: 'direct' } | { kind: 'proxy'; proxy: ProxyAddress } | { kind: 'refused'; detail: string };

/** Asks how an address is reached. Never rejects. */
export type FindRoute = (url: string) => Promise<Route>;

interface RouteParts {
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
