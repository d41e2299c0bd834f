import { byWaiting, needsYou, type SessionsState } from './sessions-store';
import type { Settings } from '@shared/settings';
import type { SessionSummary } from '@shared/types';

/** How the list of sessions is divided (WN12), and what its folders are called. Pure. */

/** A text as it is compared by what a person types: small letters without accents, blanks as one. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();

/** Levels of a path that a name may have; folders that differ only further up are named by their whole path. */
const MOST_LEVELS = 6;
/** A drive, or a server of a network: there a backslash parts the names, elsewhere it is a letter of one. */
const OF_WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

interface Place {
  path: string;
  /** The last of them, as many as a name may have. */
  levels: string[];
  name: string;
}

/** The last name of each folder, and as much of the path before it as tells two of the same name apart. O(paths). */
export function folderNames(paths: Iterable<string>): ReadonlyMap<string, string> {
  const places = [...new Set(paths)].map(placeOf);
  let alike = places;
  for (let count = 1; count <= MOST_LEVELS && alike.length > 0; count++) {
    for (const place of alike) place.name = place.levels.slice(-count).join('/') || place.path;
    alike = sharing(alike);
  }
  for (const place of alike) place.name = place.path;
  return new Map(places.map(({ path, name }) => [path, name]));
}

/** From its end, as far as a name goes: a path may have thousands of levels. */
function placeOf(path: string): Place {
  const hasBackslashes = OF_WINDOWS.test(path);
  const levels: string[] = [];
  let end = path.length;
  for (let at = end - 1; at >= -1 && levels.length < MOST_LEVELS; at--) {
    const parts = at < 0 || path[at] === '/' || (hasBackslashes && path[at] === '\\');
    if (!parts) continue;
    if (at + 1 < end) levels.unshift(path.slice(at + 1, end));
    end = at;
  }
  return { path, levels, name: path };
}

/** Those that have their name in common with another one. */
function sharing(places: readonly Place[]): Place[] {
  const counts = new Map<string, number>();
  for (const { name } of places) counts.set(name, (counts.get(name) ?? 0) + 1);
  return places.filter(({ name }) => (counts.get(name) ?? 0) > 1);
}

export interface SessionGroup {
  kind: 'waiting' | 'pinned' | 'today' | 'earlier' | 'workspace' | 'files' | 'archived';
  /** Unlike that of any other group. */
  key: string;
  name: string;
  /** Of a workspace: where it is. */
  path?: string;
  sessions: SessionSummary[];
}

export interface Grouping {
  by: Settings['sessions.groupBy'];
  /** Text of the title filter. */
  filter: string;
  /** What the workspaces are called (`workspaceNames`). */
  names: ReadonlyMap<string, string>;
  /** Unix milliseconds. */
  now: number;
}

const NAMES = {
  waiting: 'Waiting for you',
  pinned: 'Pinned',
  today: 'Today',
  earlier: 'Earlier',
  files: 'Other files',
  archived: 'Archived',
};

/** Groups of sessions, newest first, as are the workspaces; without empty ones. What waits for the person stands before all, archived or not, whatever is looked for. */
export function groupSessions(byId: SessionsState['byId'], { by, filter, names, now }: Grouping): SessionGroup[] {
  const wanted = foldText(filter);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups = new Map<string, SessionGroup>();
  const put = (session: SessionSummary, group: Omit<SessionGroup, 'sessions'>): void => {
    const found = groups.get(group.key);
    if (found) found.sessions.push(session);
    else groups.set(group.key, { ...group, sessions: [session] });
  };
  const fixed = (kind: keyof typeof NAMES): Omit<SessionGroup, 'sessions'> => ({ kind, key: kind, name: NAMES[kind] });
  const sessions = Object.values(byId).sort((a, b) => b.updatedAt - a.updatedAt);
  for (const session of sessions) {
    const { workspace: path } = session;
    if (needsYou(session)) put(session, fixed('waiting'));
    else if (wanted && !foldText(session.title).includes(wanted)) continue;
    else if (session.archived) put(session, fixed('archived'));
    else if (session.pinned) put(session, fixed('pinned'));
    else if (by === 'time') put(session, fixed(session.updatedAt >= midnight ? 'today' : 'earlier'));
    else if (session.foreign !== undefined) put(session, fixed('files'));
    else put(session, { kind: 'workspace', key: `workspace ${path}`, name: names.get(path) ?? path, path });
  }
  groups.get('waiting')?.sessions.sort(byWaiting);
  const place = ({ kind }: SessionGroup): number => ['waiting', 'pinned', '', 'files', 'archived'].indexOf(kind);
  const order = (group: SessionGroup): number => (place(group) < 0 ? 2 : place(group));
  return [...groups.values()].sort((a, b) => order(a) - order(b));
}

/**
 * What the workspaces of all sessions are called. One name each, whatever of them the filter leaves. `scratchDir`: the folder of
 * sessions for which none was chosen.
 */
export function workspaceNames(byId: SessionsState['byId'], scratchDir: string): ReadonlyMap<string, string> {
  const chosen = new Set(Object.values(byId).map(({ workspace }) => workspace));
  // It is the app's own, and where it lies says nothing to a person.
  chosen.delete(scratchDir);
  return new Map([...folderNames(chosen), [scratchDir, 'Scratch']]);
}
