import type { TurnNode } from './turns';

/** What is typed into the graph's field (GR19): words, and filters that turns have to pass. Pure. */
export const QUERY_FILTERS = ['file', 'label', 'error', 'tool', 'branch'] as const;
export type QueryFilterName = (typeof QUERY_FILTERS)[number];

/** `value` is a part of what is looked for, case aside; empty: any will do. */
export interface QueryFilter {
  name: QueryFilterName;
  value: string;
}

export interface GraphQuery {
  words: string;
  /** A turn has to pass one of each name. */
  filters: QueryFilter[];
  /** Names that look like filters and are none: they are searched as words. */
  unknown: string[];
}

/** What a filter is asked of. */
export interface TurnFacts {
  /** A file as it is shown, from the name that a call gave it. */
  fileName(raw: string): string;
  label(node: TurnNode): string | undefined;
  /** Empty: not known, or it has none. */
  branchName(node: TurnNode): string;
  /** The same for the first turn of a branch, else empty. */
  startOf(node: TurnNode): string;
  isOnPath(node: TurnNode): boolean;
}

/** `name:"with blanks"`, or what stands between blanks. A quote that is not closed goes to the end. */
const PART = /([a-z]+):"([^"]*)(?:"|$)|\S+/g;
/** `path:src`; not `http://…`, `std::vector`, `C:\…`. */
const LIKE_FILTER = /^([a-z]{2,12}):(?![:/\\]|$)/;

const nameOf = (text: string | undefined): QueryFilterName | null =>
  QUERY_FILTERS.find((name) => name === text) ?? null;

/** Reads what was typed. A name is a filter in small letters alone: `ERROR:` is the first word of a message. O(length). */
export function readGraphQuery(text: string): GraphQuery {
  const query: GraphQuery = { words: '', filters: [], unknown: [] };
  const words: string[] = [];
  for (const [part, quotedName, quoted] of text.matchAll(PART)) {
    const colon = part.indexOf(':');
    const name = nameOf(quotedName ?? (colon > 0 ? part.slice(0, colon) : undefined));
    if (name) {
      query.filters.push({ name, value: (quoted ?? part.slice(colon + 1)).trim() });
      continue;
    }
    words.push(part);
    const [, like] = LIKE_FILTER.exec(part) ?? [];
    if (like !== undefined && !query.unknown.includes(like)) query.unknown.push(like);
  }
  query.words = words.join(' ');
  return query;
}

/** The part of a query that is being typed. */
export interface Typing {
  /** The filter whose value it is; null: it may become the name of one. */
  name: QueryFilterName | null;
  /** What of it is typed so far. */
  typed: string;
  /** What an offer takes the place of. */
  from: number;
  to: number;
}

/** What is being typed at a place, where it can be completed. */
export function typingAt(text: string, caret: number): Typing | null {
  for (const { 0: part, 1: quotedName, index } of text.matchAll(PART)) {
    const to = index + part.length;
    if (caret <= index || caret > to) continue;
    const colon = quotedName === undefined ? part.indexOf(':') : quotedName.length;
    if (colon < 0) {
      const typed = text.slice(index, caret);
      return QUERY_FILTERS.some((name) => name.startsWith(typed)) ? { name: null, typed, from: index, to } : null;
    }
    const name = nameOf(part.slice(0, colon));
    const from = index + colon + 1;
    if (!name || caret < from) return null;
    return { name, typed: text.slice(from, caret).replace(/^"/, '').replace(/"$/, ''), from, to };
  }
  return null;
}

/** The query with an offer in the place of what is being typed, and where the caret is then. */
export function completed(text: string, { name, from, to }: Typing, offer: string): { text: string; caret: number } {
  const [plain = ''] = offer.split('"');
  const value = name === null ? `${offer}:` : `${/\s/.test(plain) || plain === '' ? `"${plain}"` : plain} `;
  const rest = text.slice(to).replace(/^ /, name === null ? ' ' : '');
  return { text: text.slice(0, from) + value + rest, caret: from + value.length };
}

/** Whether a turn passes the filters: one of each name. O(filters × files of the turn). */
export function passes(node: TurnNode, filters: readonly QueryFilter[], facts: TurnFacts): boolean {
  const names = new Set(filters.map(({ name }) => name));
  return [...names].every((name) => filters.some((filter) => filter.name === name && passesOne(node, filter, facts)));
}

function passesOne(node: TurnNode, { name, value }: QueryFilter, facts: TurnFacts): boolean {
  if (value === '' && name === 'branch') return !facts.isOnPath(node);
  const wanted = value.toLowerCase();
  return valuesOf(node, name, facts).some((has) => has.toLowerCase().includes(wanted));
}

/** What a turn has under the name of a filter. */
export function valuesOf(node: TurnNode, name: QueryFilterName, facts: TurnFacts): string[] {
  switch (name) {
    case 'file':
      return [...node.files].map((raw) => facts.fileName(raw));
    case 'tool':
      return [...node.tools];
    case 'error':
      return [...(node.failed ? ['reply failed'] : []), ...node.errors];
    case 'label':
      return [facts.label(node) ?? []].flat();
    case 'branch':
      return [facts.branchName(node)].filter((known) => known !== '');
  }
}

/** A value that a filter may have, and the turns that have it. */
export interface Offer {
  value: string;
  count: number;
}

/** Values with what is typed in them, the most frequent first, those that begin with it before others. O(turns). */
export function offersOf(
  nodes: Iterable<TurnNode>,
  name: QueryFilterName,
  typed: string,
  facts: TurnFacts,
  most: number,
): Offer[] {
  const counts = new Map<string, number>();
  for (const node of nodes)
    for (const value of new Set(valuesOf(node, name, facts))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const wanted = typed.toLowerCase();
  const rankOf = (value: string): number => {
    const last = value.slice(value.lastIndexOf('/') + 1);
    return [value, last].some((part) => part.toLowerCase().startsWith(wanted)) ? 0 : 1;
  };
  return [...counts]
    .filter(([value]) => value.toLowerCase().includes(wanted))
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => rankOf(a.value) - rankOf(b.value) || b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, most);
}
