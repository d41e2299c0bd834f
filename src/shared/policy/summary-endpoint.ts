/** Where a person's own summary endpoint may be (SU37): whole conversations go there, so never in the clear. */
import { isThisComputer } from './key-address';

const MAX_CHARS = 2000;

/**
 * Why an address can't be the endpoint, as the end of “it must be …”; null if it can, or if it is empty. A name or a key
 * inside the address is refused too: the settings file is not a place for secrets.
 */
export function refuseEndpoint(text: string): string | null {
  if (text === '') return null;
  const url = parse(text);
  if (!url || text.length > MAX_CHARS) return 'a full address, such as https://host/path';
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

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
