/** Finds what is being completed at the caret. Pure. */
import { LIST, type Listed } from '../../actions/menus';

export interface Completion {
  kind: 'command' | 'path';
  query: string;
  /** The part of the text that a choice replaces. */
  from: number;
  to: number;
}

/** A command at the very start, or a path after `@` at the start of a word; null elsewhere. */
export function findCompletion(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret);
  const command = /^\/([a-z]*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret };
  const path = /(?:^|[\s(])@("?)([^\s"@]*)$/.exec(before);
  if (!path) return null;
  const typed = path[2] ?? '';
  return { kind: 'path', query: typed, from: caret - typed.length - (path[1]?.length ?? 0) - 1, to: caret };
}

/** Commands whose slash name starts with the query, in the order of the list. */
export function matchCommands(query: string): Listed[] {
  return LIST.filter(({ slash }) => slash?.startsWith(query));
}

/** Replaces the completed part; returns the new text and where the caret goes. */
export function replaceCompletion(text: string, { from, to }: Completion, by: string): { text: string; caret: number } {
  return { text: text.slice(0, from) + by + text.slice(to), caret: from + by.length };
}

/** How a path is written into a message: quoted where it holds a space; a folder stays open for more. */
export function mentionOf(path: string): string {
  const folder = path.endsWith('/');
  if (!/\s/.test(path)) return folder ? `@${path}` : `@${path} `;
  return folder ? `@"${path}` : `@"${path}" `;
}
