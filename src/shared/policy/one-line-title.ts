import { beginningOf } from '../beginning';
import { visibleString } from './visible-text';

/**
 * A session's title for a place of the system's (title bar, notification): one line of at most `most` characters before what hides in it
 * is written out (docs/specs/safety.md C1). Anybody may have made it. O(most), however long it is.
 */
export function oneLineTitle({ title }: { title: string }, most: number): string {
  // What is cut off may be blanks alone.
  const line =
    beginningOf(title, most * 20)
      .replace(/\s+/g, ' ')
      .trim() || 'New session';
  const cut = beginningOf(line, most);
  return visibleString(cut) + (cut.length < line.length || title.length > most * 20 ? '…' : '');
}
