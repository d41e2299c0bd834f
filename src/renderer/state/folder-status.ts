import { useEffect } from 'react';
import type { WorkspaceStatus } from '@shared/types';
import type { App } from './app-type';
import { useApp, useSummary, useUi } from './hooks';

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
