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
    if (lines.length > MAX_LINES) break;
  }
  return lines.length > 0 ? lines : null;
}

/** Arguments may hold a file of megabytes; a card shows its beginning. */
const MAX_CHARS = 200_000;
const MAX_LINES = 10_000;

function linesOf(text: string, kind: DiffLine['kind']): DiffLine[] {
  if (text === '') return [];
  return text
    .slice(0, MAX_CHARS)
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
