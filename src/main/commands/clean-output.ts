import { MAX_TOOL_OUTPUT_BYTES, MAX_TOOL_OUTPUT_LINES } from '@shared/limits';

/** Everything below space but tab and line feed, and DEL and C1. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

const ESC = '\u001b';

/**
 * Terminal output as plain text: no escape sequences, of a line redrawn with CR only its last state. Linear whatever the
 * text holds; the usual expressions for this take quadratic time on hostile output.
 */
export function cleanOutput(text: string): string {
  const plain = text.includes(ESC) ? stripSequences(text) : text;
  const lines = plain.includes('\r') ? plain.split('\n').map(lastState).join('\n') : plain;
  return lines.replace(CONTROLS, '');
}

function lastState(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

function stripSequences(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let start = text.indexOf(ESC); start >= 0; start = text.indexOf(ESC, at)) {
    parts.push(text.slice(at, start));
    at = sequenceEnd(text, start + 1);
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Where the sequence ends whose first character after ESC is at `at` (ECMA-48); a broken one ends where it breaks. */
function sequenceEnd(text: string, at: number): number {
  const kind = text[at];
  if (kind === '[') return finalEnd(text, skip(text, skip(text, at + 1, 0x30, 0x3f), 0x20, 0x2f));
  if (kind !== undefined && ']P^_X'.includes(kind)) return stringEnd(text, at + 1);
  return finalEnd(text, skip(text, at, 0x20, 0x2f));
}

function finalEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x7e ? at + 1 : at;
}

function skip(text: string, at: number, low: number, high: number): number {
  while (at < text.length && text.charCodeAt(at) >= low && text.charCodeAt(at) <= high) at += 1;
  return at;
}

/** Titles and links: up to BEL or ESC \\, at most to the end of the line. */
function stringEnd(text: string, at: number): number {
  while (at < text.length && !'\u0007\u001b\n'.includes(text[at] ?? '')) at += 1;
  if (text[at] === '\u0007') return at + 1;
  return text.startsWith(`${ESC}\\`, at) ? at + 2 : at;
}

export interface Tail {
  text: string;
  lines: number;
  isCut: boolean;
}

/** The last lines of a text within 2,000 lines and 50 KB; of one longer line its end. */
export function tailOf(text: string): Tail {
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  let bytes = 0;
  let first = lines.length;
  while (first > 0 && lines.length - first < MAX_TOOL_OUTPUT_LINES) {
    const size = Buffer.byteLength(lines[first - 1] ?? '') + 1;
    if (bytes + size > MAX_TOOL_OUTPUT_BYTES + 1) break;
    bytes += size;
    first -= 1;
  }
  if (first < lines.length)
    return { text: lines.slice(first).join('\n'), lines: lines.length - first, isCut: first > 0 };
  const end = Buffer.from(lines.at(-1) ?? '').subarray(-MAX_TOOL_OUTPUT_BYTES);
  return { text: end.subarray(firstCharacter(end)).toString('utf8'), lines: 1, isCut: true };
}

/** Where the first whole UTF-8 character of a cut-off piece starts. */
export function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** How many bytes at the end begin a UTF-8 character that is not complete yet (0 to 3). */
export function incompleteSuffix(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}
