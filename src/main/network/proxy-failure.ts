import type { ProxyAddress } from '@shared/policy/proxy-address';

const AUTHENTICATION = 'PROXY_AUTHENTICATION';

/** The beginning of what is said of every one of them. */
export const PROXY_FAILED = 'The connection through the proxy could not be made.';

/** Why a request did not come through a proxy, which is named without its password (WN25): a code, and a sentence behind the first. */
export function proxyFailure(error: unknown, proxy: ProxyAddress): { code: string | undefined; more: string } {
  // What undici says of a proxy that did not open a tunnel, or let nobody in.
  const status = /^Proxy .{1,40} \((\d{3})\)/.exec(causeOf(error))?.[1];
  const code = status === '407' ? AUTHENTICATION : status === undefined ? readErrorCode(error) : `HTTP_${status}`;
  return { code, more: proxyWords(proxy, code) };
}

/** The same for a proxy that wants to know who asks, and said so in an answer. */
export function refusedByProxy(proxy: ProxyAddress): { code: string; more: string } {
  return { code: AUTHENTICATION, more: proxyWords(proxy, AUTHENTICATION) };
}

function proxyWords({ shown }: ProxyAddress, code: string | undefined): string {
  if (code === AUTHENTICATION) return `${shown} asks for a name and a password: set HTTPS_PROXY with both.`;
  return `It is ${shown}${code ? ` (${code})` : ''}.`;
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
