import type { Links, Token } from 'marked';
import { lexMarkdown } from './lex';
import { closeOpenInline } from './open-inline';

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

/**
 * Turns a growing text into blocks (quality.md A3): finished blocks are frozen, only the tail is lexed again, so that a
 * chunk costs O(tail), not O(message). Text that does not continue what was there starts over.
 */
export class BlockStream {
  private text = '';
  private tailStart = 0;
  private frozen: Block[] = [];
  private tail: Block[] = [];
  private links: Links = {};
  private hasDefinitions = false;
  private finished = false;
  private result: readonly Block[] = [];

  /** The blocks of `source` so far. `done` says that nothing follows: then all blocks are frozen. Same input, same array. */
  update(source: string, done: boolean): readonly Block[] {
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    if (text === this.text && done === this.finished && this.result.length > 0) return this.result;
    if (this.finished || !text.startsWith(this.text)) this.reset();
    this.text = text;
    this.finished = done;
    this.lexTail(done);
    // A definition may stand after its use: links in frozen blocks are known only now.
    if (done && this.hasDefinitions) this.lexAgain();
    this.result = [...this.frozen, ...this.tail];
    return this.result;
  }

  private reset(): void {
    this.tailStart = 0;
    this.frozen = [];
    this.tail = [];
    this.links = {};
    this.hasDefinitions = false;
  }

  private lexTail(done: boolean): void {
    const source = this.text.slice(this.tailStart);
    const { tokens, links } = lexMarkdown(source, this.links);
    const open = done ? tokens.length : firstOpenToken(tokens);
    if (open > 0 && !done && addsUp(tokens, source)) this.freeze(tokens.splice(0, open), links);
    const before = this.tail;
    const visible = tokens.filter(isVisible);
    if (tokens.some((token) => token.type === 'def')) this.hasDefinitions = true;
    this.tail = visible.map((token, index) => {
      const last = !done && index === visible.length - 1;
      const shown = last ? closeOpenInline(token, (text) => lexMarkdown(text, this.links).tokens) : token;
      return reuse(before[index], shown, done);
    });
  }

  private freeze(tokens: Token[], links: Links): void {
    for (const token of tokens) {
      this.tailStart += token.raw.length;
      if (token.type === 'def') this.hasDefinitions = true;
      if (isVisible(token)) this.frozen.push(reuse(this.tail.shift(), token, true));
    }
    this.links = links;
  }

  private lexAgain(): void {
    const before = [...this.frozen, ...this.tail];
    const { tokens } = lexMarkdown(this.text, this.links);
    this.frozen = tokens.filter(isVisible).map((token, index) => reuse(before[index], token, true));
    this.tail = [];
  }
}

/** The blocks of a finished text. */
export function blocksOf(text: string): readonly Block[] {
  return new BlockStream().update(text, true);
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
