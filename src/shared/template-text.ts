/** What stands behind a template's name, as its arguments, and the text that these make of the template (EX19). Pure. */

/**
 * Split at blanks. A quote at the beginning of an argument holds blanks together, up to its like; behind a backslash that is text. A quote
 * without its like is text, as is one within a word (`doesn't`).
 */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  const rest = text.trim();
  for (let at = 0; at < rest.length;) {
    const quoted = quotedAt(rest, at);
    let word = quoted?.text ?? '';
    at = quoted?.end ?? at;
    const from = at;
    while (at < rest.length && !isBlank(rest, at)) at += 1;
    word += rest.slice(from, at);
    found.push(word);
    while (at < rest.length && isBlank(rest, at)) at += 1;
  }
  return found;
}

const isBlank = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

function quotedAt(text: string, from: number): { text: string; end: number } | null {
  const quote = text.charAt(from);
  if (quote !== '"' && quote !== "'") return null;
  let out = '';
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote) return { text: out, end: at + 1 };
    if (char === '\\' && text.charAt(at + 1) === quote) at += 1;
    out += text.charAt(at);
  }
  return null;
}

/** What the places may come to: a message has as many at most. */
const MAX_CHARS = 5_000_000;
const TOO_LONG =
  'With what you wrote behind it the template is longer than a message can be. Shorten that; nothing was sent.';

const PLACES =
  /\$(?:([1-9]\d{0,3})|(@)|(ARGUMENTS)(?!\w)|\{([1-9]\d{0,3}):-([^}]*)\}|\{@:-([^}]*)\}|\{@:(\d{1,4})(?::(\d{1,4}))?\})/g;
/** Where no bracket closes any more: looking for one from each that opens would take the square of the time. */
const OPEN_PLACES = /\$(?:([1-9]\d{0,3})|(@)|(ARGUMENTS)(?!\w))/g;

/**
 * The template with its arguments: `$1`, `$@`, `$ARGUMENTS`, `${1:-else}`, `${@:-else}`, `${@:N}`, `${@:N:L}`. What is put in is never looked
 * at again. A template that has no place for arguments gets what was written behind its name at its end: nothing that a person
 * typed is dropped.
 * @throws RangeError where that is longer than a message can be
 */
export function fillArguments(template: string, written: string): string {
  const all = splitArguments(written);
  const joined = all.join(' ');
  let isAsked = false;
  let added = 0;
  const put = (text: string): string => {
    added += text.length;
    if (added > MAX_CHARS) throw new RangeError(TOO_LONG);
    return text;
  };
  const fill = (_: string, one?: string, at?: string, word?: string, ...more: unknown[]): string => {
    isAsked = true;
    if (one !== undefined) return put(all[Number(one) - 1] ?? '');
    if (at !== undefined || word !== undefined) return put(joined);
    const [numbered, otherwise, none, from, length] = more as (string | undefined)[];
    if (numbered !== undefined) return put(all[Number(numbered) - 1] || (otherwise ?? ''));
    if (none !== undefined) return put(all.length > 0 ? joined : none);
    const start = Math.max(0, Number(from) - 1);
    if (length === undefined && start === 0) return put(joined);
    return put(all.slice(start, length === undefined ? undefined : start + Number(length)).join(' '));
  };
  const end = template.lastIndexOf('}') + 1;
  const filled = template.slice(0, end).replace(PLACES, fill) + template.slice(end).replace(OPEN_PLACES, fill);
  return isAsked || written.trim() === '' ? filled : `${filled.trimEnd()}\n\n${written.trim()}`;
}
