import type { App } from '../state/app-type';
import { sessionShown, waitingCount } from '../state/sessions-store';
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
  summarising: 'summarising…',
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

/** Keeps the title of the page, which the system's window takes over, as the shown session is. Returns the function that ends it. */
export function followTitle(app: App): () => void {
  function apply(): void {
    try {
      const state = app.sessions.getState();
      const title = windowTitle(sessionShown(state), waitingCount(state));
      if (document.title !== title) document.title = title;
    } catch {
      // What can't be read fails where it is drawn as well, and is told there: thrown here, it would keep that from being drawn.
    }
  }
  apply();
  return app.sessions.subscribe(apply);
}

/** Keeps `data-theme` and the reading size of the page as the settings say. Returns the function that ends it. */
export function followTheme(app: App): () => void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  function apply(): void {
    const { settings } = app.settings.getState();
    const theme = settings['appearance.theme'];
    const root = document.documentElement;
    root.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    root.style.setProperty('--t-read', `${settings['appearance.readingSize']}px`);
  }
  apply();
  const end = app.settings.subscribe(apply);
  dark.addEventListener('change', apply);
  return () => {
    end();
    dark.removeEventListener('change', apply);
  };
}
