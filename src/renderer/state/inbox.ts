/** The sessions that wait for the person, over all others (WN12, NT1). Pure. */
import { countWaiting, runStateOf } from '@shared/session-state/attention';
import type { SessionSummary } from '@shared/types';
import type { SessionsState } from './sessions-store';

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
