import { isThisComputer } from './keys';

/**
 * Which addresses can be a proxy (WN25), and how they are named to a person. Where a person's own summary endpoint may be (SU37): whole
 * conversations go there, so never in the clear. Pure.
 */

const MAX_PROXY_CHARS = 400;

/** A proxy as it is used. */
export interface ProxyAddress {
  /** With a name and password where it has them: never for a screen or a log. */
  href: string;
  /** Protocol, host and port. */
  shown: string;
}

/**
 * Reads an address such as `http://proxy.example:8080`, or `proxy.example:8080`, which means the same.
 * @returns null: it is none that can be used; SOCKS is told apart by `isSocks`
 */
export function readProxyAddress(text: string): ProxyAddress | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_PROXY_CHARS) return null;
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return null;
  return { href: url.href, shown: `${url.protocol}//${url.host}` };
}

/** Whether an address means a SOCKS proxy. */
export function isSocks(text: string): boolean {
  return /^\s*socks[45]?[ah]?:\/\//i.test(text);
}

/**
 * Why an address can't be the proxy that is set by hand, as the end of “it must be …”; null if it can, or if it is empty. The settings
 * file is not a place for secrets.
 */
export function refuseProxy(text: string): string | null {
  if (text === '') return null;
  if (isSocks(text)) return 'an HTTP proxy: SOCKS is not supported';
  const proxy = readProxyAddress(text);
  if (!proxy) return 'an address such as http://proxy.example:8080';
  const url = new URL(proxy.href);
  if (url.username !== '' || url.password !== '')
    return 'an address without a user name or password (set HTTPS_PROXY for a proxy that asks for one)';
  return null;
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const MAX_ENDPOINT_CHARS = 2000;

/**
 * Why an address can't be the endpoint, as the end of “it must be …”; null if it can, or if it is empty. A name or a key
 * inside the address is refused too: the settings file is not a place for secrets.
 */
export function refuseEndpoint(text: string): string | null {
  if (text === '') return null;
  const url = parse(text);
  if (!url || text.length > MAX_ENDPOINT_CHARS) return 'a full address, such as https://host/path';
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isThisComputer(text));
  if (!isSafe) return 'an https address (http is allowed only for localhost, 127.0.0.1 or [::1])';
  if (url.username !== '' || url.password !== '')
    return 'an address without a user name or password (add a key instead)';
  return null;
}

/** Host and port of an endpoint, for the person; empty if it is not an address. */
export function endpointHost(text: string): string {
  return parse(text)?.host ?? '';
}
