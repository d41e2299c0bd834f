import type { Span } from '@shared/search/words';

interface Line {
  text: string;
  marks: readonly Span[];
}

/** Characters before the first mark: a line of the narrowest pane has it in view. */
const MOST_BEFORE = 20;

/** An excerpt as one line that is cut at its end: it begins with a word shortly before what was found. O(marks). */
export function fromMark({ text, marks }: Line): Line {
  const first = marks[0]?.[0] ?? 0;
  if (first <= MOST_BEFORE) return { text, marks };
  const before = text.slice(first - MOST_BEFORE, first);
  // Of a word that is longer than that nothing is shown but what was found of it.
  const word = /(?<=\s)\S/.exec(before)?.index ?? MOST_BEFORE;
  const cut = first - MOST_BEFORE + word;
  return { text: `…${text.slice(cut)}`, marks: marks.map(([start, end]) => [start - cut + 1, end - cut + 1]) };
}
