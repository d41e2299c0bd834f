import { z } from 'zod';
import { ENDPOINT } from '@shared/ipc/endpoint-schema';
import type { FindKnown } from '@shared/known-models';
import type { EndpointDraft } from '@shared/types';
import { isRecord } from '@shared/checks';
import { readOwnFile, type Parsed } from '../own-files/own-file';
import { saveOwnFile } from '../own-files/write-own';
import { isSecretHeader, originOf } from '@shared/policy/keys';
import type { Credentials } from './credentials';
import type { Api, Model } from '../pi/pi-types';

/** A bad endpoint: the message says which field and why. */
class EndpointError extends Error {
  override name = 'EndpointError';
}

/** Custom endpoints and the windows learned from overflow texts (TK8), in one JSON file. */
export interface EndpointBook {
  all(): readonly EndpointDraft[];
  get(id: string): EndpointDraft | undefined;
  /** With header values that look like secrets filled in from the credentials, if they were given for this address. */
  headers(id: string): Record<string, string>;
  /** Names of headers whose value is not here any more. */
  missingHeaders(id: string): string[];
  /** The address that its secret headers are for, if it has any. */
  headersAddress(id: string): string | undefined;
  /** Lets its secret headers go to another address. */
  readdressHeaders(id: string, address: string): Promise<void>;
  /**
   * Keeps the endpoint, then what `keepKeys` keeps among the keys, then its secret headers: each goes to its own address, so whatever a crash
   * leaves of that, nothing is lost and nothing goes elsewhere. Rejects with a sentence, and all is as it was.
   */
  save(endpoint: EndpointDraft, keepKeys?: () => Promise<void>): Promise<void>;
  remove(id: string): Promise<void>;
  /** The window learned for `provider/model`, while it holds. */
  learned(key: string): LearnedWindow | undefined;
  learn(key: string, tokens: number): Promise<void>;
  /** Nothing is known any more of the window of `provider/model`. */
  forget(key: string): Promise<void>;
  readonly problems: readonly string[];
}

/** A window that an overflow text told of. */
interface LearnedWindow {
  /** Tokens. */
  tokens: number;
  /** Unix milliseconds. */
  at: number;
}

interface BookFile {
  endpoints: EndpointDraft[];
  learnedWindows: Record<string, number>;
  /** When each was learned, Unix milliseconds: beside them, so that an earlier Espalier still reads the file. */
  learnedAt: Record<string, number>;
}

/** A server changes: what one of its errors said holds for a week (TK8). Milliseconds. */
const LEARNED_FOR_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Checks what a form can get wrong; throws `EndpointError` with the field and the reason. Returns the tidy form.
 * @param needsModels false for a test, which is how one learns what models there are
 */
