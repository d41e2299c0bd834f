import type { Links, Token } from 'marked';
import { fitToken } from './fit-tokens';
import { lexMarkdown, type LexResult } from './lex';
import { closeOpenInline, closingFence, fenceToken, type OpenFence, openingFence } from './open-ends';

/** One block of a message. The object is the same from one update to the next as long as nothing in it changed. */
export interface Block {
  token: Token;
  /** No later text can change it: it may be highlighted, drawn, kept. */
  frozen: boolean;
}

/**
 * How many blocks at the end stay open. A lone `2` after a list may yet become its next item, and a lone `-` looks like
 * the underline of a heading and so parts the paragraph above it, until an item follows: three.
 */
const OPEN_BLOCKS = 3;

/** Characters and lines that are lexed at once; what is open longer than this is parted where it does least harm. */
const MAX_TAIL = 8_000;
const MAX_TAIL_LINES = 250;
/** Definitions of links that are remembered: they are handed on with each slice. */
const MAX_LINKS = 1_000;
/** In longer texts a definition does not reach links before it. */
const MAX_LEXED_AGAIN = 40_000;

/**
 * Turns a growing text into blocks (QA3): finished blocks are frozen, only the tail is lexed again, so that a
 * chunk costs O(tail), not O(message). Text that does not continue what was there starts over.
 */
export class BlockStream {
  /** What was given, and the same with `\n` at the end of each line. */
  private source = '';
  private text = '';
  private tailStart = 0;
  private frozen: Block[] = [];
  private tail: Block[] = [];
  private links: Links = {};
  private hasDefinitions = false;
  private finished = false;
  /** The first two lines of a table that the tail goes on with. */
  private tableHead = '';
  /** The tail is one fence, longer than what is lexed at once; `next`: where its end is looked for. */
  private fence: (OpenFence & { next: number }) | null = null;
  private result: readonly Block[] = [];

  /** The blocks of `source` so far. `done` says that nothing follows: then all blocks are frozen. Same input, same array. */
  update(source: string, done: boolean): readonly Block[] {
    const text = this.withLineEnds(source);
    this.source = source;
    if (text === this.text && done === this.finished && this.result.length > 0) return this.result;
    if (this.finished || !text.startsWith(this.text)) this.reset();
    this.text = text;
    this.finished = done;
    this.lexTail(done);
    // A definition may stand after its use: links in frozen blocks are known only now.
    if (done && this.hasDefinitions && text.length <= MAX_LEXED_AGAIN) this.lexAgain();
    this.result = [...this.frozen, ...this.tail];
    return this.result;
  }

  /** Only what is new is looked at: a text of returns would cost all of it with each slice. */
  private withLineEnds(source: string): string {
    const isMore = source.startsWith(this.source);
    const from = isMore ? this.source.length : 0;
    // The other half of a line end that came before.
    const rest = source.slice(isMore && source[from - 1] === '\r' && source[from] === '\n' ? from + 1 : from);
    return (isMore ? this.text : '') + (rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest);
  }

  private reset(): void {
    this.tailStart = 0;
    this.frozen = [];
    this.tail = [];
    this.links = {};
    this.hasDefinitions = false;
    this.fence = null;
    this.tableHead = '';
  }

  private lexTail(done: boolean): void {
    while (this.isTailLong()) if (!this.shortenTail(done)) return;
    const source = this.text.slice(this.tailStart);
    const { tokens, links } = this.lex(source);
    const open = done ? tokens.length : firstOpenToken(tokens);
    if (open > 0 && !done && addsUp(tokens, source)) this.freeze(tokens.splice(0, open), links);
    const before = this.tail;
    const visible = tokens.filter(isVisible).flatMap(fitToken);
    if (tokens.some((token) => token.type === 'def')) this.hasDefinitions = true;
    this.tail = visible.map((token, index) => {
      const last = !done && index === visible.length - 1;
      const shown = last ? closeOpenInline(token, (text) => lexMarkdown(text, this.links).tokens) : token;
      return reuse(before[index], shown, done);
    });
  }

  /** Rows that go on a table which was parted are read below its head. */
  private lex(source: string): LexResult {
    const head = this.tableHead;
    if (head === '' || !source.slice(0, source.indexOf('\n') >>> 0).includes('|'))
      return lexMarkdown(source, this.links);
    const { tokens, links } = lexMarkdown(head + source, this.links);
    const [first, ...others] = tokens;
    if (first?.type !== 'table') return lexMarkdown(source, this.links);
    return { tokens: [{ ...first, raw: first.raw.slice(head.length) }, ...others], links };
  }

  private freeze(tokens: Token[], links: Links): void {
    this.tableHead = '';
    for (const token of tokens) {
      this.tailStart += token.raw.length;
      if (token.type === 'def') this.hasDefinitions = true;
      if (!isVisible(token)) continue;
      for (const part of fitToken(token)) this.frozen.push(reuse(this.tail.shift(), part, true));
    }
    if (Object.keys(links).length <= MAX_LINKS) this.links = links;
  }

  private isTailLong(): boolean {
    const length = this.text.length - this.tailStart;
    return (
      this.fence !== null || length > MAX_TAIL || (length > MAX_TAIL_LINES && this.lineOfTail(MAX_TAIL_LINES) !== null)
    );
  }

