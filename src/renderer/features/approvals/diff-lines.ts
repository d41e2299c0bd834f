/** Reads a unified diff into lines to draw. Pure. */

export interface DiffLine {
  kind: 'added' | 'removed' | 'context' | 'hunk';
  text: string;
}

/** The lines of a unified diff; file headers are left out because the card names the file. */
export function readDiff(diff: string): DiffLine[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let inHunk = false;
  return lines.flatMap((line): DiffLine[] => {
    if (line.startsWith('@@')) {
      inHunk = true;
      return [{ kind: 'hunk', text: line }];
    }
    if (!inHunk && /^(---|\+\+\+|Index:|diff |=====)/.test(line)) return [];
    if (line.startsWith('\\')) return [{ kind: 'hunk', text: line.slice(2) }];
    if (line.startsWith('+')) return [{ kind: 'added', text: line.slice(1) }];
    if (line.startsWith('-')) return [{ kind: 'removed', text: line.slice(1) }];
    return [{ kind: 'context', text: line.startsWith(' ') ? line.slice(1) : line }];
  });
}
