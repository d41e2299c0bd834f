/** Two texts word by word, in bounded time whatever they are (GR14). Pure. */

/** A stretch of words; `same` in both, else on one side alone. */
export interface WordPiece {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Longer texts are compared as far as this; the rest is one piece on each side. Characters. */
const MAX_CHARS = 200_000;
/** Cells of all small tables together, and of one: what repeats itself without end is not looked at word by word. */
const MAX_CELLS = 2_000_000;
const MAX_TABLE = 100_000;
/** Words that are looked at between two rests: a few milliseconds on a slow machine. */
const STEP = 4000;

/** Work that rests now and then. */
type Work<T> = Generator<void, T>;

interface Range {
  a: number;
  aEnd: number;
  b: number;
  bEnd: number;
}

/**
 * How one text became the other: words that stand once on each side are anchors, between them the longest common words are found where
 * that is cheap. It rests between pieces of its work. The pieces without `added` are the first text, those without `removed` the second.
 * O(n log n) and a bounded table.
 */
export function* diffWordsInSteps(before: string, after: string): Work<WordPiece[]> {
  const a = yield* wordsOf(before.slice(0, MAX_CHARS));
  const b = yield* wordsOf(after.slice(0, MAX_CHARS));
  const isKept = [new Uint8Array(a.length), new Uint8Array(b.length)] as const;
  const budget = { cells: MAX_CELLS };
  const ready: Range[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  let left = STEP;
  for (let range = ready.pop(); range; range = ready.pop()) {
    const middle = trimmed(a, b, range, isKept);
    left -= range.aEnd - range.a;
    if (left < 0) {
      left = STEP;
      yield;
    }
    if (middle.a === middle.aEnd || middle.b === middle.bEnd) continue;
    const anchors = yield* anchorsOf(a, b, middle);
    if (anchors.length === 0) {
      if (alignSmall(a, b, middle, isKept, budget)) yield;
      continue;
    }
    let { a: fromA, b: fromB } = middle;
    for (const [atA, atB] of anchors) {
      isKept[0][atA] = isKept[1][atB] = 1;
      ready.push({ a: fromA, aEnd: atA, b: fromB, bEnd: atB });
      [fromA, fromB] = [atA + 1, atB + 1];
    }
    ready.push({ a: fromA, aEnd: middle.aEnd, b: fromB, bEnd: middle.bEnd });
  }
  yield;
  return piecesOf([a, b], isKept, [before.slice(MAX_CHARS), after.slice(MAX_CHARS)]);
}

/** Words, runs of blanks, and each other sign by itself. */
function* wordsOf(text: string): Work<string[]> {
  const words: string[] = [];
  const pattern = /[\p{L}\p{M}\p{N}_]+|\s+|[\s\S]/gu;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    words.push(found[0]);
    if (words.length % STEP === 0) yield;
  }
  return words;
}

type Kept = readonly [Uint8Array, Uint8Array];

/** Marks what both sides of a range begin and end with; what is left between. */
function trimmed(a: readonly string[], b: readonly string[], range: Range, kept: Kept): Range {
  let { a: fromA, aEnd, b: fromB, bEnd } = range;
  while (fromA < aEnd && fromB < bEnd && a[fromA] === b[fromB]) kept[0][fromA++] = kept[1][fromB++] = 1;
  while (fromA < aEnd && fromB < bEnd && a[aEnd - 1] === b[bEnd - 1]) kept[0][--aEnd] = kept[1][--bEnd] = 1;
  return { a: fromA, aEnd, b: fromB, bEnd };
}

/** Words that stand exactly once on each side of a range, as many as keep their order: the longest rising row of their places. */
function* anchorsOf(a: readonly string[], b: readonly string[], range: Range): Work<[number, number][]> {
  const places = new Map<string, { a: number; b: number }>();
  for (let at = range.a; at < range.aEnd; at++) {
    const known = places.get(a[at] as string);
    if (known) known.a = -2;
    else places.set(a[at] as string, { a: at, b: -1 });
    if ((at - range.a) % STEP === STEP - 1) yield;
  }
  for (let at = range.b; at < range.bEnd; at++) {
    const known = places.get(b[at] as string);
    if (known) known.b = known.b === -1 ? at : -2;
    if ((at - range.b) % STEP === STEP - 1) yield;
  }
  const once = [...places.values()].filter((place) => place.a >= 0 && place.b >= 0);
  const row = yield* rising(once);
  return row.map((place) => [place.a, place.b]);
}

/** The longest row of places whose `b` rises; they come with rising `a`. */
function* rising(places: readonly { a: number; b: number }[]): Work<{ a: number; b: number }[]> {
  const ends: number[] = [];
  const before = new Int32Array(places.length);
  for (const [at, { b }] of places.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[ends[middle] as number] as { b: number }).b < b) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
    if (at % STEP === STEP - 1) yield;
  }
  const row: { a: number; b: number }[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) row.push(places[at] as { a: number; b: number });
  return row.reverse();
}

/** Marks the longest common words of a range without anchors, where its table is small enough. True if it was. */
function alignSmall(
  a: readonly string[],
  b: readonly string[],
  range: Range,
  kept: Kept,
  budget: { cells: number },
): boolean {
  const [rows, columns] = [range.aEnd - range.a, range.bEnd - range.b];
  const cells = (rows + 1) * (columns + 1);
  if (cells > MAX_TABLE || cells > budget.cells) return false;
  budget.cells -= cells;
  const table = new Uint16Array(cells);
  const width = columns + 1;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const at = row * width + column;
      table[at] =
        a[range.a + row] === b[range.b + column]
          ? (table[at + width + 1] as number) + 1
          : Math.max(table[at + width] as number, table[at + 1] as number);
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns;) {
    const at = row * width + column;
    if (a[range.a + row] === b[range.b + column]) kept[0][range.a + row++] = kept[1][range.b + column++] = 1;
    else if ((table[at + width] as number) >= (table[at + 1] as number)) row++;
    else column++;
  }
  return cells > MAX_TABLE / 10;
}

function piecesOf(
  [a, b]: readonly [readonly string[], readonly string[]],
  [keptA, keptB]: Kept,
  [restA, restB]: readonly [string, string],
): WordPiece[] {
  const pieces: WordPiece[] = [];
  const add = (kind: WordPiece['kind'], words: readonly string[]): void => {
    const text = words.join('');
    if (text !== '') pieces.push({ kind, text });
  };
  let [atA, atB] = [0, 0];
  while (atA < a.length || atB < b.length) {
    const [fromA, fromB] = [atA, atB];
    while (atA < a.length && keptA[atA] === 0) atA++;
    while (atB < b.length && keptB[atB] === 0) atB++;
    add('removed', a.slice(fromA, atA));
    add('added', b.slice(fromB, atB));
    const same = atA;
    while (atA < a.length && atB < b.length && keptA[atA] === 1 && keptB[atB] === 1) [atA, atB] = [atA + 1, atB + 1];
    add('same', a.slice(same, atA));
  }
  if (restA === restB) add('same', [restA]);
  else {
    add('removed', [restA]);
    add('added', [restB]);
  }
  return pieces;
}
