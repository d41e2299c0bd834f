/** Which addresses a key may go to (docs/specs/safety.md C4): one origin for each key, and never in the clear without a yes. */

/** Stands for the address of a provider whose addresses come with the app. */
export const BUILT_IN = 'built-in';

/** Stands for the address of a key that was kept without one, where none was saved that it could be for: no request goes there. */
export const UNKNOWN_ADDRESS = 'unknown';

const THIS_COMPUTER = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Scheme, host and port of a web address; undefined for anything else. */
export function originOf(address: string): string | undefined {
  const url = parse(address);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.origin : undefined;
}

/** Whether an address is on this computer, where nobody else can listen on the way. */
export function isThisComputer(address: string): boolean {
  return THIS_COMPUTER.test(parse(address)?.hostname ?? '');
}

/** Whether what is sent to an origin can be read on the way. */
export function isInTheClear(origin: string): boolean {
  return origin.startsWith('http://') && !isThisComputer(origin);
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address.trim());
  } catch {
    return undefined;
  }
}
