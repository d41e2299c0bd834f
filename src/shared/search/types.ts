/** What a search answers (docs/specs/search.md). Plain JSON. */
import type { Span } from './words';

/**
 * What the model has of a message: word for word, in a summary, nothing, because it stands on another branch, or less than it says: it is
 * left out, as a `!!` command, or was cut down to make room (`reduced`).
 */
export type Place = (typeof PLACES)[number];
/** An index names them by their places here. */
export const PLACES = ['kept', 'summarized', 'branch', 'reduced'] as const;

export interface Asked {
  query: string;
  /** The words follow each other as they were typed. */
  exact: boolean;
  matchCase: boolean;
}

/** Whose words a message has. `name`: of the model, the tool or the kind of note, as it stands in the file; not for `person`. */
export interface Author {
  kind: 'person' | 'model' | 'tool' | 'command' | 'summary' | 'note';
  name: string;
}

/** Who may have written what is looked for. */
export type Writer = 'you' | 'agent' | 'tool';
export const WRITERS: readonly Writer[] = ['you', 'agent', 'tool'];

/** Whom an author is listed under; null: nobody of these, as the notes of an extension. */
export function writerOf({ kind }: Author): Writer | null {
  if (kind === 'person' || kind === 'command') return 'you';
  if (kind === 'model' || kind === 'summary') return 'agent';
  return kind === 'tool' ? 'tool' : null;
}

export interface SearchHit {
  entryId: string;
  place: Place;
  author: Author;
  /** Unix milliseconds; 0 where the file has none that can be read. */
  time: number;
  /** Some words around the first place that was found, on one line. */
  text: string;
  marks: readonly Span[];
}

export type PlaceCounts = Record<Place, number>;

export const noCounts = (): PlaceCounts => ({ kept: 0, summarized: 0, branch: 0, reduced: 0 });

/** The hits of all places. */
export const sumOf = (counts: PlaceCounts): number => PLACES.reduce((sum, place) => sum + counts[place], 0);

export interface SessionHits {
  sessionId: string;
  counts: PlaceCounts;
  /** Newest first. */
  hits: readonly SearchHit[];
}

export interface SearchAnswer {
  /** Sessions with hits, those that were used last first. */
  sessions: readonly SessionHits[];
  /** Of all sessions, also of those that are not listed. */
  counts: PlaceCounts;
  /** So many sessions have hits. */
  sessionCount: number;
  /** There are more hits than were counted. */
  isPartial: boolean;
  /** So many sessions are not read yet, or not to their end. */
  unread: number;
}

/** A hit on the path that is shown. `branch`: on one that is read, where HEAD's does not have it. */
export interface PathHit {
  entryId: string;
  place: Place;
}

/** Hits on branches that leave the path at one place. */
export interface ForkHits {
  /** The entry below which they leave; null: above all that is shown. */
  entryId: string | null;
  count: number;
}

export interface SessionAnswer {
  /** In the order of the path. */
  path: readonly PathHit[];
  /** Hits elsewhere in the session. */
  branch: number;
  /** The same by where those branches leave the path. */
  forks: readonly ForkHits[];
  isPartial: boolean;
  isUnread: boolean;
}

/** Entries of all branches of one session that were found, newest first. */
export interface TreeAnswer {
  /** Those with the words as they were typed, one after the other. */
  exact: readonly string[];
  /** Those that have all of them in other places. */
  loose: readonly string[];
  /** There are older ones than are listed. */
  isPartial: boolean;
  /** `behind`: what came last is being read; `unread`: the session is not in the index yet, and nothing is listed. */
  state: 'read' | 'behind' | 'unread';
}

/** Hits of one session whose excerpts are read at once. */
export const MOST_EXCERPTS = 60;

/** An entry that was found, by its line of the file. */
export interface TreeHit {
  entryId: string;
  seq: number;
  /** The words are marked where they follow each other. */
  exact: boolean;
}

/** Some words of an entry around the first place that was found. */
export type TreeExcerpt = Pick<SearchHit, 'entryId' | 'author' | 'time' | 'text' | 'marks'>;
