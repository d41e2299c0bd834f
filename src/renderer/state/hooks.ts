import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { toAppError } from '../bridge';
import type { App } from './app-type';
import type { OpenSession } from './open-session';
import type { ReadingState } from './reading-path';
import type { SessionView } from './session-view';
import { isRunning, type SessionsState } from './sessions-store';
import { hasUnknownPrice, type SettingsState } from './settings-store';
import type { UiState } from './ui-store';
import { own } from '@shared/checks';
import { PreviewFigures } from '@shared/compaction/preview-figures';
import { columnOf, situationOf } from '@shared/session-state/phases';
import type { LiveSession } from '@shared/session-state/state';
import type { SessionSummary, WorkspaceStatus } from '@shared/types';

/** React's side of the stores: one-line bindings, and what main is asked again as the session goes on. */

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

/** Whether what a part of a session cost is not known. */
export function useCostUnknown(session: OpenSession): boolean {
  const asked = useLive(session, (live) => live.usage?.unpriced);
  return useSettings(({ providers }) => asked !== undefined && hasUnknownPrice(providers, asked));
}
export function useUi<T>(selector: (state: UiState) => T): T {
  return useStore(useApp().ui, selector);
}
/** What only the window knows of a session. */
export function useView<T>(session: OpenSession, selector: (view: SessionView) => T): T {
  return useStore(session.view, selector);
}
/** The path that is read beside HEAD's. */
export function useReading<T>(session: OpenSession, selector: (reading: ReadingState) => T): T {
  return useStore(session.reading.state, selector);
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

/** Keeps `ui.folder` as main knows it: asked again when the folder, the person's trust or what the session does has changed, and after `lookAgain`. */
export function useFolderWatch(sessionId: string): void {
  const app = useApp();
  const summary = useSummary(sessionId);
  const trustChanges = useUi((ui) => ui.trustChanges);
  const folderLooks = useUi((ui) => ui.folderLooks);
  const { workspace, state } = summary ?? {};
  useEffect(() => {
    let isOld = false;
    app.client.request('workspace.status', { sessionId }).then(
      (status) => !isOld && app.ui.setState({ folder: { sessionId, status } }),
      // Nothing is shown then: what a folder may do is main's to decide, whatever stands here.
      () => undefined,
    );
    return () => {
      isOld = true;
    };
  }, [app, sessionId, workspace, state, trustChanges, folderLooks]);
}

/** The person was elsewhere, where folders are made, moved and deleted: that one is gone is said before they write (WN14). */
export function lookAgain(app: App): void {
  app.ui.setState(({ folderLooks }) => ({ folderLooks: folderLooks + 1 }));
}

/** What is known of the session's folder; null until main has said it. */
export function useFolderStatus(sessionId: string): WorkspaceStatus | null {
  return useUi((ui) => (ui.folder?.sessionId === sessionId ? ui.folder.status : null));
}

/** Has main ask the person, in its own window, whether to trust the session's folder. What asked for it is gone once they do. */
export async function reviewFolder(app: App, sessionId: string): Promise<void> {
  const answer = await app.ask('workspace.review', { sessionId });
  if (answer?.trusted && app.sessions.getState().activeId === sessionId) app.page.focus('composer');
}

/** Milliseconds between two looks at a session that grows while the sheet is open. */
const PAUSE_MS = 1000;

interface PreviewState {
  figures: PreviewFigures | null;
  problem: string | null;
  /** Asks again after a failure. */
  again: () => void;
}

/** The preview of a session, asked again when the session goes on: what is shown is what would be compacted. */
export function usePreview(session: OpenSession): PreviewState {
  const { client } = useApp();
  const leafId = useLive(session, (live) => live.leafId);
  const [figures, setFigures] = useState<PreviewFigures | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const hasOne = useRef(false);
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(
      () => {
        client.request('session.compactPreview', { sessionId: session.id }).then(
          (preview) => {
            if (!isWanted) return;
            hasOne.current = true;
            setFigures(new PreviewFigures(preview));
            setProblem(null);
          },
          (cause: unknown) => isWanted && setProblem(toAppError(cause).message),
        );
      },
      hasOne.current ? PAUSE_MS : 0,
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, session, leafId, attempt]);
  const again = useCallback(() => {
    setProblem(null);
    setAttempt((n) => n + 1);
  }, []);
  return { figures, problem, again };
}
