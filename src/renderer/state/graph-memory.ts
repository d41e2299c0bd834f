/** What the window remembers of the branch graph of one session (GR34). */
import { BRANCH_SORTS, type BranchSort } from '@shared/graph/branches';
import { GRAPH_FILTERS, type GraphFilter } from '@shared/graph/filters';
import type { LocalStore } from './local-store';

/** Place and scale of the view: what React Flow calls a viewport. */
export interface GraphViewport {
  x: number;
  y: number;
  zoom: number;
}

export interface GraphMemory {
  filter: GraphFilter;
  /** The file that the filter asks for; null: any. */
  file: string | null;
  showsHidden: boolean;
  /** First and last entry of each fold; null: never opened, so long runs are folded. */
  folds: [string, string][] | null;
  /** Branches that were opened on the rail, by the entry of their first turn. */
  openRuns: string[];
  /** Of the canvas. Null: where HEAD is. */
  viewport: GraphViewport | null;
  /** How far the rail is scrolled, as a viewport's y. Null: where HEAD is. */
  railY: number | null;
  /** The view goes along with HEAD. */
  follows: boolean;
  /** The list of branches stands in its place (GR17). */
  showsList: boolean;
  sort: BranchSort;
}

export const ZOOM = { min: 0.04, max: 1.6 } as const;
/** Milliseconds after the last change until it is written. */
const WRITE_DELAY_MS = 250;
const MAX_FOLDS = 20_000;

const NO_MEMORY: GraphMemory = {
  filter: 'all',
  file: null,
  showsHidden: false,
  folds: null,
  openRuns: [],
  viewport: null,
  railY: null,
  follows: true,
  showsList: false,
  sort: 'activity',
};

/** What was stored, every field checked; anything else is as if never opened. */
function readGraphMemory(stored: unknown): GraphMemory {
  if (typeof stored !== 'object' || stored === null) return NO_MEMORY;
  const { filter, file, showsHidden, folds, openRuns, viewport, railY, follows, showsList, sort } = stored as Record<
    string,
    unknown
  >;
  return {
    filter: GRAPH_FILTERS.find((known) => known === filter) ?? 'all',
    file: typeof file === 'string' ? file : null,
    showsHidden: showsHidden === true,
    folds: Array.isArray(folds) ? folds.filter(isPair).slice(0, MAX_FOLDS) : null,
    openRuns: Array.isArray(openRuns) ? openRuns.filter((id) => typeof id === 'string').slice(0, MAX_FOLDS) : [],
    viewport: readViewport(viewport),
    railY: typeof railY === 'number' && Number.isFinite(railY) ? railY : null,
    follows: follows !== false,
    showsList: showsList === true,
    sort: BRANCH_SORTS.find((known) => known === sort) ?? 'activity',
  };
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((id) => typeof id === 'string');
}

function readViewport(value: unknown): GraphViewport | null {
  const { x, y, zoom } = (value ?? {}) as Partial<GraphViewport>;
  if (!Number.isFinite(x) || !Number.isFinite(y) || !Number.isFinite(zoom)) return null;
  return { x: x as number, y: y as number, zoom: Math.min(ZOOM.max, Math.max(ZOOM.min, zoom as number)) };
}

/** Where it lies in the database. */
export const graphKey = (sessionId: string): string => `graph:${sessionId}`;

/** Keeps the memory of one session; written a little later, because panning changes it at every frame. */
export function keepGraphMemory(local: LocalStore, sessionId: string) {
  const key = graphKey(sessionId);
  let memory = NO_MEMORY;
  /** What was stored is in it. */
  let isRead = false;
  let reading: Promise<void> | null = null;
  /** What was set and is not known to be written. */
  let fresh: Partial<GraphMemory> = {};
  let timer: ReturnType<typeof setTimeout> | null = null;

  function write(): void {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    // What is not read yet, or can't be, is not written over.
    if (isRead) put();
    else void read().then(() => isRead && put());
  }

  function put(): void {
    const written = fresh;
    const done = (): void => {
      if (fresh === written) fresh = {};
    };
    local.putUi(key, memory).then(done, () => undefined);
  }

  function read(): Promise<void> {
    const take = (stored: unknown): void => {
      // What was chosen while it was read, or is not written yet, is newer.
      memory = { ...readGraphMemory(stored), ...fresh };
      isRead = true;
    };
    reading ??= local
      .getUi(key)
      .then(take, () => undefined)
      .finally(() => (reading = null));
    return reading;
  }

  return {
    get: () => memory,
    async read(): Promise<GraphMemory> {
      await read();
      return memory;
    },
    set(patch: Partial<GraphMemory>): void {
      memory = { ...memory, ...patch };
      fresh = { ...fresh, ...patch };
      timer ??= setTimeout(write, WRITE_DELAY_MS);
    },
    /** Writes at once what is not written yet. */
    flush: write,
  };
}
