import type { Client } from '../bridge';
import type { RequestName, RequestParams, RequestResult } from '@shared/ipc/contract';

/** Which error came of which request: what is done after all takes its error from the screen (GR25). */

/** What somebody did: a request, or something of the window's own. It stays with its error, so it holds no more than what tells it apart. */
export interface Deed {
  name: string;
  /** What it is about, as JSON. */
  about: string;
  /** Its place among all requests; absent: it was none. */
  nr?: number;
}

/** The parameters that say what a request is about are ids; the others say how, and may be others the next time. */
const ABOUT = /^(?:id|ids|.*Ids?)$/;
/** What else says it, by request. Nothing that may hold a key. */
const ALSO = new Map<string, readonly string[]>(
  Object.entries({
    'app.showInFolder': ['what'],
    'models.forgetWindow': ['provider'],
    'providers.keySource': ['provider'],
    'providers.removeKey': ['provider'],
    'providers.setKey': ['provider'],
    'sessions.import': ['file'],
    'settings.reset': ['key'],
    'settings.set': ['key'],
  } satisfies { [N in RequestName]?: readonly (keyof RequestParams<N>)[] }),
);

/** What a request, or something of the window's own under such a name, is about. */
export function deedOf(name: string, params: object): Deed {
  const also = ALSO.get(name) ?? [];
  // What is sent once more has an item of its own.
  const isAbout = (key: string): boolean =>
    also.includes(key) || (ABOUT.test(key) && !(key === 'itemId' && name === 'session.prompt'));
  const about = Object.entries(params).filter(([key, value]) => value !== undefined && isAbout(key));
  // A link may hold a key behind its path, and a name before its host.
  if (name === 'app.openExternal' && 'url' in params) about.push(['url', placeOf(String(params.url))]);
  // The one part of a request with an id of its own.
  if ('endpoint' in params) about.push(['endpoint', idOf(params.endpoint)]);
  return { name, about: JSON.stringify(about.sort(([one], [other]) => (one < other ? -1 : 1))) };
}

function placeOf(url: string): string {
  return url.replace(/[?#].*$/su, '').replace(/\/\/[^/]*@/, '//');
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
}

/** The session in which a deed was done; undefined: none, or the list of sessions, where it is told wherever one is. */
export function sessionOf({ name, about }: Deed): string | undefined {
  if (!/^(?:session|queue|approvals|entries)\./.test(name)) return undefined;
  const [, id] = (JSON.parse(about) as [string, unknown][]).find(([key]) => key === 'sessionId') ?? [];
  return typeof id === 'string' ? id : undefined;
}

/** Whether the second is the first one once more. */
export function isSameDeed(first: Deed, second: Deed): boolean {
  return first.name === second.name && first.about === second.about;
}

/** Answers with which nothing is done, though nothing failed: the person cancelled it, or it has only begun. */
const NOT_DONE: { [N in RequestName]?: (answer: RequestResult<N>) => boolean } = {
  'app.openExternal': ({ opened }) => !opened,
  'endpoints.test': ({ ok }) => !ok,
  'session.bringOver': ({ cancelled }) => cancelled,
  // How they end comes as `job_end`.
  'session.compact': () => true,
  'session.compactAgain': () => true,
  'session.go': (answer) => answer.kind === 'question' || (answer.kind === 'done' && answer.cancelled),
  'session.handoff': (made) => made === null,
  'sessions.chooseImport': ({ files }) => files.length === 0,
  'sessions.chooseWorkspace': ({ path }) => path === null,
  'sessions.deleteForGood': ({ deleted }) => !deleted,
  'sessions.export': ({ path }) => path === null,
  'trust.trustKnown': ({ count }) => count === 0,
  'workspace.review': ({ trusted }) => !trusted,
};

/** Whether what was done takes the error of another deed from the screen: it was begun after that one. */
export function makesUpFor(done: Deed, failed: Deed): boolean {
  return isSameDeed(done, failed) && (done.nr === undefined || failed.nr === undefined || done.nr > failed.nr);
}

/** The client, with `onDone` called for each request that was carried out, and the request that an error came of. */
export function watchRequests(given: Client, onDone: (deed: Deed) => void) {
  const failed = new WeakMap<object, Deed>();
  let count = 0;
  const request: Client['request'] = (name, params) => {
    const answer = given.request(name, params);
    const deed = { ...deedOf(name, params), nr: (count += 1) };
    const succeed = (result: RequestResult<typeof name>): void => {
      if (NOT_DONE[name]?.(result) !== true) onDone(deed);
    };
    const fail = (cause: unknown): void => {
      if (typeof cause === 'object' && cause !== null) failed.set(cause, deed);
    };
    answer.then(succeed, fail);
    return answer;
  };
  const deedBehind = (cause: unknown): Deed | undefined =>
    typeof cause === 'object' && cause !== null ? failed.get(cause) : undefined;
  return { client: { ...given, request }, deedBehind };
}

/** What fails in the window: told to main's log, and put into words that a person can pass on. */

/** Reports a window sends in its life: what fails in each frame must not fill the log. */
const MAX_REPORTS = 50;
const MAX_CHARACTERS = 6_000;

export type ReportFault = (where: string, error: unknown, componentStack?: string) => void;

/** Sends failures to main's log. It never throws and tells each of them once. */
export function createFaultReporter(client: Client): ReportFault {
  const told = new Set<string>();
  return (where, error, componentStack = '') => {
    const text = placesOf(error, componentStack);
    const key = `${where}\n${text}`;
    if (told.has(key) || told.size >= MAX_REPORTS) return;
    told.add(key);
    client.request('app.reportFault', { where: where.slice(0, 80), text }).catch(() => undefined);
  };
}

/** The kind of an error and where it came from. Its message is left out: it can quote what somebody wrote. */
function placesOf(error: unknown, componentStack: string): string {
  const name = error instanceof Error ? error.name : typeof error;
  return `${name}\n${framesOf(error)}${componentStack}`.slice(0, MAX_CHARACTERS);
}

/** A description for a bug report, with the error's own message. */
export function describeFault(where: string, error: unknown, version: string): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `Espalier ${version}: ${where} could not be drawn\n${message}\n${framesOf(error)}`.slice(0, MAX_CHARACTERS);
}

function framesOf(error: unknown): string {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length > 0 ? `${frames.slice(0, 12).join('\n')}\n` : '';
}
