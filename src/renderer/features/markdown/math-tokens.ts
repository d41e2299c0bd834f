import type { MarkedToken, Token, TokenizerAndRendererExtension, Tokens } from 'marked';

/** A formula in the token stream; `tex` is without its delimiters. */
export interface MathToken {
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

export const mathExtensions: TokenizerAndRendererExtension[] = [blockMath, inlineMath];
