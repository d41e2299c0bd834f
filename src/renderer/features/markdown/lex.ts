import { Marked, type Links, type Token } from 'marked';
import { BoundedLexer } from './bounded-lexer';
import { chargeFrame } from './frame-room';
import { mathExtensions } from './math-tokens';

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
export interface PlainToken {
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