export function checkEndpoint(draft: EndpointDraft, taken: (id: string) => boolean, needsModels = true): EndpointDraft {
  if (taken(draft.id))
    throw new EndpointError(`The name “${draft.id}” belongs to a built-in provider. Choose another.`);
  let url: URL;
  try {
    url = new URL(draft.baseUrl.trim());
  } catch {
    throw new EndpointError('The base URL is not an address. Enter one like https://host/v1.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new EndpointError('The base URL must start with https:// or http://.');
  if (url.username !== '' || url.password !== '')
    throw new EndpointError('Put the key into the key field, not into the base URL.');
  if (needsModels && draft.models.length === 0) throw new EndpointError('Add at least one model.');
  const ids = new Set<string>();
  for (const model of draft.models) {
    if (ids.has(model.id)) throw new EndpointError(`The model “${model.id}” is listed twice.`);
    ids.add(model.id);
    if (model.contextWindow > 0 && model.maxTokens > model.contextWindow) {
      throw new EndpointError(`“${model.id}”: the output limit can’t be larger than the context window.`);
    }
  }
  for (const name of Object.keys(draft.headers)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw new EndpointError(`“${name}” is not a header name.`);
  }
  return { ...draft, baseUrl: url.href.replace(/\/+$/, '') };
}

/**
 * The endpoint's models in pi-ai's shape. Of one whose id is known (MT3) the price is taken over, and where its window was left empty
 * window and images too; a window that the person entered says that they know this server, so its images are as ticked.
 */
export function modelsOfEndpoint(endpoint: EndpointDraft, findKnown: FindKnown<Model<Api>>): Model<Api>[] {
  return endpoint.models.map((model) => {
    const known = findKnown(model.id);
    const isOpen = model.contextWindow === 0;
    const contextWindow = isOpen ? (known?.contextWindow ?? 0) : model.contextWindow;
    const images = model.images || (isOpen && known?.input.includes('image'));
    return {
      id: model.id,
      name: model.name && model.name !== '' ? model.name : model.id,
      api: endpoint.api,
      provider: endpoint.id,
      baseUrl: endpoint.baseUrl,
      reasoning: model.reasoning,
      input: images ? ['text', 'image'] : ['text'],
      cost: { ...(known?.cost ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }) },
      contextWindow,
      maxTokens: contextWindow > 0 ? Math.min(model.maxTokens, contextWindow) : model.maxTokens,
    };
  });
}

/** Opens the book. What of the file can't be used is kept beside it, never overwritten. */
export async function openEndpoints(
  file: string,
  credentials: Credentials,
  now: () => number = Date.now,
): Promise<EndpointBook> {
  const empty = (): BookFile => ({ endpoints: [], learnedWindows: {}, learnedAt: {} });
  const {
    value: book,
    problems,
    mayReplace,
  } = await readOwnFile(file, {
    ...{ name: 'The saved endpoints', parse, empty },
    ...{ remedy: 'Set them up again in Settings.', meanwhile: 'None is used until they can be read.' },
  });
  let writing: Promise<void> = Promise.resolve();
  const save = (change: (next: BookFile) => void): Promise<void> => {
    const done = writing.then(async () => {
      const next: BookFile = {
        endpoints: [...book.endpoints],
        learnedWindows: { ...book.learnedWindows },
        learnedAt: { ...book.learnedAt },
      };
      change(next);
      await mayReplace();
      await saveOwnFile(file, `${JSON.stringify(next, null, 2)}\n`);
      Object.assign(book, next);
    });
    writing = done.catch(() => undefined);
    return done;
  };
  // Windows from before their time was kept count from now, and are told so at once: else each start would begin again.
  const undated = Object.keys(book.learnedWindows).filter((key) => !isTime(book.learnedAt[key], now()));
  for (const key of undated) book.learnedAt[key] = now();
  if (undated.length > 0) void save(() => undefined).catch(() => undefined);
  const learned = (key: string): LearnedWindow | undefined => {
    const tokens = Object.hasOwn(book.learnedWindows, key) ? book.learnedWindows[key] : undefined;
    const at = book.learnedAt[key] ?? 0;
    return tokens !== undefined && now() - at < LEARNED_FOR_MS ? { tokens, at } : undefined;
  };
  const find = (id: string): EndpointDraft | undefined => book.endpoints.find((endpoint) => endpoint.id === id);
  const secretHeaders = (id: string, baseUrl: string): Record<string, string> =>
    headersIn(credentials.get(secretName(id), originOf(baseUrl) ?? ''));

  return {
    problems,
    all: () => book.endpoints,
    get: find,
    headers: (id) => {
      const endpoint = find(id);
      return endpoint ? filled({ ...endpoint.headers, ...secretHeaders(id, endpoint.baseUrl) }) : {};
    },
    missingHeaders: (id) => {
      const endpoint = find(id);
      const held = endpoint ? secretHeaders(id, endpoint.baseUrl) : {};
      return Object.entries(endpoint?.headers ?? {}).flatMap(([name, value]) =>
        value === '' && !Object.hasOwn(held, name) ? [name] : [],
      );
    },
    headersAddress: (id) => credentials.addressOf(secretName(id)),
    readdressHeaders: (id, address) => credentials.readdress(secretName(id), address),
    save: async (endpoint, keepKeys = () => Promise.resolve()) => {
      const { id, baseUrl, headers } = endpoint;
      const before = book.endpoints;
      const kept = { ...endpoint, headers: splitHeaders(headers, {}).open };
      const putKeysBack = credentials.remember(id, secretName(id));
      await save((next) => {
        next.endpoints = [...next.endpoints.filter((one) => one.id !== id), kept];
      });
      try {
        await keepKeys();
        const { secret } = splitHeaders(headers, secretHeaders(id, baseUrl));
        if (Object.keys(secret).length > 0)
          await keepHeaders(credentials, secretName(id), secret, originOf(baseUrl) ?? '');
        else await credentials.remove(secretName(id));
      } catch (error) {
        const back = await Promise.allSettled([putKeysBack(), save((next) => putBack(next, kept, before))]);
        if (back.every(({ status }) => status === 'fulfilled')) throw error;
        const { message } = error as Error;
        throw new RangeError(`${message} Only part of it was saved. Check this endpoint and its key.`, {
          cause: error,
        });
      }
    },
    remove: async (id) => {
      await save((next) => {
        next.endpoints = next.endpoints.filter((endpoint) => endpoint.id !== id);
      });
      await credentials.remove(id, secretName(id));
    },
    learned,
    learn: (key, tokens) => {
      const at = now();
      const put = (into: BookFile): void => {
        into.learnedWindows[key] = tokens;
        into.learnedAt[key] = at;
      };
      // Before it is on disk: the compaction that the overflow asks for begins now, and must fit.
      put(book);
      return save(put);
    },
    forget: (key) =>
      save((next) => {
        Reflect.deleteProperty(next.learnedWindows, key);
        Reflect.deleteProperty(next.learnedAt, key);
      }),
  };
}

const HEADERS_PREFIX = 'endpoint-headers:';

/** The name under which the secret headers of an endpoint are kept. */
function secretName(id: string): string {
  return HEADERS_PREFIX + id;
}

/** The endpoint whose secret headers are kept under a name; undefined for the name of a key. */
export function headersOwner(name: string): string | undefined {
  return name.startsWith(HEADERS_PREFIX) ? name.slice(HEADERS_PREFIX.length) : undefined;
}

/** Headers as they are kept among the keys; none of what is none. */
function headersIn(text: string | undefined): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

/** An empty value of a secret header means: as it was. The form never gets the secret back to show it. */
function splitHeaders(
  headers: Record<string, string>,
  before: Record<string, string>,
): { open: Record<string, string>; secret: Record<string, string> } {
  const open: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!isSecretHeader(name, value)) open[name] = value;
    else {
      open[name] = '';
      const kept = value === '' ? before[name] : value;
      if (kept !== undefined) secret[name] = kept;
    }
  }
  return { open, secret };
}

