import { isRecord } from './checks';

/** Characters of a title, a label and other names and first words from outside that the window is sent and shows (JN46). */
export const MAX_NAME_CHARS = 300;

/** Characters of the id of a call: some servers make ids of several hundred, none of ours is longer. */
export const MAX_CALL_ID_CHARS = 4096;

/** The id of a call as rows and state name it (JN46): a longer one by its length, its ends and a check of the whole, on both sides of the bridge alike. */
export function shownCallId(id: string): string {
  if (id.length <= MAX_CALL_ID_CHARS) return id;
  const half = MAX_CALL_ID_CHARS / 4;
  return `${id.slice(0, half)}…${id.length}…${checkOf(id)}…${id.slice(-half)}`;
}

/** A path or the name of a tool as rows carry it (JN46): of a longer one its end, which says more than its beginning. */
export function shownName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  return `…${name.slice(1 - MAX_NAME_CHARS).replace(/^[\udc00-\udfff]/, '')}`;
}

/** FNV-1a over the UTF-16 units, 32 bits as hexadecimal digits: tells ids apart that no one made alike on purpose. */
function checkOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** So many characters of a text, without half a pair at its end. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text;
}

/** The first `head` and the last `tail` characters of a longer text, and how many are missing between; never inside a surrogate pair. */
export function endsOf(text: string, head: number, tail: number): { head: string; missing: number; tail: string } {
  const to = isHigh(text.charCodeAt(head - 1)) ? head - 1 : head;
  const at = text.length - tail;
  const from = tail > 0 && isHigh(text.charCodeAt(at - 1)) ? at + 1 : at;
  return { head: text.slice(0, to), missing: from - to, tail: text.slice(from) };
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** With the flag `u` it stands for halves without their other half alone. */
const HALF = /\p{Cs}/gu;
const REPLACEMENT = '\ufffd';

/**
 * A value of plain data with each half of a character in its texts (a lone surrogate) as U+FFFD, one for one. No UTF-8 holds such a half;
 * pi-ai leaves it out, so that the model would read another text than the person. The same value comes back where there is none; pictures
 * are not looked through.
 */
export function wellFormed<T>(value: T): T {
  return replaced(value) as T;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.search(HALF) < 0 ? value : value.replace(HALF, REPLACEMENT);
  if (Array.isArray(value)) {
    const items = value.map(replaced);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value) || value.type === 'image') return value;
  const before = Object.entries(value);
  const after = before.map(([key, inner]) => [replaced(key) as string, replaced(inner)] as const);
  const isSame = after.every(([key, inner], index) => key === before[index]?.[0] && inner === before[index][1]);
  return isSame ? value : Object.fromEntries(after);
}
