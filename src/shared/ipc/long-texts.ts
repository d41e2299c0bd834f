/**
 * Requests with very long texts in them go to main, and from main to the providers, in parts: a message of eight pictures has
 * 40 MB, and to read or write it in one go would hold main up (docs/specs/safety.md A7).
 */
import { isRecord } from '../checks';

/** Texts from here on go in parts. Characters. */
const LONG_CHARS = 256 * 1024;
/** Characters of one part. */
const PART_CHARS = 1024 * 1024;
/** No request has a text deeper than this. */
const MAX_DEPTH = 8;

/** Where in a request a text belongs that came in parts. */
export interface TextPlace {
  id: string;
  path: (string | number)[];
}

export interface TextPart {
  id: string;
  text: string;
}

export interface TakenApart {
  /** The request with nothing in the place of its long texts. */
  rest: unknown;
  places: TextPlace[];
  texts: ReadonlyMap<string, string>;
}

/** Takes the long texts out of a request; null if it has none. O(values). */
export function takeApart(params: unknown, newId: () => string): TakenApart | null {
  if (!hasLong(params, 0)) return null;
  const places: TextPlace[] = [];
  const texts = new Map<string, string>();
  const without = (value: unknown, path: (string | number)[]): unknown => {
    if (typeof value === 'string' && value.length >= LONG_CHARS) {
      const id = newId();
      places.push({ id, path });
      texts.set(id, value);
      return '';
    }
    if (path.length >= MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item, at) => without(item, [...path, at]));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, without(item, [...path, key])]));
  };
  return { rest: without(params, []), places, texts };
}

/** Most requests have none and are left as they are. */
function hasLong(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length >= LONG_CHARS;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return false;
  return Object.values(value).some((item) => hasLong(item, depth + 1));
}

export function* partsOf({ texts }: TakenApart): Generator<TextPart, void, void> {
  for (const [id, text] of texts) {
    for (let from = 0; from < text.length; from += PART_CHARS) yield { id, text: text.slice(from, from + PART_CHARS) };
  }
}
