import type { Token, Tokens } from 'marked';

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

/** Longer paragraphs are shown as they stand: the scan below is linear, but it runs for every chunk. */
const MAX_REPAIRED_CHARS = 3_000;

/**
 * The last block of a text that is still growing, with open emphasis, code and links closed for the eye, so that
 * `**bol` is bold at once and half a link does not flicker. Only for display: `raw` stays what was written.
 */
export function closeOpenInline(token: Token, lex: (text: string) => Token[]): Token {
  if (token.type !== 'paragraph' && token.type !== 'heading') return token;
  if (token.raw.length > MAX_REPAIRED_CHARS) return token;
  const closed = closeText(token.raw);
  if (closed === token.raw) return token;
  const repaired = lex(closed)[0];
  return repaired?.type === token.type ? { ...token, ...repaired, raw: token.raw } : token;
}

function closeText(raw: string): string {
  const { text, openCode } = scanCode(raw.trimEnd());
  if (openCode) return raw.trimEnd() + openCode;
  let out = raw.trimEnd();
  // Half a link or image: its text is shown, its address is not known yet.
  out = out.replace(/!?\[([^\]\n]*)(?:\]\([^)\n]*|\])?$/, (whole, label: string) =>
    whole.endsWith(']') ? whole : label,
  );
  // A marker with nothing after it yet.
  out = out.replace(/(^|[\s(])(\*{1,3}|_{1,3}|~~)$/, '$1');
  for (const marker of ['**', '~~'] as const) {
    if (text.split(marker).length % 2 === 0 && out.includes(marker)) out = closeWith(out, marker);
  }
  return out;
}

function closeWith(text: string, marker: string): string {
  const after = text.slice(text.lastIndexOf(marker) + marker.length);
  if (after === '' || /^\s/.test(after)) return text;
  // `**bold*` is one keystroke before its end.
  return text.endsWith(marker[0] ?? '') ? text + (marker[0] ?? '') : text + marker;
}

/** Blanks out finished code spans; names the fence of one that is open at the end. */
function scanCode(text: string): { text: string; openCode: string | null } {
  const spans = text.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, (span) => ' '.repeat(span.length));
  const open = /(?<!`)(`+)(?!`)(?=[^`\s])/.exec(spans);
  return { text: spans, openCode: open?.[1] && open[1].length < 3 ? open[1] : null };
}
