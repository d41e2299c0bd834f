import type { Token } from 'marked';

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