/** The endpoint as it was `before`, or none, unless it was changed again meanwhile. */
function putBack(book: BookFile, saved: EndpointDraft, before: readonly EndpointDraft[]): void {
  if (!book.endpoints.includes(saved)) return;
  const others = book.endpoints.filter((endpoint) => endpoint !== saved);
  const place = before.findIndex(({ id }) => id === saved.id);
  const was = before[place];
  book.endpoints = was ? [...others.slice(0, place), was, ...others.slice(place)] : others;
}

/** Without the empty ones, whose value is not here. */
export function filled(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

async function keepHeaders(
  credentials: Credentials,
  name: string,
  headers: Record<string, string>,
  address: string,
): Promise<void> {
  const text = JSON.stringify(headers);
  await credentials.set(name, text, 'encrypted', address).catch(() => credentials.set(name, text, 'session', address));
}

/** Each endpoint by itself: one that is none costs no other. */
function parse(json: unknown): Parsed<BookFile> {
  const { endpoints, learnedWindows, learnedAt } = FILE.parse(json);
  const bad: string[] = [];
  const good = new Map<string, EndpointDraft>();
  for (const [index, stored] of endpoints.entries()) {
    const endpoint = readEndpoint(stored);
    if (endpoint && !good.has(endpoint.id)) good.set(endpoint.id, endpoint);
    else bad.push(`the endpoint ${nameOf(stored) ?? index + 1}`);
  }
  const windows = Object.entries(learnedWindows).filter((entry): entry is [string, number] => isWindow(entry[1]));
  const lost = Object.keys(learnedWindows).length - windows.length;
  if (lost > 0) bad.push(lost === 1 ? 'one learned window' : `${lost} learned windows`);
  // A time that is none is as good as none: the window counts from now.
  const times = Object.entries(learnedAt).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const value = {
    endpoints: [...good.values()],
    learnedWindows: Object.fromEntries(windows),
    learnedAt: Object.fromEntries(times),
  };
  return { value, bad, kept: value };
}

const FILE = z.object({
  endpoints: z.array(z.unknown()).default([]),
  learnedWindows: z.record(z.string(), z.unknown()).default({}),
  learnedAt: z.record(z.string(), z.unknown()).catch({}).default({}),
});

/** Null for what no form could have saved. */
function readEndpoint(stored: unknown): EndpointDraft | null {
  const draft = ENDPOINT.safeParse(stored);
  if (!draft.success) return null;
  try {
    return checkEndpoint(draft.data, () => false, false);
  } catch {
    return null;
  }
}

function nameOf(stored: unknown): string | undefined {
  const name = isRecord(stored) ? (stored.name ?? stored.id) : undefined;
  return typeof name === 'string' && name !== '' ? `“${name.slice(0, 80)}”` : undefined;
}

/** A clock that was set back must not make a window last for years. */
function isTime(at: number | undefined, now: number): at is number {
  return at !== undefined && at > 0 && at <= now + LEARNED_FOR_MS;
}

function isWindow(tokens: unknown): boolean {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0;
}
