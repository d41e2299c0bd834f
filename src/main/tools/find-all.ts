/**
 * Where a sequence occurs in another, overlaps included, in order (Knuth, Morris, Pratt): O(text + wanted) whatever they
 * hold. Built-in searches compare the whole of `wanted` at each place: 10 kB of one letter in 5 MB of it takes for ever.
 * Ends after `limit` places. `wanted` must not be empty.
 */
export function findAll<T>(text: ArrayLike<T>, wanted: ArrayLike<T>, limit = Infinity): number[] {
  const found: number[] = [];
  const shorter = borders(wanted);
  let matched = 0;
  for (let at = 0; at < text.length && found.length < limit; at += 1) {
    while (matched > 0 && text[at] !== wanted[matched]) matched = shorter[matched - 1] ?? 0;
    if (text[at] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    found.push(at - matched + 1);
    matched = shorter[matched - 1] ?? 0;
  }
  return found;
}

/** For each beginning of a sequence, how long its longest proper end is that is a beginning too. */
function borders<T>(wanted: ArrayLike<T>): Int32Array {
  const lengths = new Int32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = lengths[matched - 1] ?? 0;
    if (wanted[at] === wanted[matched]) matched += 1;
    lengths[at] = matched;
  }
  return lengths;
}

/** The UTF-16 code units of a text, to search in. */
export function codeUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}
