/** The leaves that a person was at, over a restart: what `/clear` or a move left can be gone back to (WN13). */
import type { StoreApi } from 'zustand/vanilla';
import { own } from '@shared/checks';
import { joinedVisits, readVisited, type Visited } from './branch-state';
import type { LocalStore } from './local-store';
import type { UiState } from './ui-store';

/** Where they lie in the database. */
export const visitedKey = (sessionId: string): string => `visited:${sessionId}`;

export interface VisitedMemory {
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