  /** The place in the tail where its nth line ends; null if it has fewer. */
  private lineOfTail(count: number): number | null {
    let at = this.tailStart;
    for (let line = 0; line < count; line++) {
      at = this.text.indexOf('\n', at) + 1;
      if (at === 0) return null;
    }
    return at - this.tailStart;
  }

  /** Freezes the front of a tail that is too long to be lexed again. False: it is one fence that is still open. */
  private shortenTail(done: boolean): boolean {
    while (this.text[this.tailStart] === '\n') this.tailStart += 1;
    const rest = this.text.slice(this.tailStart);
    const opening = this.fence ?? openingFence(rest);
    if (opening) return this.takeFence(rest, opening, done);
    const front = rest.slice(0, Math.min(MAX_TAIL, this.lineOfTail(MAX_TAIL_LINES) ?? MAX_TAIL));
    const { tokens, links } = this.lex(front);
    const open = firstOpenToken(tokens) || lastVisible(tokens);
    if (open > 0 && addsUp(tokens, front)) this.freeze(tokens.slice(0, open), links);
    else this.freezeAll(front.slice(0, cutOf(front)));
    return true;
  }

  private takeFence(rest: string, opening: OpenFence, done: boolean): boolean {
    const from = this.fence?.next ?? opening.start;
    const found = closingFence(rest, opening, from, done);
    if ('next' in found) {
      this.fence = { ...opening, next: found.next };
      this.tail = [{ token: fenceToken(rest, opening, rest.length, rest.length), frozen: false }];
      return false;
    }
    this.fence = null;
    this.freeze([fenceToken(rest, opening, found.codeEnd, found.end)], this.links);
    return true;
  }

  /** The piece is a part of something longer: what follows it begins again. */
  private freezeAll(piece: string): void {
    const { tokens, links } = this.lex(piece);
    const end = this.tailStart + piece.length;
    const last = tokens.at(-1);
    const head = last?.type === 'table' ? this.tableHead || last.raw.split('\n', 2).join('\n') + '\n' : '';
    this.freeze(tokens, links);
    this.tailStart = end;
    this.tableHead = head;
  }

  private lexAgain(): void {
    const before = [...this.frozen, ...this.tail];
    const again = new BlockStream();
    again.links = this.links;
    again.text = this.text;
    again.lexTail(true);
    this.frozen = [...again.frozen, ...again.tail].map(({ token }, index) => reuse(before[index], token, true));
    this.tail = [];
  }
}

function isVisible(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

function firstOpenToken(tokens: readonly Token[]): number {
  let open = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]?.type !== 'space' && ++open === OPEN_BLOCKS) return index;
  }
  return 0;
}

/** Where the last block begins; 0 if it is the only one. */
function lastVisible(tokens: readonly Token[]): number {
  return tokens.findLastIndex((token, index) => index > 0 && token.type !== 'space');
}

/** Where a text that is one long block is parted: before a line that is not indented, else at a line, a space, anywhere. */
function cutOf(text: string): number {
  const least = text.length / 2;
  for (let at = text.length - 1; at > least; at--) {
    if (text[at - 1] === '\n' && !/\s/.test(text[at] ?? ' ')) return at;
  }
  const line = text.lastIndexOf('\n') + 1;
  if (line > least) return line;
  const space = text.lastIndexOf(' ') + 1;
  if (space > least) return space;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

function addsUp(tokens: readonly Token[], source: string): boolean {
  let length = 0;
  for (const token of tokens) length += token.raw.length;
  return length === source.length;
}

function reuse(before: Block | undefined, token: Token, frozen: boolean): Block {
  if (before && before.frozen === frozen && sameToken(before.token, token)) return before;
  return { token, frozen };
}

function sameToken(a: Token, b: Token): boolean {
  if (a.type !== b.type || a.raw !== b.raw) return false;
  // A definition that came later turns `[x]` into a link without a change of its text.
  return !('tokens' in a) || !a.raw.includes('[') || JSON.stringify(a) === JSON.stringify(b);
}

/** Characters of source whose blocks are kept: some fifty screens, so that scrolling back lexes nothing. */
const MAX_KEPT_CHARS = 3_000_000;

interface Kept {
  text: string;
  blocks: readonly Block[];
}

const kept = new Map<string, Kept>();
let keptChars = 0;

/**
 * The blocks of a finished text, by `cacheKey` (entry id and content index), if they are known. A row that scrolls back into
 * view gets the very same objects (QA2: lexing again is what makes virtual lists stutter).
 */
export function cachedBlocks(cacheKey: string, text: string): readonly Block[] | null {
  const known = kept.get(cacheKey);
  if (known && known.text === text) {
    kept.delete(cacheKey);
    kept.set(cacheKey, known);
    return known.blocks;
  }
  return null;
}

/** Keeps the blocks of a text that is read; those of a stream that ended, so that the stored reply goes on with them. */
export function keepBlocks(cacheKey: string, text: string, blocks: readonly Block[]): void {
  const before = kept.get(cacheKey);
  if (before?.blocks === blocks) return;
  if (before) keptChars -= before.text.length;
  kept.delete(cacheKey);
  kept.set(cacheKey, { text, blocks });
  keptChars += text.length;
  for (const [key, oldest] of kept) {
    if (keptChars <= MAX_KEPT_CHARS || key === cacheKey) break;
    kept.delete(key);
    keptChars -= oldest.text.length;
  }
}
