/** What stands between `---` lines at the top of a Markdown file, and the rest of it. */
export interface FrontMatter {
  /** By its key: texts alone. Lists and nested fields have none. */
  fields: ReadonlyMap<string, string>;
  body: string;
  /** Why nothing of it counts, as the end of a sentence; then the fields are empty and the body is all of the text. */
  problem?: string;
}

const KEY = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/;
/** What YAML gives another meaning than that of a text: nothing of ours needs it. */
const NO_TEXT = /^[&*!%@`]/;

/**
 * A reader of the few forms of YAML that skills and templates use: `key: text`, quoted, folded (`>`) and literal (`|`) texts. What else
 * YAML has is passed over where it is nested and refused where it could mean something else than it says. Pure and linear.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const whole = { fields: new Map<string, string>(), body: lines.join('\n') };
  if (!isFence(lines[0] ?? '')) return whole;
  const end = lines.findIndex((line, index) => index > 0 && (isFence(line) || line.trimEnd() === '...'));
  if (end < 0) return { ...whole, problem: 'the lines between --- have no end' };
  const fields = new Map<string, string>();
  for (let at = 1; at < end;) {
    const line = lines[at] ?? '';
    const from = at + 1;
    at = from;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, key, rest = ''] = KEY.exec(line) ?? [];
    if (key === undefined) return { ...whole, problem: `line ${from} is not “key: text”` };
    while (at < end && isPartOfLast(lines[at] ?? '')) at += 1;
    const value = readValue(rest.trim(), lines.slice(from, at));
    if (value === null) return { ...whole, problem: `the text of “${key}” in line ${from} can’t be read` };
    // Of two that are called alike YAML knows none; the first is what a reader sees first.
    if (value !== undefined && !fields.has(key)) fields.set(key, value);
  }
  return { fields, body: lines.slice(end + 1).join('\n') };
}

const isFence = (line: string): boolean => line.trimEnd() === '---';
const isPartOfLast = (line: string): boolean => line.trim() === '' || /^(?:[ \t]|-(?:[ \t]|$))/.test(line);

/** Null: it is no text that can be read. Undefined: a list or nested fields. */
function readValue(first: string, more: readonly string[]): string | null | undefined {
  const block = /^([|>])[+-]?[1-9]?[+-]?(?:[ \t]+#.*)?$/.exec(first);
  if (block) return block[1] === '|' ? undented(more).join('\n').trim() : folded(undented(more));
  if (first === '' || first.startsWith('#')) return more.some((line) => line.trim() !== '') ? undefined : '';
  if (NO_TEXT.test(first)) return null;
  const text = [first, ...more.map((line) => line.trim())].join('\n').trim();
  if (first.startsWith('"')) return readQuoted(text, '"');
  if (first.startsWith("'")) return readQuoted(text, "'");
  return folded(text.split('\n').map(withoutComment));
}

function withoutComment(line: string): string {
  const at = line.search(/[ \t]#/);
  return at < 0 ? line : line.slice(0, at);
}

function undented(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = indents.reduce((a, b) => Math.min(a, b), Infinity);
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(least)));
}

/** One blank between lines; an empty line is a break. */
function folded(lines: readonly string[]): string {
  let text = '';
  for (const line of lines.map((one) => one.trim()))
    text += line === '' ? '\n' : text === '' || text.endsWith('\n') ? line : ` ${line}`;
  return text.trim();
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '',
  '"': '"',
  '\\': '\\',
  '/': '/',
  ' ': ' ',
};

/** A quoted text to its end; behind it nothing but a comment may stand. */
function readQuoted(text: string, quote: '"' | "'"): string | null {
  let out = '';
  for (let at = 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote && quote === "'" && text.charAt(at + 1) === "'") {
      out += "'";
      at += 1;
    } else if (char === quote) {
      const rest = text.slice(at + 1).trim();
      return rest === '' || rest.startsWith('#') ? folded(out.split('\n')) : null;
    } else if (char === '\\' && quote === '"') {
      const next = text.charAt(at + 1);
      const hex = next === 'x' ? 2 : next === 'u' ? 4 : 0;
      const digits = text.slice(at + 2, at + 2 + hex);
      if (hex > 0 && !new RegExp(`^[0-9a-fA-F]{${hex}}$`).test(digits)) return null;
      const escaped = hex > 0 ? String.fromCharCode(Number.parseInt(digits, 16)) : ESCAPES[next];
      if (escaped === undefined) return null;
      out += escaped;
      at += 1 + hex;
    } else out += char;
  }
  return null;
}
