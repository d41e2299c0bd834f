/** One line of a diff as it is drawn. */
export interface DiffLine {
  kind: 'added' | 'removed' | 'context' | 'gap';
  text: string;
}

/** A unified diff as lines, without its file headers; hunks are parted by a gap. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  const source = diff.replace(/\n$/, '').split('\n');
  const hasHunks = source.some((line) => line.startsWith('@@'));
  let inHunk = !hasHunks;
  for (const line of source) {
    if (line.startsWith('@@')) {
      inHunk = true;
      if (lines.length > 0) lines.push({ kind: 'gap', text: '' });
    } else if (!inHunk || line.startsWith('\\ ')) {
      continue;
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1) });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1) });
    } else {
      lines.push({ kind: 'context', text: line.startsWith(' ') ? line.slice(1) : line });
    }
  }
  return lines;
}

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
    lines.push(...linesOf(oldText, 'removed'), ...linesOf(newText, 'added'));
  }
  return lines.length > 0 ? lines : null;
}

function linesOf(text: string, kind: DiffLine['kind']): DiffLine[] {
  if (text === '') return [];
  return text
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
