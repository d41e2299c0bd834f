/** Names by which folders are told apart in lists. Pure. */

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
