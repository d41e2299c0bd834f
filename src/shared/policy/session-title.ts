import { beginningOf, MAX_NAME_CHARS } from '../cut-text';
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

/** How a title ends that says of which time a version of a session is. */
const END = / \(version(?: \d{1,9})? of \d{1,2} \p{L}{1,20}, \d{2}:\d{2}\)$/u;

/** A title without the end that says which version it is, and that end: empty if it has none. */
export function splitTitle(title: string): { name: string; end: string } {
  const end = END.exec(title)?.[0] ?? '';
  return { name: title.slice(0, title.length - end.length), end };
}

const FORKED = ' (fork)';

/** The title of a fork (GR18); of a fork's fork too, which says it once. */
export function forkTitle(title: string): string {
  const name = title || 'Session';
  return name.endsWith(FORKED) ? name : `${beginningOf(name, MAX_NAME_CHARS - FORKED.length)}${FORKED}`;
}

/** A title as it is listed (JN46): cut where it is too long, but for the end that says which version it is. */
export function listedTitle(title: string): string {
  if (title.length <= MAX_NAME_CHARS) return title;
  const { name, end } = splitTitle(title);
  return `${beginningOf(name, MAX_NAME_CHARS - end.length)}${end}`;
}

/**
 * The title of a version of a session (docs/specs/safety.md, E1): by when something was last said in it, in Unix milliseconds, and by a
 * number where another session has that title. Not by the computer: its sidecar is read on all that share the folder.
 */
export function versionTitle(title: string, time: number, taken: ReadonlySet<string>): string {
  const at = new Date(time);
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const minute = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const { name } = splitTitle(title);
  for (let n = 1; ; n++) {
    const given = listedTitle(`${name || 'Session'} (version${n === 1 ? '' : ` ${n}`} of ${day}, ${minute})`);
    if (!taken.has(given)) return given;
  }
}
