/** What of a command the person left out and put in before it was asked again (docs/specs/safety.md C2). Pure. */
import { diffArrays } from 'diff';
import type { Mark } from '@shared/policy/shell-words';

/** Of longer texts, and of those that share too little, nothing is told apart: that could hold up the window. */
const MOST_CHARS = 20_000;
const MOST_EDITS = 300;
/** Characters of what was put in that are shown: all of it stands in the command itself. */
const MOST_ADDED = 200;

export interface EditChanges {
  /** Places in what the agent asked for, in order, without overlaps. */
  dropped: Mark[];
  /** What is new, piece by piece, and whether more was put in than these. */
  added: string[];
  isCut: boolean;
}

/** The words that came and went between two commands; null where nothing is told apart. */
export function editChanges(asked: string, ran: string): EditChanges | null {
  if (asked.length + ran.length > MOST_CHARS) return null;
  const parts = diffArrays(wordsOf(asked), wordsOf(ran), { maxEditLength: MOST_EDITS });
  if (!parts) return null;
  const changes: EditChanges = { dropped: [], added: [], isCut: false };
  let at = 0;
  let shown = 0;
  for (const { value, added, removed } of parts) {
    const text = value.join('');
    if (added) {
      const isBlank = text.trim() === '';
      if (!isBlank && shown + text.length > MOST_ADDED) changes.isCut = true;
      else if (!isBlank) changes.added.push(text.trim());
      shown += text.length;
      continue;
    }
    if (removed) changes.dropped.push({ from: at, to: at + text.length });
    at += text.length;
  }
  return changes;
}

/** Words and what stands between them. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}
