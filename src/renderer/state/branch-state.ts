/** What is asked, shown and remembered about branches. Pure. */
import type { LeavePreview } from '@shared/ipc/tree-types';
import type { SummaryProblem } from './summary-offer';

/** What becomes of the work that a navigation leaves behind (BR3). */
export type LeaveChoice = 'none' | 'summarise' | 'instructions';

export interface Destination {
  sessionId: string;
  targetId: string | null;
  /** The target itself becomes the leaf, a user message too. */
  exact: boolean;
}

/** Two turns that are compared, each by an entry of it (GR14). */
export interface ComparedTurns {
  sessionId: string;
  a: string;
  b: string;
}

/** What becomes of the work that a move of HEAD leaves behind; `leafId`: where HEAD was when main said which work that is. */
export interface LeaveQuestion {
  kind: 'leave';
  to: Destination;
  leafId: string | null;
  preview: LeavePreview;
  choice: LeaveChoice;
  problem?: SummaryProblem;
  /** The entry that is brought into view once HEAD is there. */
  shows?: string;
}

/** One thing at a time. */
export type BranchDialog =
  | LeaveQuestion
  | { kind: 'bringOver'; sessionId: string; sourceId: string; targetId: string }
  /** `name`: it names a branch, and this is what it is called now. */
  | { kind: 'label'; sessionId: string; entryId: string; name?: string }
  | { kind: 'handoff'; sessionId: string; goal?: string; problem?: SummaryProblem }
  /** What the model saw in the request that an entry answers, or sees now (null). */
  | { kind: 'context'; sessionId: string; entryId: string | null };

/** An entry that the transcript brings into view as soon as it has it. */
export interface Arrival {
  sessionId: string;
  /** Null: the end, with what stands behind the last entry. */
  entryId: string | null;
  /** The keyboard goes on among the versions of that entry. */
  focusVersions?: boolean;
  /** Whoever leads there says so itself. */
  isTold?: boolean;
  /** Where the reading begins: nobody was led away from anywhere. */
  isStart?: boolean;
  /** On the path that is read beside HEAD's (GR12). */
  isRead?: boolean;
}

/** An entry, or null for the place before the first. */
type Leaf = string | null;

/** The leaves that a person was at, for Back and Forward. */
export interface Visited {
  back: readonly Leaf[];
  forward: readonly Leaf[];
}

export const NOWHERE: Visited = { back: [], forward: [] };
/** Steps that are remembered of a session. */
const MOST = 100;

/** Steps as they were kept; null: none, or not as this app keeps them. */
export function readVisited(stored: unknown): Visited | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { back, forward } = stored as Record<string, unknown>;
  if (!Array.isArray(back) || !Array.isArray(forward)) return null;
  return { back: back.filter(isLeaf).slice(-MOST), forward: forward.filter(isLeaf).slice(-MOST) };
}

/** Longer than an id of this app, and of those that it imports (SF5). */
const MAX_ID_CHARS = 200;
const isLeaf = (value: unknown): value is Leaf =>
  value === null || (typeof value === 'string' && value.length <= MAX_ID_CHARS);

/** What was kept, and what was left since the window was opened. */
export function joinedVisits(kept: Visited, now: Visited = NOWHERE): Visited {
  if (now.back.length + now.forward.length === 0) return kept;
  return { back: [...kept.back, ...now.back].slice(-MOST), forward: now.forward };
}

/** After leaving a leaf for somewhere new. */
export function left(visited: Visited, leaf: Leaf): Visited {
  return { back: add(visited.back, leaf), forward: [] };
}

type AllVisited = Readonly<Record<string, Visited | undefined>>;

/** The same for one of all sessions. */
export function withLeft(visited: AllVisited, sessionId: string, leaf: Leaf): { visited: AllVisited } {
  return { visited: { ...visited, [sessionId]: left(visited[sessionId] ?? NOWHERE, leaf) } };
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
