import type { DiffLine } from '@shared/policy/diff-lines';

/** What a call asked to change, from its arguments alone: for results that carry no diff. Null if they say nothing. */
export function diffOfArguments(name: string, args: Readonly<Record<string, unknown>>): DiffLine[] | null {
  if (name === 'write' && typeof args.content === 'string') return linesOf(args.content, 'added');
  const edits = Array.isArray(args.edits) ? (args.edits as unknown[]) : [args];
  const lines: DiffLine[] = [];
  for (const edit of edits) {
    if (edit === null || typeof edit !== 'object') continue;
    const { oldText, newText } = edit as Record<string, unknown>;
    if (typeof oldText !== 'string' || typeof newText !== 'string') continue;
    if (lines.length > 0) lines.push({ kind: 'gap', text: '' });
    for (const line of linesOf(oldText, 'removed')) lines.push(line);
    for (const line of linesOf(newText, 'added')) lines.push(line);
    if (lines.length >= MAX_LINES) break;
  }
  return lines.length > 0 ? lines : null;
}

/** A text may be a file of megabytes; a card reads its beginning: each line becomes an object, the shortest as well. */
const MAX_CHARS = 200_000;
const MAX_LINES = 10_000;

/** As much of a diff as a card reads, in whole lines where it has any; the whole of it is in the file. */
export function headOf(text: string): string {
  let end = 0;
  for (let line = 0; line < MAX_LINES; line++) {
    const next = text.indexOf('\n', end) + 1;
    if (next > MAX_CHARS || (next === 0 && text.length > MAX_CHARS)) return text.slice(0, end || MAX_CHARS);
    if (next === 0) return text;
    end = next;
  }
  return text.slice(0, end);
}

function linesOf(text: string, kind: DiffLine['kind']): DiffLine[] {
  if (text === '') return [];
  return headOf(text)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

/** How many lines came and went. */
export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { kind } of lines) {
    if (kind === 'added') added++;
    if (kind === 'removed') removed++;
  }
  return { added, removed };
}
