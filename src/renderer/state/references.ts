import type { App } from './app';
import type { FoundEntry } from '@shared/ipc/tree-types';
import { createTreeActions, openBranchDialog, tellBusy } from './tree-actions';

/** Leads to the message that a reference names, wherever it stands: on this path, on another branch, in another session. */
export async function openEntryReference(app: App, sessionId: string, entryId: string): Promise<void> {
  const { rows } = app.openSession(sessionId).view.getState();
  if (rows.some((row) => row.id === entryId)) return arrive(app, sessionId, entryId);
  await app.attempt(async () => {
    const { found } = await app.client.request('entries.find', { sessionId, entryId });
    if (!found) {
      app.toast({ level: 'info', text: 'No session on this computer has that message. It may have been deleted.' });
      return;
    }
    if (found.sessionId !== sessionId) app.activate(found.sessionId);
    if (found.isOnPath) arrive(app, found.sessionId, found.entryId);
    else openBranchDialog(app, { kind: 'elsewhere', found });
  });
}

/** The transcript of a session brings an entry of its path into view as soon as it has it. */
export function arrive(app: App, sessionId: string, entryId: string): void {
  app.ui.setState({ arrival: { sessionId, entryId } });
}

/** Shows the branch of a message that is not on the path, at that message. Asks first where visible work is left. */
export async function goToFound(app: App, { sessionId, entryId }: FoundEntry): Promise<void> {
  if (tellBusy(app, sessionId)) return;
  await app.attempt(async () => {
    // What was said after it belongs to it: the branch is shown as it was left.
    const { versions } = await app.client.request('session.versions', { sessionId, entryId });
    const leafId = versions.find((version) => version.entryId === entryId)?.leafId ?? entryId;
    await createTreeActions(app).navigate(sessionId, leafId, { exact: true });
    arrive(app, sessionId, entryId);
  });
}
