/** React's side of the stores: one-line bindings. */
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { own } from '@shared/own';
import type { SessionSummary } from '@shared/ipc/types';
import type { LiveSession } from '@shared/session-state/state';
import type { App } from './app';
import type { OpenSession } from './open-session';
import type { SessionView } from './session-view';
import type { SessionsState } from './sessions-store';
import type { SettingsState } from './settings-store';
import type { UiState } from './ui-store';

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp needs an AppContext above it.');
  return app;
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
/** The summary of a session, or undefined once it is gone. */
export function useSummary(sessionId: string): SessionSummary | undefined {
  return useSessions((state) => own(state.byId, sessionId));
}
