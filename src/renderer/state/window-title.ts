import { beginningOf } from '@shared/beginning';
import { visibleString } from '@shared/policy/visible-text';
import type { SessionState, SessionSummary } from '@shared/types';
import { titleOf } from './sessions-store';

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

/** What the window is called in the system: the session, what it does, the app (WN12). In visible form: anybody may have made the title. */
export function windowTitle(session: Pick<SessionSummary, 'title' | 'state'> | undefined): string {
  if (!session) return APP;
  const title = titleOf(session).replace(/\s+/g, ' ').trim();
  const cut = beginningOf(title, MAX_TITLE_CHARS);
  const shown = visibleString(cut) + (cut.length < title.length ? '…' : '');
  return [shown, STATES[session.state], APP].filter(Boolean).join(' — ');
}
