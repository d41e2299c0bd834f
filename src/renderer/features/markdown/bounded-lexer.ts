import { Lexer, Tokenizer, type MarkedOptions, type Token, type Tokens, type TokensList } from 'marked';

/** Lists, quotes and emphasis nested deeper than this become text: each level is a frame of the stack. */
const MAX_DEPTH = 50;
/** Longer paragraphs are text: a page of a book has 3,000 characters. */
const MAX_INLINE_CHARS = 6_000;
/** Pieces of one paragraph; each becomes an element. */
const MAX_INLINE_TOKENS = 600;
/** Wider tables are text. */
const MAX_COLUMNS = 64;
/** Cells of one table: short rows are filled up to the width of its head. */
const MAX_CELLS = 4_000;
/** Estimated nanoseconds for one source (`lexMarkdown`). Real text takes a tenth of it. */
const BUDGET_NS = 5_000_000;

// What one step costs for each character that is left, measured with the worst text of its kind.
const NS_EMPHASIS = 60;
const NS_INLINE = 2.5;
const NS_BLOCK = 9;
/** Each step tries all rules. */
const NS_BLOCK_STEP = 6_000;
const NS_INLINE_STEP = 1_500;
const NS_LIST_ITEM = 10_000;
const NS_NESTED = 30;

class OverBudget extends Error {}

/** Counts what the steps of the lexer cost: some of them look at the whole rest of their text, for each of its characters. */
class CountingTokenizer extends Tokenizer {
  /** First of all in each step among blocks. */
  override space(src: string): Tokens.Space | undefined {
    this.spend(NS_BLOCK_STEP);
    return super.space(src);
  }

  /** First of all in each step among inline text. */
  override escape(src: string): Tokens.Escape | undefined {
    const isDelimiter = src.startsWith('*') || src.startsWith('_');
    this.spend(NS_INLINE_STEP + src.length * (isDelimiter ? NS_EMPHASIS : NS_INLINE));
    return super.escape(src);
  }

  /** Looks for the underline of a heading up to the next empty line. */
  override lheading(src: string): Tokens.Heading | undefined {
    const end = src.indexOf('\n\n');
    this.spend((end < 0 ? src.length : end) * NS_BLOCK);
    return super.lheading(src);
  }

  override table(src: string): Tokens.Table | undefined {
    const lineEnd = src.indexOf('\n');
    const head = lineEnd < 0 ? src : src.slice(0, lineEnd);
    const columns = countOf(head, '|');
    if (columns > MAX_COLUMNS) return undefined;
    const end = src.indexOf('\n\n');
    const rows = columns > 1 ? countOf(end < 0 ? src : src.slice(0, end), '\n') : 0;
    if (columns * rows > MAX_CELLS) return undefined;
    return super.table(src);
  }

  override list(src: string): Tokens.List | undefined {
    const list = super.list(src);
    if (list) this.spend(list.items.length * NS_LIST_ITEM + list.raw.length * NS_NESTED);
    return list;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    const quote = super.blockquote(src);
    if (quote) this.spend(quote.raw.length * NS_NESTED);
    return quote;
  }

  private spend(ns: number): void {
    if (this.lexer instanceof BoundedLexer) this.lexer.spend(ns);
  }
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** `marked`'s lexer with bounds on depth, size and work. What exceeds one becomes text; it never overflows the stack. */
export class BoundedLexer extends Lexer {
  /** Estimated nanoseconds so far. */
  spent = 0;
  private blockDepth = 0;
  private inlineDepth = 0;

  constructor(options: MarkedOptions) {
    super({ ...options, tokenizer: new CountingTokenizer() });
  }

  /** @throws OverBudget, which the lexer itself turns into text */
  spend(ns: number): void {
    this.spent += ns;
    if (this.spent > BUDGET_NS) throw new OverBudget();
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.blockDepth >= MAX_DEPTH) {
      if (src !== '') tokens.push({ type: 'text', raw: src, text: src } satisfies Tokens.Text);
      return tokens;
    }
    this.blockDepth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.blockDepth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length > MAX_INLINE_CHARS || this.inlineDepth >= MAX_DEPTH || this.spent > BUDGET_NS)
      return asText(src, tokens, 0);
    const before = tokens.length;
    this.inlineDepth += 1;
    try {
      super.inlineTokens(src, tokens);
    } catch (cause) {
      if (this.inlineDepth > 1) throw cause;
      this.state.inLink = false;
      return asText(src, tokens, before);
    } finally {
      this.inlineDepth -= 1;
    }
    return tokens.length - before > MAX_INLINE_TOKENS ? asText(src, tokens, before) : tokens;
  }
}

function asText(src: string, tokens: Token[], from: number): Token[] {
  tokens.length = from;
  if (src !== '') tokens.push({ type: 'text', raw: src, text: src, escaped: false } satisfies Tokens.Text);
  return tokens;
}
