import type { App } from './app';
import { answerAgain, editAndResend, goToVersion } from './message-actions';
import { createTreeActions, openBranchDialog } from './tree-actions';

/** The actions of the messages and markers of one transcript, by the id of the entry. */
export function messageActions(app: App, sessionId: string) {
  const tree = createTreeActions(app);
  return {
    edit: (entryId: string) => void editAndResend(app, sessionId, entryId),
    retry: (entryId: string) => void answerAgain(app, sessionId, entryId),
    branch: (entryId: string) => void tree.branchFrom(sessionId, entryId),
    fork: (entryId: string) => void tree.fork(sessionId, entryId),
    copyReference: (entryId: string) => void tree.copyReference(sessionId, entryId),
    label: (entryId: string) => tree.editLabel(sessionId, entryId),
    hide: (entryId: string) => void tree.setArchived(sessionId, entryId, true),
    seen: (entryId: string | null) => openBranchDialog(app, { kind: 'context', sessionId, entryId }),
    toVersion: (entryId: string, by: 1 | -1) => void goToVersion(app, sessionId, entryId, by),
    /** None if the session can't be asked: then the row's own figures hold. */
    versionsOf: async (entryId: string): Promise<string[]> => {
      const answer = await app.client.request('session.versions', { sessionId, entryId }).catch(() => null);
      return answer?.versions.map((version) => version.entryId) ?? [];
    },
    toBranch: (entryId: string) => void tree.navigate(sessionId, entryId, { exact: true }),
    toSession: (id: string) => app.activate(id),
  };
}
