import { findIn, type Query, type Span } from '@shared/search/words';

/** Names of the highlights in `global.css`. */
const ALL = 'found';
const NOW = 'found-now';
/** Characters that are looked through in one task, the row of the hit first. */
const MOST_CHARS = 150_000;
/** Elements whose text is one piece: what follows stands on another line. */
const BLOCKS = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, div, button, summary';

/**
 * Marks what is found in the rows that are drawn, without touching them (CSS Custom Highlight API). `now`: the row of the hit at which
 * the person is. Resolves whether that row has any.
 */
export function markWords(transcript: Element, query: Query, now: Element | null): boolean {
  const all: Range[] = [];
  const here: Range[] = [];
  const rows = [...transcript.querySelectorAll('[data-entry]')].sort((a, b) => Number(b === now) - Number(a === now));
  let left = MOST_CHARS;
  for (const row of rows) {
    const found = textOf(row, left);
    left -= found.text.length;
    (row === now ? here : all).push(...rangesIn(found, query));
  }
  CSS.highlights.set(ALL, new Highlight(...all));
  const current = new Highlight(...here);
  current.priority = 1;
  CSS.highlights.set(NOW, current);
  return here.length > 0;
}

export function unmarkWords(): void {
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(NOW);
}

/** Each word by itself: a message has all of them, one of its paragraphs need not. */
function rangesIn({ text, nodes }: RowText, query: Query): Range[] {
  const spans = query.groups.flatMap((group) => findIn(text, { ...query, groups: [group] }));
  return spans.flatMap((span) => rangeOf(span, nodes));
}

interface Piece {
  node: Text;
  start: number;
}

interface RowText {
  text: string;
  nodes: Piece[];
}

function textOf(row: Element, most: number): RowText {
  const nodes: Piece[] = [];
  let text = '';
  let block: Element | null = null;
  const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node && text.length < most; node = walk.nextNode()) {
    const own = node.parentElement?.closest(BLOCKS) ?? row;
    if (own !== block) text += '\n';
    block = own;
    nodes.push({ node: node as Text, start: text.length });
    text += (node as Text).data;
  }
  return { text, nodes };
}

function rangeOf([start, end]: Span, nodes: readonly Piece[]): Range[] {
  const first = pieceAt(start, nodes);
  const last = pieceAt(end - 1, nodes);
  if (!first || !last) return [];
  const range = new Range();
  range.setStart(first.node, Math.min(first.node.length, start - first.start));
  range.setEnd(last.node, Math.min(last.node.length, end - last.start));
  return [range];
}

/** The piece in which a character stands. O(log pieces): one row can have tens of thousands of words. */
function pieceAt(at: number, nodes: readonly Piece[]): Piece | undefined {
  let [from, to] = [0, nodes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((nodes[middle]?.start ?? 0) <= at) from = middle + 1;
    else to = middle;
  }
  return nodes[from - 1];
}
