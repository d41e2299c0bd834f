/** Which error came of which request: what is done after all takes its error from the screen (GR25). */
import type { Client } from '../bridge';

/** What somebody did: a request with its parameters, or something of the window's own. */
export interface Deed {
  name: string;
  params: object;
}

/** The parameters that say what a request of a session is about are ids; the others say how, and may be others the next time. */
const ABOUT = /Ids?$/;

/** Whether the second is the first one once more. */
export function isSameDeed(first: Deed, second: Deed): boolean {
  if (first.name !== second.name) return false;
  const one = new Map(Object.entries(first.params));
  const other = new Map(Object.entries(second.params));
  const isSame = (name: string): boolean => JSON.stringify(one.get(name)) === JSON.stringify(other.get(name));
  // What is sent once more has an item of its own.
  const isAbout = (name: string): boolean =>
    ABOUT.test(name) && !(name === 'itemId' && first.name === 'session.prompt');
  if (one.has('sessionId')) return [...one.keys(), ...other.keys()].filter(isAbout).every(isSame);
  if (first.name === 'settings.set') return isSame('key');
  return JSON.stringify(first.params) === JSON.stringify(second.params);
}

/** The client, with `onDone` called for each request that was carried out, and the request that an error came of. */
export function watchRequests(given: Client, onDone: (deed: Deed) => void) {
  const failed = new WeakMap<object, Deed>();
  const request: Client['request'] = (name, params) => {
    const answer = given.request(name, params);
    const fail = (cause: unknown): void => {
      if (typeof cause === 'object' && cause !== null) failed.set(cause, { name, params });
    };
    answer.then(() => onDone({ name, params }), fail);
    return answer;
  };
  const deedOf = (cause: unknown): Deed | undefined =>
    typeof cause === 'object' && cause !== null ? failed.get(cause) : undefined;
  return { client: { ...given, request }, deedOf };
}
