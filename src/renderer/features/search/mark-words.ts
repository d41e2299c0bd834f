import { findEachInSteps, type Query, type Span } from '@shared/search/words';

/** Where in the transcript an entry is drawn: that of a result stands in the row of its reply, below the call. */
export interface Target {
  entryId: string;
  row: Element;
}

/** Null: it is not drawn now. The card at the cut, which holds all summaries, comes before the lines that say when they were made. */
export function targetOf(transcript: Element, entryId: string): Target | null {
  const id = CSS.escape(entryId);
  const row =
    transcript.querySelector(`[data-holds~="${id}"]`) ??
    transcript.querySelector(`[data-entry="${id}"]`) ??
    transcript.querySelector(`[data-result="${id}"]`);
  return row && { entryId, row };
}

/** Whether a text of its row is of the entry: outputs in a reply's row are of their results, all else is of the reply. */
function isOf({ entryId, row }: Target, node: Node): boolean {
  const output = node.parentElement?.closest<HTMLElement>('[data-output]');
  if (output && row.contains(output)) return output.dataset.output === entryId;
  return !row.matches('[data-result]');
}

const FOLDS = 'button[aria-expanded="false"]:not([aria-haspopup])';
const REST = '[data-unfold]';

/** Opens what of the entry is folded (`isAll`), or only what is left out of a text that is drawn. Returns whether there was something. */
export function unfold({ entryId, row }: Target, isAll: boolean): boolean {
  const isResult = row.matches('[data-result]');
  let isOpened = false;
  for (const button of row.querySelectorAll<HTMLElement>(isAll ? `${FOLDS}, ${REST}` : REST)) {
    const owner = button.dataset.opens ?? button.closest<HTMLElement>('[data-output]')?.dataset.output;
    if (owner === undefined ? isResult : owner !== entryId) continue;
    button.click();
    isOpened = true;
  }
  return isOpened;
}

/** Names of the highlights in `tokens.css`: all that was found, what of it is in the message that is shown, and where one is in that. */
const ALL = 'found';
const NOW = 'found-now';
const HERE = 'found-here';
/** Characters that are looked through, those of the hit first. */
const MOST_CHARS = 150_000;
/** Elements whose text is one piece: what follows stands on another line. */
const BLOCKS = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote, div, button, summary';

/** Places of the hit, and others, that are marked: painting 20,000 takes a fifth of a second. */
const MOST_MARKS = 4_000;
/** Text nodes and places between two steps. */
const STEP = 500;

/**
 * Marks what is found in the rows that are drawn, without touching them (CSS Custom Highlight API), in steps of a few milliseconds. `now`:
 * where the hit stands at which the person is: what of it is there comes as soon as it is known, in order.
 */
export function* markWords(transcript: Element, query: Query, now: Target | null): Generator<Range[] | void, void> {
  const own = now ? yield* textOf(now.row, MOST_CHARS, now) : { text: '', nodes: [] };
  const found = yield* rangesIn(own, query, MOST_MARKS);
  set(NOW, found, 1);
  yield found;
  const all: Range[] = [];
  let left = MOST_CHARS - own.text.length;
  for (const row of transcript.querySelectorAll('[data-entry], [data-holds]')) {
    if (left <= 0 || all.length >= MOST_MARKS) break;
    const text = yield* textOf(row, left, null);
    left -= text.text.length;
    for (const range of yield* rangesIn(text, query, MOST_MARKS - all.length)) all.push(range);
  }
  set(ALL, all, 0);
}

/** Marks the one place at which the person is. */
export function markHere(range: Range | undefined): void {
  set(HERE, range ? [range] : [], 2);
}

function set(name: string, ranges: readonly Range[], priority: number): void {
  const highlight = new Highlight();
  for (const range of ranges) highlight.add(range);
  highlight.priority = priority;
  CSS.highlights.set(name, highlight);
}

export function unmarkWords(): void {
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(NOW);
  CSS.highlights.delete(HERE);
}

/** Each word by itself: a message has all of them, one of its paragraphs need not. */
function* rangesIn({ text, nodes }: RowText, query: Query, most: number): Generator<void, Range[]> {
  const ranges: Range[] = [];
  for (const [at, span] of (yield* findEachInSteps(text, query)).entries()) {
    if (ranges.length >= most) break;
    const range = rangeOf(span, nodes);
    if (range) ranges.push(range);
    if (at % STEP === STEP - 1) yield;
  }
  return ranges;
}

interface Piece {
  node: Text;
  start: number;
}

interface RowText {
  text: string;
  nodes: Piece[];
}

function* textOf(row: Element, most: number, target: Target | null): Generator<void, RowText> {
  const nodes: Piece[] = [];
  let text = '';
  let block: Element | null = null;
  const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let node = walk.nextNode(); node && text.length < most; node = walk.nextNode()) {
    if (++count % STEP === 0) yield;
    if (target && !isOf(target, node)) continue;
    const own = node.parentElement?.closest(BLOCKS) ?? row;
    if (own !== block) text += '\n';
    block = own;
    nodes.push({ node: node as Text, start: text.length });
    text += (node as Text).data;
  }
  return { text, nodes };
}

function rangeOf([start, end]: Span, nodes: readonly Piece[]): Range | null {
  const first = pieceAt(start, nodes);
  const last = pieceAt(end - 1, nodes);
  if (!first || !last) return null;
  const range = new Range();
  range.setStart(first.node, Math.min(first.node.length, start - first.start));
  range.setEnd(last.node, Math.min(last.node.length, end - last.start));
  return range;
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
