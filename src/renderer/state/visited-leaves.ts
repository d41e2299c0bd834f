/** The leaves that a person was at, for Back and Forward. Pure. */

/** An entry, or null for the place before the first. */
export type Leaf = string | null;

export interface Visited {
  back: readonly Leaf[];
  forward: readonly Leaf[];
}

export const NOWHERE: Visited = { back: [], forward: [] };
/** Steps that are remembered of a session. */
const MOST = 100;

/** After leaving a leaf for somewhere new. */
export function left(visited: Visited, leaf: Leaf): Visited {
  return { back: add(visited.back, leaf), forward: [] };
}

/** Where a step leads from the leaf `here`, and what is remembered after it; null if there is nowhere to go. */
export function step(visited: Visited, by: 'back' | 'forward', here: Leaf): { to: Leaf; after: Visited } | null {
  const other = by === 'back' ? 'forward' : 'back';
  const places = visited[by].slice();
  while (places.length > 0 && places.at(-1) === here) places.pop();
  const to = places.pop();
  if (to === undefined) return null;
  return { to, after: { ...visited, [by]: places, [other]: add(visited[other], here) } };
}

function add(places: readonly Leaf[], leaf: Leaf): Leaf[] {
  return (places.at(-1) === leaf ? [...places] : [...places, leaf]).slice(-MOST);
}
