/** JSON with very long strings in it, written piece by piece: a message of eight pictures has 40 MB. */
import { randomUUID } from 'node:crypto';

/** Characters written before other work of the thread gets its turn: some 5 ms. */
const PIECE = 512 * 1024;
/** Strings from here on are written apart from the rest. Characters. */
const LARGE = 256 * 1024;

export function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LARGE;
}

const knownPieces = new WeakMap<object, readonly string[]>();

/**
 * Notes what a line was put together from. As one string it is a chain of its pieces, and the first look at a character copies all
 * of it in one go.
 */
export function notePieces(line: { readonly line: string }, pieces: readonly string[]): void {
  knownPieces.set(line, pieces);
}

/** A value's JSON with marks in place of its long strings. */
export interface SplitJson {
  skeleton: string;
  mark: string;
  long: readonly string[];
  /** The pieces of each of them. */
  pieces: readonly Iterable<string>[];
}

/** Throws what `JSON.stringify` throws. */
export function splitJson(value: unknown): SplitJson {
  const mark = randomUUID();
  const long: string[] = [];
  const pieces: Iterable<string>[] = [];
  const skeleton = JSON.stringify(value, function (this: object, key, inner: unknown) {
    if (!isLong(inner)) return inner;
    pieces.push((key === 'line' && knownPieces.get(this)) || piecesOf(inner));
    return `${mark}:${long.push(inner) - 1}`;
  });
  return { skeleton, mark, long, pieces };
}

/** The JSON as `JSON.stringify` gives it, in order. Who takes the pieces lets others work between them. */
export function* jsonPieces({ skeleton, mark, pieces }: SplitJson): Generator<string, void, void> {
  for (const [at, between] of skeleton.split(new RegExp(`"${mark}:\\d+"`)).entries()) {
    const text = pieces[at];
    yield (at === 0 ? '' : '"') + between + (text === undefined ? '' : '"');
    if (text !== undefined) for (const piece of text) yield JSON.stringify(piece).slice(1, -1);
  }
}

/** Never cut between the halves of a character. */
function* piecesOf(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last < 0xdc00) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}
