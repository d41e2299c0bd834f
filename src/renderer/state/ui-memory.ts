import type { StoreApi } from 'zustand/vanilla';
import { joinedVisits, readVisited, type Visited } from './branch-state';
import type { LocalStore } from './local-store';
import { type Layout, readLayout, type UiState } from './ui-store';
import { own } from '@shared/checks';

/** What the window remembers over a restart: its panes, the leaves that were left, what compactions were told. */

/** Milliseconds that the first screen waits for what the window remembers. */
const MAX_WAIT_MS = 1000;

/** The value if it comes soon enough for the first screen, else undefined. */
export function soon<T>(value: Promise<T>): Promise<T | undefined> {
  return Promise.race([value, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), MAX_WAIT_MS))]);
}

/** Sizes and places of the panes, as the database keeps them. */

const LAYOUT_KEY = 'layout';

interface LayoutMemory {
  /** Brings back what was kept; resolves soon, whatever the database does. */
  restore(): Promise<unknown>;
  set(patch: Partial<Layout>): void;
}

export function createLayoutMemory(local: LocalStore, ui: StoreApi<UiState>): LayoutMemory {
  let isBeingKept = false;

  /** A drag changes sizes with every pointer move: one write at a time, then the newest. */
  function keep(): void {
    if (isBeingKept) return;
    isBeingKept = true;
    const { layout } = ui.getState();
    const next = (): void => {
      isBeingKept = false;
      if (ui.getState().layout !== layout) keep();
    };
    local.putUi(LAYOUT_KEY, layout).then(next, next);
  }

  return {
    /** Pane sizes that come after the first screen still hold, unless the person has set others since. */
    restore() {
      const { layout: initial } = ui.getState();
      const take = (layout: unknown): void => {
        if (ui.getState().layout === initial) ui.setState({ layout: readLayout(layout) });
      };
      return soon(local.getUi(LAYOUT_KEY).then(take, () => undefined));
    },
    set(patch) {
      ui.setState({ layout: readLayout({ ...ui.getState().layout, ...patch }) });
      keep();
    },
  };
}

/** The leaves that a person was at, over a restart: what `/clear` or a move left can be gone back to (WN13). */

/** Where they lie in the database. */
export const visitedKey = (sessionId: string): string => `visited:${sessionId}`;

interface VisitedMemory {
  /** Its session is shown: what was kept comes before what was left meanwhile. Once for each. Never rejects. */
  open(sessionId: string): void;
}

/** Writes what is remembered of a session with each step, once what was kept of it is read: before, a write would lose that. */
export function keepVisited(local: LocalStore, ui: StoreApi<UiState>): VisitedMemory {
  const opened = new Set<string>();
  const isRead = new Set<string>();

  function write(sessionId: string, visited: Visited): void {
    local.putUi(visitedKey(sessionId), visited).catch(() => undefined);
  }

  async function read(sessionId: string): Promise<void> {
    const kept = readVisited(await local.getUi(visitedKey(sessionId)));
    isRead.add(sessionId);
    const now = own(ui.getState().visited, sessionId);
    if (kept) ui.setState(({ visited }) => ({ visited: { ...visited, [sessionId]: joinedVisits(kept, now) } }));
    else if (now) write(sessionId, now);
  }

  ui.subscribe(({ visited }, { visited: before }) => {
    if (visited === before) return;
    for (const [sessionId, steps] of Object.entries(visited))
      if (steps && isRead.has(sessionId) && steps !== own(before, sessionId)) write(sessionId, steps);
  });

  return {
    open(sessionId) {
      if (opened.has(sessionId)) return;
      opened.add(sessionId);
      // A database that fails is asked again when the session is opened again.
      read(sessionId).catch(() => opened.delete(sessionId));
    },
  };
}

/** What people asked compactions to look at, newest first: offered again in the sheet. */

const KEY = 'compactInstructions';
const MOST = 5;

/** The remembered instructions; none if they can't be read, which is no reason to hold up the sheet. */
export async function recentInstructions(local: LocalStore): Promise<string[]> {
  return readRecent(await local.getUi(KEY).catch(() => undefined));
}

/** Puts an instruction first. Never rejects: a list that could not be kept is only shorter the next time. */
export async function rememberInstructions(local: LocalStore, text: string): Promise<void> {
  const recent = withRecent(await recentInstructions(local), text);
  await local.putUi(KEY, recent).catch(() => undefined);
}

/** A stored list, whatever was stored. */
export function readRecent(stored: unknown): string[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((item): item is string => typeof item === 'string' && item.trim() !== '').slice(0, MOST);
}

/** The list with a text at its front, each text once. */
export function withRecent(recent: readonly string[], text: string): string[] {
  const wanted = text.trim();
  if (wanted === '') return [...recent];
  return [wanted, ...recent.filter((item) => item !== wanted)].slice(0, MOST);
}
