import { BlockList, isIP } from 'node:net';

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
