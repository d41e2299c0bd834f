import type { TextPlace } from '@shared/ipc/long-texts';
import { isRecord } from '@shared/checks';

/** More than any request has: a page that sends more is not ours. Characters. */
const MOST_CHARS = 128 * 1024 * 1024;
const MAX_ID_CHARS = 100;

/**
 * Long texts that come in parts, until the request comes that they belong to (`shared/ipc/long-texts.ts`). It stands at the
 * channels of main before the services are there, so it needs no schema library.
 */
export class TextParts {
  readonly #texts = new Map<string, string>();
  #chars = 0;

  constructor(private readonly mostChars = MOST_CHARS) {}

  /** @throws Error if it is not a part or too much */
  take(input: unknown): void {
    const { id, text } = isRecord(input) ? input : {};
    if (typeof id !== 'string' || id.length > MAX_ID_CHARS || typeof text !== 'string')
      throw new Error('That is not a part of a request.');
    if (this.#chars + text.length > this.mostChars) {
      this.clear();
      throw new Error('The request is too large.');
    }
    this.#chars += text.length;
    // As a chain of parts: whoever looks at its characters first makes one text of it.
    this.#texts.set(id, (this.#texts.get(id) ?? '') + text);
  }

  /** The request with its long texts in their places, each of them once. @throws Error if one of them is not there */
  putBack(params: unknown, places: unknown): unknown {
    if (places === undefined) return params;
    for (const place of Array.isArray(places) ? places : [places]) {
      const { id, path } = (isRecord(place) ? place : {}) as Partial<TextPlace>;
      const text = typeof id === 'string' ? this.#texts.get(id) : undefined;
      if (id === undefined || text === undefined || !Array.isArray(path) || !put(params, path, text))
        throw new Error('A part of the request is missing.');
      this.#texts.delete(id);
      this.#chars -= text.length;
    }
    return params;
  }

  /** The page that they came from is gone. */
  clear(): void {
    this.#texts.clear();
    this.#chars = 0;
  }
}

function put(params: unknown, path: TextPlace['path'], text: string): boolean {
  if (path.length === 0) return false;
  let at: unknown = params;
  for (const [depth, key] of path.entries()) {
    if (!(isRecord(at) || Array.isArray(at)) || !Object.hasOwn(at, key)) return false;
    const holder = at as Record<string | number, unknown>;
    if (depth < path.length - 1) at = holder[key];
    else if (holder[key] !== '') return false;
    else holder[key] = text;
  }
  return true;
}
