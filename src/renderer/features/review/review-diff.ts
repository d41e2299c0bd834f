/** What a summary changes of the one before it, as lines. Pure. */
import { structuredPatch } from 'diff';
import type { DiffLine } from '@shared/policy/diff-lines';

const CONTEXT_LINES = 2;
/** Beyond this the search for the shortest difference could hold up typing. */
const MAX_EDITS = 600;

/** The lines that came, went and stayed around them; null if the texts share too little to compare. O(lines × changes). */
export function reviewDiff(previous: string, text: string): DiffLine[] | null {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  // A last line without its break would differ from the same line with one.
  const patch = structuredPatch('', '', `${previous.trim()}\n`, `${text.trim()}\n`, undefined, undefined, options);
  if (!patch) return null;
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index > 0 ? [{ kind: 'gap', text: '' } as const] : []),
    ...lines.map(lineOf),
  ]);
}

function lineOf(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
  return { kind, text: line.slice(1) };
}
