/** What a session's run comes to, in four words (NT1): list, inbox, titles, count and notifications all ask here. Pure. */
import { beginningOf, MAX_NAME_CHARS } from '../beginning';
import { isOpenTurn } from '../session/turn-end';
import type { SessionSummary, Waiting } from '../types';
import type { LiveSession } from './state';

export type RunState = 'working' | 'needsYou' | 'stoppedEarly' | 'done';

/** `stoppedEarly`: the newest turn failed, was stopped, or was cut off by a crash or a quit. `done`: nothing is left of it to do. */
export function runStateOf({ state, turn }: Pick<SessionSummary, 'state' | 'turn'>): RunState {
  switch (state) {
    case 'waiting':
      return 'needsYou';
    case 'streaming':
    case 'retrying':
    case 'compacting':
    case 'summarising':
      return 'working';
    case 'error':
      return 'stoppedEarly';
    case 'idle':
      return isOpenTurn(turn) ? 'stoppedEarly' : 'done';
  }
}

/** How many of the sessions wait for the person: what titles and badges count. */
export function countWaiting(sessions: Iterable<Pick<SessionSummary, 'state' | 'turn'>>): number {
  let count = 0;
  for (const session of sessions) if (runStateOf(session) === 'needsYou') count += 1;
  return count;
}

/** A question, and since when it is open if that was noted (Unix milliseconds). */
export type OpenQuestion = Omit<Waiting, 'since'> & { since: number | null };

/** What a live session asks the person; null: nothing. */
export function questionOf({ approvals, job }: Pick<LiveSession, 'approvals' | 'job'>): OpenQuestion | null {
  const [first] = approvals;
  if (first)
    return { what: beginningOf(first.title, MAX_NAME_CHARS), more: approvals.length - 1, since: first.createdAt };
  return job?.phase === 'review' ? { what: 'Review a summary', more: 0, since: null } : null;
}
