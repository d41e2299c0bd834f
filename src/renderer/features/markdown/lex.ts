import { Lexer, Marked, type Links, type Token } from 'marked';
import { mathExtensions } from './math-tokens';

const marked = new Marked({ gfm: true, extensions: mathExtensions });

export interface LexResult {
  tokens: Token[];
  links: Links;
}

/**
 * Splits markdown into block tokens with their inline tokens. `links` are reference definitions known from text before
 * `source`; the result holds those found here too. Line ends must be `\n`. The tokens' `raw` add up to `source`.
 */
export function lexMarkdown(source: string, links: Links): LexResult {
  const lexer = new Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(source);
  return { tokens, links: lexer.tokens.links };
}
