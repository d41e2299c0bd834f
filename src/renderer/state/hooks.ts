/** React's side of the stores: one-line bindings. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { own } from '@shared/checks';
import type { SessionSummary } from '@shared/types';
import { columnOf, situationOf } from '@shared/session-state/phases';
import type { LiveSession } from '@shared/session-state/state';
import type { App } from './app-type';
import type { OpenSession } from './open-session';
import type { SessionView } from './session-view';
import { isRunning, type SessionsState } from './sessions-store';
import type { SettingsState } from './settings-store';
import type { UiState } from './ui-store';

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp needs an AppContext above it.');
  return app;
}

/** The session that is shown, for all that is drawn of it. */
export const SessionContext = createContext<OpenSession | null>(null);

export function useSession(): OpenSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs a SessionContext above it.');
  return session;
}

export function useSessions<T>(selector: (state: SessionsState) => T): T {
  return useStore(useApp().sessions, selector);
}
export function useSettings<T>(selector: (state: SettingsState) => T): T {
  return useStore(useApp().settings, selector);
}
export function useUi<T>(selector: (state: UiState) => T): T {
  return useStore(useApp().ui, selector);
}
/** What only the window knows of a session. */
export function useView<T>(session: OpenSession, selector: (view: SessionView) => T): T {
  return useStore(session.view, selector);
}
/** What main shows of a session. */
export function useLive<T>(session: OpenSession, selector: (live: LiveSession) => T): T {
  return useStore(session.live, selector);
}
/** Draws again when what a session may take changes, which can come after a row was drawn. Null: on no session. */
export function useSituation(sessionId: string | null): void {
  const app = useApp();
  const live = sessionId === null ? null : app.openSession(sessionId).live;
  useSyncExternalStore(live?.subscribe ?? subscribeToNothing, () => live && columnOf(situationOf(live.getState())));
}

const subscribeToNothing = (): (() => void) => () => undefined;

/** Whether the agent is at work in a session. */
export function useBusy(sessionId: string): boolean {
  return useSessions((state) => isRunning(own(state.byId, sessionId)));
}
/** The summary of a session, or undefined once it is gone. */
export function useSummary(sessionId: string): SessionSummary | undefined {
  return useSessions((state) => own(state.byId, sessionId));
}
