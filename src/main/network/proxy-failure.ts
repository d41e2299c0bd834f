import type { ProxyAddress } from '@shared/policy/proxy-address';

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
