import { oneLineTitle } from '@shared/policy/session-title';
import { runStateOf } from '@shared/session-state/attention';
import type { SessionState, SessionSummary } from '@shared/types';

const APP = 'Espalier';
/** Characters of a session's title: what the session does stands behind it, in a task bar that shows little. */
const MAX_TITLE_CHARS = 60;

const STATES: Record<SessionState, string> = {
  idle: '',
  streaming: 'running',
  waiting: 'waiting for you',
  retrying: 'waiting to retry',
  compacting: 'compacting…',
  summarising: 'summarising a branch…',
  error: 'stopped with an error',
};

type Titled = Pick<SessionSummary, 'title' | 'state' | 'turn'>;

/** What the window is called in the system: how many sessions wait for the person, the one that is shown, what it does, the app (WN12, NT1). */
export function windowTitle(session: Titled | undefined, waiting: number): string {
  const count = waiting > 0 ? `(${waiting}) ` : '';
  if (!session) return count + APP;
  const state = STATES[session.state] || (runStateOf(session) === 'stoppedEarly' ? 'stopped early' : '');
  return count + [oneLineTitle(session, MAX_TITLE_CHARS), state, APP].filter(Boolean).join(' — ');
}
