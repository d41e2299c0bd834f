import { isOf, type Target } from './target';
import { findIn, type Query, type Span } from '@shared/search/words';

/** Names of the highlights in `tokens.css`: all that was found, what of it is in the message that is shown, and where one is in that. */
const ALL = 'found';
const NOW = 'found-now';
const HERE = 'found-here';
/** Characters that are looked through in one task, those of the hit first. */
const MOST_CHARS = 150_000;
/** Elements whose text is one piece: what follows stands on another line. */
const BLOCKS = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, div, button, summary';

/**
 * Marks what is found in the rows that are drawn, without touching them (CSS Custom Highlight API). `now`: where the hit stands at which
 * the person is. Returns what of it is there, in order.
 */
export function markWords(transcript: Element, query: Query, now: Target | null): Range[] {
  const own = now ? textOf(now.row, MOST_CHARS, now) : { text: '', nodes: [] };
  const found = rangesIn(own, query);
  const all: Range[] = [];
  let left = MOST_CHARS - own.text.length;
  for (const row of transcript.querySelectorAll('[data-entry], [data-holds]')) {
    if (left <= 0) break;
    const text = textOf(row, left, null);
    left -= text.text.length;
    all.push(...rangesIn(text, query));
  }
  set(ALL, all, 0);
  set(NOW, found, 1);
  return found;
}

/** Marks the one place at which the person is. */
export function markHere(range: Range | undefined): void {
  set(HERE, range ? [range] : [], 2);
}

function set(name: string, ranges: readonly Range[], priority: number): void {
  const highlight = new Highlight(...ranges);
  highlight.priority = priority;
  CSS.highlights.set(name, highlight);
}

export function unmarkWords(): void {
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(NOW);
  CSS.highlights.delete(HERE);
}

/** Each word by itself: a message has all of them, one of its paragraphs need not. */
function rangesIn({ text, nodes }: RowText, query: Query): Range[] {
  const spans = query.groups.flatMap((group) => findIn(text, { ...query, groups: [group] }));
  spans.sort((a, b) => a[0] - b[0]);
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

function textOf(row: Element, most: number, target: Target | null): RowText {
  const nodes: Piece[] = [];
  let text = '';
  let block: Element | null = null;
  const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node && text.length < most; node = walk.nextNode()) {
    if (target && !isOf(target, node)) continue;
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
