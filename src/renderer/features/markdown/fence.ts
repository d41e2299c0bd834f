import type { Tokens } from 'marked';

/** A fence that begins a text: read by hand, since it may be as long as the message. */
export interface OpenFence {
  /** Where its code begins. */
  start: number;
  indent: number;
  info: string;
  close: RegExp;
}

const OPENING = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?=[^\n]*\n))([^\n]*)\n/;

/** The fence that `text` begins with, or null. */
export function openingFence(text: string): OpenFence | null {
  const match = OPENING.exec(text.slice(0, 2_000));
  if (!match) return null;
  const [whole, indent = '', marker = '', info = ''] = match;
  return {
    start: whole.length,
    indent: indent.length,
    info: info.trim(),
    close: new RegExp(`^ {0,3}${marker[0] === '`' ? '`' : '~'}{${marker.length},} *$`),
  };
}

/**
 * Looks for the line that ends a fence, from `from` on, which begins a line.
 * @returns the place behind that line (before its line end), or where the search goes on when there is more text
 */
export function closingFence(
  text: string,
  fence: OpenFence,
  from: number,
  done: boolean,
): { codeEnd: number; end: number } | { next: number } {
  let at = from;
  for (;;) {
    const lineEnd = text.indexOf('\n', at);
    if (lineEnd < 0 && !done) return { next: at };
    const end = lineEnd < 0 ? text.length : lineEnd;
    // A closing line is short; a longer one is not looked at.
    if (end - at < 1_000 && fence.close.test(text.slice(at, end))) return { codeEnd: at, end };
    if (lineEnd < 0) return { codeEnd: text.length, end: text.length };
    at = lineEnd + 1;
  }
}

/** The block of a fence whose code ends at `codeEnd`, as `marked` makes it. */
export function fenceToken(text: string, fence: OpenFence, codeEnd: number, end: number): Tokens.Code {
  const code = text.slice(fence.start, Math.max(fence.start, codeEnd)).replace(/\n$/, '');
  const indent = fence.indent > 0 ? new RegExp(`^ {1,${fence.indent}}`, 'gm') : null;
  return { type: 'code', raw: text.slice(0, end), lang: fence.info, text: indent ? code.replace(indent, '') : code };
}
