import { createStore, type StoreApi } from 'zustand/vanilla';
import { own } from '@shared/checks';
import type { AppEvent } from '@shared/ipc/contract';
import { visibleString } from '@shared/policy/visible-text';
import { countWaiting, runStateOf } from '@shared/session-state/attention';
import type { SessionSummary } from '@shared/types';

/** The sessions list: summaries from main, the active one, and those that wait for the person, over all others (WN12, NT1). */

export interface SessionsState {
  byId: Readonly<Record<string, SessionSummary>>;
  activeId: string | null;
  /** Text of the title filter. */
  filter: string;
  archivedOpen: boolean;
}

export function createSessionsStore(): StoreApi<SessionsState> {
  return createStore<SessionsState>(() => ({
    byId: {},
    activeId: null,
    filter: '',
    archivedOpen: false,
  }));
}

/** True while a run goes on, so that a message steers it instead of starting one. */
export function isRunning(session: Pick<SessionSummary, 'state'> | undefined): boolean {
  return session !== undefined && session.state !== 'idle' && session.state !== 'error';
}

/** The active session; none where that row is a file of another kind, which can be shown in its folder and removed, nothing else. */
export function sessionShown({ activeId, byId }: SessionsState): SessionSummary | undefined {
  const session = activeId === null ? undefined : own(byId, activeId);
  return session?.foreign === undefined ? session : undefined;
}

/** The list after one event. The same object comes back when nothing changed. */
export function applyToSessions(state: SessionsState, event: AppEvent): SessionsState {
  switch (event.type) {
    case 'sessions_changed':
      return { ...state, byId: { ...state.byId, [event.summary.id]: event.summary } };
    case 'session_removed':
      return withoutSession(state, event.sessionId);
    default:
      return state;
  }
}

/** The session to show instead of one that goes away: its neighbour by recency, never an archived one. */
export function nextActive(state: SessionsState, goneId: string): string | null {
  const open = Object.values(state.byId)
    .filter((session) => session.id !== goneId && !session.archived && session.foreign === undefined)
    .sort((a, b) => b.updatedAt - a.updatedAt);
  return open[0]?.id ?? null;
}

function withoutSession(state: SessionsState, sessionId: string): SessionsState {
  if (!state.byId[sessionId]) return state;
  const { [sessionId]: _gone, ...byId } = state.byId;
  return { ...state, byId };
}

/** The title in words: as it is, for texts that are drawn in visible form as a whole. */
export function titleOf(session: Pick<SessionSummary, 'title'>): string {
  return session.title || 'New session';
}

/** The title as it is drawn and read out, in visible form (docs/specs/safety.md C1): a model or another program may have written it. */
export function shownTitle(session: Pick<SessionSummary, 'title'>): string {
  return visibleString(titleOf(session));
}

export function needsYou(session: SessionSummary): boolean {
  return runStateOf(session) === 'needsYou';
}

/** Those that wait, longest first: one that comes moves none that somebody is about to press. */
export function byWaiting(a: SessionSummary, b: SessionSummary): number {
  const since = ({ waiting }: SessionSummary): number => waiting?.since ?? Number.MAX_SAFE_INTEGER;
  return since(a) - since(b) || (a.id < b.id ? -1 : 1);
}

/** The one that waits next after the shown one, round; null: none waits. O(sessions). */
export function nextWaiting({ byId, activeId }: Pick<SessionsState, 'byId' | 'activeId'>): SessionSummary | null {
  const waiting = Object.values(byId).filter(needsYou).sort(byWaiting);
  const at = waiting.findIndex(({ id }) => id === activeId);
  return waiting[(at + 1) % waiting.length] ?? null;
}

const counts = new WeakMap<SessionsState['byId'], number>();

/** How many wait. Counted once for each state of the list. */
export function waitingCount({ byId }: Pick<SessionsState, 'byId'>): number {
  let count = counts.get(byId);
  if (count === undefined) counts.set(byId, (count = countWaiting(Object.values(byId))));
  return count;
}
