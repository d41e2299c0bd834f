import {
  type Links,
  Marked,
  type MarkedToken,
  type Token,
  type TokenizerAndRendererExtension,
  type Tokens,
} from 'marked';
import { BoundedLexer } from './bounded-lexer';
import { chargeFrame } from './frame-room';

/** A formula in the token stream; `tex` is without its delimiters. */
interface MathToken {
  type: 'math' | 'inlineMath';
  raw: string;
  tex: string;
  display: boolean;
}

export function isMathToken(token: Tokens.Generic | { type: string }): token is MathToken {
  return token.type === 'math' || token.type === 'inlineMath';
}

/** The formulas of a block, wherever in it they stand. */
export function formulasOf(token: Token): MathToken[] {
  if (isMathToken(token)) return [token];
  const known = token as MarkedToken;
  if (known.type === 'table')
    return [known.header, ...known.rows].flat().flatMap((cell) => cell.tokens.flatMap(formulasOf));
  if (known.type === 'list') return known.items.flatMap((item) => item.tokens.flatMap(formulasOf));
  return 'tokens' in token && token.tokens ? token.tokens.flatMap(formulasOf) : [];
}

// A formula ends before a blank line, as in TeX: an unclosed `$$` must not swallow, or later change, what follows it.
const BLOCK =
  /^ {0,3}(?:\$\$((?:(?!\$\$)(?!\n[ \t]*\n)[\s\S])+)\$\$|\\\[((?:(?!\\\])(?!\n[ \t]*\n)[\s\S])+)\\\])[ \t]*(?:\n+|$)/;
const INLINE_DISPLAY = /^(?:\$\$((?:(?!\$\$)(?!\n[ \t]*\n)[\s\S])+)\$\$|\\\[((?:(?!\\\])(?!\n[ \t]*\n)[\s\S])+)\\\])/;
const INLINE_PARENS = /^\\\(((?:(?!\\\))(?!\n[ \t]*\n)[\s\S])+)\\\)/;
// Pandoc's rule, so that prices and shell variables stay text: no space inside the dollars, no letter or digit after them.
const INLINE_DOLLAR = /^\$(?![\s$])((?:\\[\s\S]|(?!\n[ \t]*\n)[^$\\])*?(?:\\[\s\S]|[^\s$\\]))\$(?![\p{L}\p{N}$])/u;

const blockMath: TokenizerAndRendererExtension = {
  name: 'math',
  level: 'block',
  start: (src) => {
    // `src` begins in the middle of a line here: only what follows a line end starts a block.
    const found = /\n {0,3}(?:\$\$|\\\[)/.exec(src);
    return found ? found.index + 1 : undefined;
  },
  tokenizer(src) {
    const match = BLOCK.exec(src);
    if (!match) return undefined;
    return { type: 'math', raw: match[0], tex: (match[1] ?? match[2] ?? '').trim(), display: true };
  },
};

const inlineMath: TokenizerAndRendererExtension = {
  name: 'inlineMath',
  level: 'inline',
  start: (src) => /\$|\\[([]/.exec(src)?.index,
  tokenizer(src) {
    const display = INLINE_DISPLAY.exec(src);
    if (display) {
      return { type: 'inlineMath', raw: display[0], tex: (display[1] ?? display[2] ?? '').trim(), display: true };
    }
    const inline = INLINE_PARENS.exec(src) ?? INLINE_DOLLAR.exec(src);
    if (!inline) return undefined;
    return { type: 'inlineMath', raw: inline[0], tex: (inline[1] ?? '').trim(), display: false };
  },
};

const mathExtensions: TokenizerAndRendererExtension[] = [blockMath, inlineMath];

const withMath = new Marked({ gfm: true, extensions: mathExtensions });
const plain = new Marked({ gfm: true });

/** Reading a character and telling what it costs to draw, where nothing is odd. */
const NS_CHARACTER = 200;

export interface LexResult {
  tokens: Token[];
  links: Links;
}

/**
 * Splits markdown into block tokens with their inline tokens. `links` are reference definitions known from text before
 * `source`; the result holds those found here too. Line ends must be `\n`. The tokens' `raw` add up to `source`.
 *
 * The work is bounded and depends on the text alone; what is too deep, too long or too dear to read becomes text. It never
 * throws. `source` should have at most some 16,000 characters: `BlockStream` gives it slices.
 */
export function lexMarkdown(source: string, links: Links): LexResult {
  // Looking for formulas where there is none costs as much as all the rest.
  const lexer = new BoundedLexer((/\$|\\[([]/.test(source) ? withMath : plain).defaults);
  Object.assign(lexer.tokens.links, links);
  try {
    return { tokens: lexer.lex(source), links: lexer.tokens.links };
  } catch {
    return { tokens: [plainBlock(source)], links };
  } finally {
    chargeFrame(lexer.spent + source.length * NS_CHARACTER);
  }
}

/** Source that is shown as it stands. */
interface PlainToken {
  type: 'plain';
  raw: string;
  /** It goes on the one before it. */
  isPart?: boolean;
}

export function plainBlock(raw: string, isPart = false): PlainToken {
  return isPart ? { type: 'plain', raw, isPart } : { type: 'plain', raw };
}

export function isPlainToken(token: { type: string }): token is PlainToken {
  return token.type === 'plain';
}
